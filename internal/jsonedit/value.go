package jsonedit

import (
	"encoding/json"
	"fmt"
	"iter"
)

// Kind is one of JSON's six kinds of value. The zero Kind is of no value.
type Kind int

// The kinds, as RFC 8259 names them.
const (
	KindObject Kind = iota + 1
	KindArray
	KindString
	KindNumber
	KindBool
	KindNull
)

// String is the kind with its article, to go into messages: "an object".
func (k Kind) String() string {
	names := [...]string{"no value", "an object", "an array", "a string", "a number", "true or false", "null"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return names[k]
}

// Value is a value in a file, as it was when it was asked for. The zero Value
// has Kind 0 and answers every question with false.
type Value struct {
	src string
	n   *node
}

// Kind is the value's kind.
func (v Value) Kind() Kind {
	if v.n == nil {
		return 0
	}
	return v.n.kind
}

// Raw is the text of the value as it stands in the file, a copy.
func (v Value) Raw() json.RawMessage { return json.RawMessage(v.text()) }

func (v Value) text() string {
	if v.n == nil {
		return ""
	}
	return v.src[v.n.start:v.n.end]
}

// Pos is where the value begins, 1-based; col counts characters. Both are 0
// for the zero Value.
func (v Value) Pos() (line, col int) {
	if v.n == nil {
		return 0, 0
	}
	return position(v.src, v.n.start)
}

// Text is the decoded string; false for another kind. What is no UTF-8, and
// half a surrogate pair, comes out as U+FFFD.
func (v Value) Text() (string, bool) {
	if v.Kind() != KindString {
		return "", false
	}
	return decode(v.text()), true
}

// Bool is the truth value; false, false for another kind.
func (v Value) Bool() (value, ok bool) { return v.text() == "true", v.Kind() == KindBool }

// Int64 is the number when it is whole and fits, however it is spelled: 2,
// 2.0 and 20e-1 are 2; 7.5 is none.
func (v Value) Int64() (int64, bool) {
	if v.Kind() != KindNumber {
		return 0, false
	}
	return readDecimal(v.text()).int64()
}

// Uint64 is [Value.Int64] for numbers that are not negative.
func (v Value) Uint64() (uint64, bool) {
	if v.Kind() != KindNumber {
		return 0, false
	}
	return readDecimal(v.text()).uint64()
}

// Len is the number of members or elements, 0 for another kind.
func (v Value) Len() int {
	if v.n == nil {
		return 0
	}
	return len(v.n.children)
}

// Get follows a path from this value; see [File.Get].
func (v Value) Get(path ...any) (Value, bool) {
	n := v.n
	for _, step := range path {
		if n = n.step(step); n == nil {
			return Value{}, false
		}
	}
	return Value{v.src, n}, n != nil
}

// step is the value that one step of a path leads to, nil where there is none.
func (n *node) step(step any) *node {
	var c *child
	switch step := step.(type) {
	case string:
		if n != nil && n.kind == KindObject {
			c = n.find(step)
		}
	case int:
		if n != nil && n.kind == KindArray {
			c = n.at(step)
		}
	}
	if c == nil {
		return nil
	}
	return &c.value
}

// Members are the keys and values of an object in the order of the text,
// duplicates too; nothing for another kind.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.Kind() != KindObject {
			return
		}
		for i := range v.n.children {
			if c := &v.n.children[i]; !yield(c.key, Value{v.src, &c.value}) {
				return
			}
		}
	}
}

// Elements are the indexes and elements of an array; nothing for another kind.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.Kind() != KindArray {
			return
		}
		for i := range v.n.children {
			if !yield(i, Value{v.src, &v.n.children[i].value}) {
				return
			}
		}
	}
}
