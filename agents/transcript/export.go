package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// maxValue is the most bytes of one value of an export that are read.
const maxValue = 16 << 20

// Export reads the document that `opencode export` prints, which is one JSON value and
// not lines. ok is false for anything else.
func Export(src []byte) (records []Record, ok bool) {
	e := ReadExport(bytes.NewReader(src), func(_ int, r Record) { records = append(records, r) })
	return records, e.Session != ""
}

// Exported is what [ReadExport] has read.
type Exported struct {
	Session string // "" if it is not an export
	Lines   int    // of the document, with the last one
	Skipped int    // values that were too long or not valid
	Cut     bool   // the document ends before its end
}

// ReadExport passes the parts of an export to yield, each with the line on which it
// begins. It keeps one part in memory at a time. A document that ends in the middle is
// read up to the last part that is whole.
func ReadExport(from io.Reader, yield func(line int, r Record)) Exported {
	x := &export{src: bufio.NewReaderSize(from, 64<<10), line: 1, yield: yield}
	err := x.object(func(key string) error {
		switch key {
		case "info":
			return x.session()
		case "messages":
			return x.array(x.message)
		}
		return x.skip()
	})
	return Exported{Session: x.id, Lines: x.line, Skipped: x.skipped, Cut: err != nil && x.id != ""}
}

// export is a reader of one document. It splits the document itself, because a decoder
// for whole values would lose all of a document that was cut.
type export struct {
	src     *bufio.Reader
	line    int
	id      string
	role    string
	model   string
	skipped int
	yield   func(line int, r Record)
}

var errForm = errors.New("not an export")

func (x *export) session() error {
	line, raw, err := x.value()
	var info struct {
		ID        string `json:"id"`
		Directory string `json:"directory"`
		Version   string `json:"version"`
		Parent    string `json:"parentID"`
	}
	if err != nil || json.Unmarshal(raw, &info) != nil || info.ID == "" {
		return errForm
	}
	x.id = info.ID
	x.yield(line, Record{Session: info.ID, Dir: info.Directory, Version: info.Version, Sub: info.Parent != "", Parent: info.Parent})
	return nil
}

func (x *export) message() error {
	x.role, x.model = "", ""
	at, failed := 0, Record{}
	err := x.object(func(key string) error {
		switch key {
		case "info":
			line, raw, err := x.value()
			var info struct {
				Role  string         `json:"role"`
				Model string         `json:"modelID"`
				Error *opencodeError `json:"error"`
			}
			anyObject(raw, &info)
			x.role, x.model = info.Role, info.Model
			if info.Error != nil {
				at = line
				info.Error.into(&failed)
			}
			return err
		case "parts":
			return x.array(x.part)
		}
		return x.skip()
	})
	if at > 0 { // after the parts, which are older
		x.yield(at, failed)
	}
	return err
}

func (x *export) part() error {
	line, raw, err := x.value()
	if err != nil {
		return err
	}
	var p opencodePart
	if !decode(raw, &p) {
		x.skipped++
		return nil
	}
	r := Record{Model: x.model}
	if p.into(&r); x.role == "user" {
		r.Prompt, r.Text, r.Aside = r.Text, "", p.Synthetic
	}
	x.yield(line, r)
	return nil
}

// next is the next byte that is not a blank.
func (x *export) next() (byte, error) {
	for {
		b, err := x.src.ReadByte()
		switch {
		case err != nil:
			return 0, err
		case b == '\n':
			x.line++
		case b != ' ' && b != '\t' && b != '\r':
			return b, nil
		}
	}
}

// object reads an object. member reads the value of a key.
func (x *export) object(member func(key string) error) error {
	return x.list('{', '}', func() error {
		_, raw, err := x.value()
		var key string
		if err != nil || json.Unmarshal(raw, &key) != nil {
			return errForm
		}
		if b, err := x.next(); err != nil || b != ':' {
			return errForm
		}
		return member(key)
	})
}

func (x *export) array(entry func() error) error { return x.list('[', ']', entry) }

func (x *export) list(opens, closes byte, entry func() error) error {
	if b, err := x.next(); err != nil || b != opens {
		return errForm
	}
	for {
		b, err := x.next()
		switch {
		case err != nil:
			return err
		case b == closes:
			return nil
		case b == ',':
			continue
		}
		if err := x.src.UnreadByte(); err != nil {
			return err
		}
		if err := entry(); err != nil {
			return err
		}
	}
}

func (x *export) skip() error {
	_, _, err := x.value()
	return err
}

// value reads one value of any form, and the line on which it begins. The bytes of a
// value that is too long are left out.
func (x *export) value() (line int, raw []byte, err error) {
	b, err := x.next()
	if err != nil {
		return x.line, nil, err
	}
	line = x.line
	depth, text, escaped := 0, false, false
	for size := 1; ; size++ {
		if size <= maxValue {
			raw = append(raw, b)
		}
		switch {
		case escaped:
			escaped = false
		case text && b == '\\':
			escaped = true
		case b == '"':
			text = !text
		case text:
		case b == '{' || b == '[':
			depth++
		case b == '}' || b == ']':
			depth--
		}
		if depth <= 0 && !text {
			after, ends := x.src.Peek(1)
			closed := b == '"' || b == '}' || b == ']'
			switch {
			case ends != nil && !closed:
				return line, nil, io.ErrUnexpectedEOF // a number may have been cut off
			case closed, bytes.IndexByte([]byte(" \t\r\n,:]}"), after[0]) >= 0:
				return line, raw, nil
			}
		}
		if b, err = x.src.ReadByte(); err != nil {
			return line, nil, err
		}
		if b == '\n' {
			x.line++
		}
	}
}
