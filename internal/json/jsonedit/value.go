package jsonedit

import (
	"encoding/json"
	"iter"

	"handoff/internal/json/jsontext"
)

// Kind is one of JSON's six kinds of value. The zero Kind is of no value.
type Kind = jsontext.Kind

// The kinds, as RFC 8259 names them.
const (
	KindObject = jsontext.KindObject
	KindArray  = jsontext.KindArray
	KindString = jsontext.KindString
	KindNumber = jsontext.KindNumber
	KindBool   = jsontext.KindBool
	KindNull   = jsontext.KindNull
)

type (
	node  = jsontext.Node
	child = jsontext.Child
)

// Value is a value of a file. Later edits do not change it. The zero Value has
// Kind 0, and its methods return false.
type Value struct {
	src string
	n   *node
}

// Kind is the value's kind.
func (v Value) Kind() Kind {
	if v.n == nil {
		return 0
	}
	return v.n.Kind
}

// Raw is a copy of the value's text in the file.
func (v Value) Raw() json.RawMessage { return json.RawMessage(v.text()) }

func (v Value) text() string {
	if v.n == nil {
		return ""
	}
	return v.src[v.n.Start:v.n.End]
}

// Pos is where the value begins, 1-based; col counts characters. Both are 0
// for the zero Value.
func (v Value) Pos() (line, col int) {
	if v.n == nil {
		return 0, 0
	}
	return jsontext.Place(v.src, v.n.Start)
}

// Offset is the byte of the file at which the value begins; false for the zero Value.
func (v Value) Offset() (at int, ok bool) {
	if v.n == nil {
		return 0, false
	}
	return v.n.Start, true
}

// Text is the decoded string; false for another kind. Invalid UTF-8 and half of a
// surrogate pair become U+FFFD.
func (v Value) Text() (string, bool) {
	return jsontext.Text(v.text()), v.Kind() == KindString
}

// Bool is the truth value; false, false for another kind.
func (v Value) Bool() (value, ok bool) { return v.text() == "true", v.Kind() == KindBool }

// Int64 is the number if it is whole and fits, in any spelling: 2, 2.0 and 20e-1
// are 2; for 7.5 it is false.
func (v Value) Int64() (int64, bool) {
	if v.Kind() != KindNumber {
		return 0, false
	}
	return readDecimal(v.text()).int64()
}

// Len is the number of members or elements, 0 for another kind.
func (v Value) Len() int {
	if v.n == nil {
		return 0
	}
	return len(v.n.Children)
}

// Get is [File.Get] with a path that begins at this value.
func (v Value) Get(path ...any) (Value, bool) {
	n := v.n
	for _, step := range path {
		if n = follow(n, step); n == nil {
			return Value{}, false
		}
	}
	return Value{v.src, n}, n != nil
}

// follow is the value at one step of a path, nil if there is none.
func follow(n *node, step any) *node {
	switch step := step.(type) {
	case string:
		if n != nil && n.Kind == KindObject {
			if c := n.Find(step); c != nil {
				return &c.Value
			}
		}
	case int:
		if n != nil && n.Kind == KindArray && 0 <= step && step < len(n.Children) {
			return &n.Children[step].Value
		}
	}
	return nil
}

// Elements yields the indexes and elements of an array, nothing for another kind.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != KindArray {
			return
		}
		for i := range v.n.Children {
			if !yield(i, Value{v.src, &v.n.Children[i].Value}) {
				return
			}
		}
	}
}
