// Package jsonsplice adds members and elements to the text of a JSON file, and
// removes them again without changing any other byte: comments, trailing commas,
// indentation, the order of keys, CRLF, a byte order mark and a missing final line
// break stay.
//
// Remove needs no record of the original text. A container that Add creates has
// whitespace after its opening bracket. In an existing container that was empty,
// the new item follows the bracket directly. So when only that item is left,
// Remove knows whether the container was there before.
//
// It opens no file and does not interpret the values. Use package jsonedit to
// change values of strict JSON.
package jsonsplice

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

// Error is the place where a text stops being JSON with comments.
type Error struct {
	Line, Col int // from 1; Col counts characters
	Text      string
}

// Error has the form line:col: text.
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Text) }

// ErrKind is the error for a value on the way that is not the container it has to
// be.
var ErrKind = errors.New("wrong kind of value")

// File is the text of a JSON file whose root is an object.
type File struct {
	bom   string
	src   string // without bom
	plain string // src with spaces for comments and trailing commas
	root  *jsontext.Node
}

const bom = "\ufeff"

// Parse reads a text. Errors are of type [*Error].
func Parse(src string) (*File, error) {
	f := &File{}
	rest, found := strings.CutPrefix(src, bom)
	if found {
		f.bom = bom
	}
	return f, f.set(rest)
}

func (f *File) set(src string) error {
	plain := blank(src)
	root, err := jsontext.Plain.Parse(plain)
	var syntax *jsontext.Error
	switch {
	case strings.Trim(plain, jsontext.Blanks) == "":
		return place(src, len(src), "no JSON value: the file is empty")
	case errors.As(err, &syntax):
		return place(src, syntax.Offset, syntax.Text)
	case err != nil:
		return err
	case root.Kind != jsontext.KindObject:
		return place(src, root.Start, "is "+root.Kind.String()+", want an object")
	}
	f.src, f.plain, f.root = src, plain, root
	return nil
}

func place(src string, at int, text string) error {
	line, start := jsontext.Position(src, at)
	return &Error{line, 1 + utf8.RuneCountInString(src[start:at]), text}
}

// Text is the text of the file.
func (f *File) Text() string { return f.bom + f.src }

// Root is the value of the file. It is valid until the next edit.
func (f *File) Root() Value { return Value{f.src, f.plain, f.root} }

// Value is a value of a file. The zero Value is none: it has no items and no text.
type Value struct {
	src, plain string
	n          *jsontext.Node
}

// Get is a member of an object, at the end of a path of names. ok is false if there
// is none.
func (v Value) Get(path ...string) (_ Value, ok bool) {
	n := v.n
	if n == nil {
		return Value{}, false
	}
	for _, name := range path {
		c := find(n, name)
		if c < 0 {
			return Value{}, false
		}
		n = &n.Children[c].Value
	}
	return Value{v.src, v.plain, n}, true
}

// find is the index of the last member of that name, which is the one that counts
// for readers of JSON; -1 for none.
func find(n *jsontext.Node, name string) int {
	if n.Kind == jsontext.KindObject {
		for i := len(n.Children) - 1; i >= 0; i-- {
			if n.Children[i].Name == name {
				return i
			}
		}
	}
	return -1
}

// Len is the number of members or elements.
func (v Value) Len() int {
	if v.n == nil {
		return 0
	}
	return len(v.n.Children)
}

// At is a member or element by its index, with the member's name.
func (v Value) At(i int) (name string, item Value) {
	c := &v.n.Children[i]
	return c.Name, Value{v.src, v.plain, &c.Value}
}

// Text is the decoded string; "" for another kind.
func (v Value) Text() string {
	if v.n == nil || v.n.Kind != jsontext.KindString {
		return ""
	}
	return jsontext.Text(v.src[v.n.Start:v.n.End])
}

// JSON is the text of the value without comments and trailing commas.
func (v Value) JSON() []byte { return []byte(v.plain[v.n.Start:v.n.End]) }
