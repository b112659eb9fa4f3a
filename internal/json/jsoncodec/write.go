package jsoncodec

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

// writer appends members in the order of the calls.
type writer struct {
	*jsontext.Dialect
	buf     []byte
	level   int // of the object or array that is open
	lenient bool
	err     error
}

// Write appends an object with these fields. The error is the first field that
// cannot be written: text that is not UTF-8, a value that is not JSON.
func Write(d *jsontext.Dialect, buf []byte, fields func(*Codec)) ([]byte, error) {
	w := &writer{Dialect: d, buf: buf}
	w.object(func() { fields(&Codec{writer: w}) })
	return w.buf, w.err
}

// WriteAll is Write without errors: it writes values that are not JSON unchanged, so
// that reading the object finds them. In text, invalid UTF-8 becomes U+FFFD.
func WriteAll(d *jsontext.Dialect, buf []byte, fields func(*Codec)) []byte {
	w := &writer{Dialect: d, buf: buf, lenient: true}
	w.object(func() { fields(&Codec{writer: w}) })
	return w.buf
}

func (w *writer) fail(name, text string) {
	if w.err == nil {
		w.err = &Problem{Where: (*Place)(nil).Member(name), Text: text}
	}
}

func (w *writer) key(name string) {
	if last := w.buf[len(w.buf)-1]; last != '{' {
		w.buf = append(w.buf, w.Separator()...)
	}
	w.buf = append(jsontext.AppendText(w.buf, name), w.Colon()...)
}

func (w *writer) raw(name, value string) {
	w.key(name)
	w.append(value)
}

func (w *writer) append(value string) { w.buf = append(w.buf, value...) }

func (w *writer) uint(value uint64) { w.buf = strconv.AppendUint(w.buf, value, 10) }

func (w *writer) appendText(name, text string) {
	if !w.lenient && !utf8.ValidString(text) {
		w.fail(name, "is not UTF-8")
	}
	w.buf = jsontext.AppendText(w.buf, text)
}

func (w *writer) value(name string, value json.RawMessage) {
	buf, err := w.AppendChecked(w.buf, string(value), w.level)
	switch {
	case err == nil:
		w.buf = buf
	case w.lenient:
		w.append(strings.ToValidUTF8(string(value), "\ufffd"))
	default:
		w.fail(name, err.Error())
	}
}

func (w *writer) object(members func()) {
	w.level++
	w.buf = append(w.buf, '{')
	members()
	w.buf = append(w.buf, '}')
	w.level--
}

func (w *writer) list(n int, item func(i int)) {
	w.level++
	w.buf = append(w.buf, '[')
	for i := range n {
		if i > 0 {
			w.buf = append(w.buf, w.Separator()...)
		}
		item(i)
	}
	w.buf = append(w.buf, ']')
	w.level--
}
