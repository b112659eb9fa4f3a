package bundle

import (
	"bytes"
	"encoding/json"
	"strconv"

	"handoff/artifact"
	"handoff/internal/jsontext"
)

// writer appends members in the order of the calls.
type writer struct{ buf []byte }

func (w *writer) key(name string) {
	if last := w.buf[len(w.buf)-1]; last != '{' {
		w.buf = append(w.buf, ',')
	}
	w.buf = append(jsontext.AppendText(w.buf, name), ':')
}

// object writes braces around what members writes and the unknown fields.
func (w *writer) object(extra []Field, members func()) {
	w.buf = append(w.buf, '{')
	members()
	for _, f := range extra {
		w.key(f.Name)
		w.buf = appendRaw(w.buf, f.Value)
	}
	w.buf = append(w.buf, '}')
}

func (w *writer) text(name, value string) {
	w.key(name)
	w.buf = jsontext.AppendText(w.buf, value)
}

// nullable writes null for nil; omittable writes nothing.
func (w *writer) nullable(name string, value *string) {
	if value != nil {
		w.text(name, *value)
		return
	}
	w.key(name)
	w.buf = append(w.buf, "null"...)
}

func (w *writer) omittable(name string, value *string) {
	if value != nil {
		w.text(name, *value)
	}
}

func (w *writer) number(name string, value uint64) {
	w.key(name)
	w.buf = strconv.AppendUint(w.buf, value, 10)
}

func (w *writer) nullableNumber(name string, value *uint64) {
	if value != nil {
		w.number(name, *value)
		return
	}
	w.key(name)
	w.buf = append(w.buf, "null"...)
}

func (w *writer) id(name string, id artifact.ID) { w.text(name, id.String()) }

func writeList[T any](w *writer, name string, all []T, write func(T)) {
	w.key(name)
	w.buf = append(w.buf, '[')
	for i, v := range all {
		if i > 0 {
			w.buf = append(w.buf, ',')
		}
		write(v)
	}
	w.buf = append(w.buf, ']')
}

// appendRaw writes JSON that a caller may have put together: in the one form
// where it is JSON, else as it is, so that the whole is found to be invalid.
func appendRaw(buf []byte, value json.RawMessage) []byte {
	r := &reader{src: value}
	if n := r.tree(); n != nil && len(r.problems) == 0 {
		return appendNode(buf, n)
	}
	return append(buf, bytes.ToValidUTF8(value, []byte("\ufffd"))...)
}

func appendNode(buf []byte, n *node) []byte {
	switch n.kind {
	case '{':
		buf = append(buf, '{')
		for i, m := range n.members {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = append(jsontext.AppendText(buf, m.name), ':')
			buf = appendNode(buf, m.value)
		}
		return append(buf, '}')
	case '[':
		buf = append(buf, '[')
		for i, item := range n.items {
			if i > 0 {
				buf = append(buf, ',')
			}
			buf = appendNode(buf, item)
		}
		return append(buf, ']')
	case '"':
		return jsontext.AppendText(buf, n.text)
	}
	return append(buf, n.text...)
}
