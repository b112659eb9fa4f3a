// Package strictjson reads JSON as serde_json, the reader of Rust programs,
// does, and writes it as that writes it: so that what passes here passes
// there. It is stricter than encoding/json: UTF-8 only, no half of a surrogate
// pair, no number beyond a float64, nesting up to [MaxDepth]; and names are
// compared as they are, without folding.
//
// Members are given in the order of the text, a name that stands there twice
// twice, and values as their bytes: to refuse what is doubled or out of range
// is for the caller, who knows the type that he wants.
package strictjson

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested: what serde_json takes.
const MaxDepth = 127

// Error says where and why a text is not the JSON that was wanted.
type Error struct {
	Offset int // bytes, from 0
	Text   string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Text) }

// Member is a member of an object.
type Member struct {
	Name  string // what it says, escapes undone
	Value string // its bytes, part of the text that was read
}

// Object reads a text that is one object, and checks all of it. The strings
// are parts of src wherever they need no change.
func Object(src string) ([]Member, error) {
	s := &scanner{src: src}
	s.space()
	if s.peek() != '{' {
		return nil, s.fail("is " + What(src) + ", want an object")
	}
	members := make([]Member, 0, 16)
	err := s.object(0, func(name, value string) { members = append(members, Member{name, value}) })
	return members, s.end(err)
}

// Array reads a text that is one array, and checks all of it.
func Array(src string) ([]string, error) {
	s := &scanner{src: src}
	s.space()
	if s.peek() != '[' {
		return nil, s.fail("is " + What(src) + ", want an array")
	}
	var items []string
	err := s.array(0, func(value string) { items = append(items, value) })
	return items, s.end(err)
}

// Check tells whether a text is one JSON value.
func Check(src string) error {
	s := &scanner{src: src}
	s.space()
	return s.end(s.value(0))
}

// What names the type of a value by its first byte, a number by its spelling.
func What(value string) string {
	value = strings.TrimLeft(value, " \t\r\n")
	if value == "" {
		return "nothing"
	}
	switch c := value[0]; c {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "text"
	case 't', 'f', 'n':
		return strings.TrimRight(clip(value), " \t\r\n")
	default:
		return strings.ToValidUTF8(clip(value), "?")
	}
}

func clip(s string) string {
	const most = 40
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// scanner walks over a text; at is the byte it looks at.
type scanner struct {
	src string
	at  int
}

func (s *scanner) fail(text string) error { return &Error{s.at, text} }

// peek is the byte at hand, 0 at the end; a zero byte is nowhere legal.
func (s *scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.src) {
		switch s.src[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

func (s *scanner) end(err error) error {
	if err != nil {
		return err
	}
	if s.space(); s.at < len(s.src) {
		return s.fail("more behind the end of the value")
	}
	return nil
}

// unexpected says what stands where something else should.
func (s *scanner) unexpected(want string) error {
	if s.at >= len(s.src) {
		return s.fail("the text ends here, want " + want)
	}
	c, _ := utf8.DecodeRuneInString(s.src[s.at:])
	return s.fail(fmt.Sprintf("%q, want %s", c, want))
}

func (s *scanner) value(depth int) error {
	switch c := s.peek(); {
	case c == '{':
		return s.object(depth, nil)
	case c == '[':
		return s.array(depth, nil)
	case c == '"':
		_, err := s.text()
		return err
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(s.src[s.at:], word) {
			s.at += len(word)
			return nil
		}
	}
	return s.unexpected("a value")
}

// object reads from the brace at hand to behind the one that closes it.
func (s *scanner) object(depth int, each func(name, value string)) error {
	if depth == MaxDepth {
		return s.fail("nested too deeply")
	}
	for s.more('}') {
		if s.peek() != '"' {
			return s.unexpected("a name in quotes")
		}
		name, err := s.text()
		if err != nil {
			return err
		}
		if s.space(); s.peek() != ':' {
			return s.unexpected("a colon")
		}
		s.at++
		s.space()
		start := s.at
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if each != nil {
			each(name, s.src[start:s.at])
		}
		if s.space(); s.peek() != '}' && s.peek() != ',' {
			return s.unexpected("a comma or the end of the object")
		}
	}
	return s.close('}')
}

func (s *scanner) array(depth int, each func(value string)) error {
	if depth == MaxDepth {
		return s.fail("nested too deeply")
	}
	for s.more(']') {
		start := s.at
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if each != nil {
			each(s.src[start:s.at])
		}
		if s.space(); s.peek() != ']' && s.peek() != ',' {
			return s.unexpected("a comma or the end of the array")
		}
	}
	return s.close(']')
}

// more steps over the bracket or comma at hand, to the next item if there is
// one. A comma must have an item behind it.
func (s *scanner) more(closing byte) bool {
	if s.peek() == closing {
		return false
	}
	comma := s.peek() == ','
	s.at++
	s.space()
	return comma || s.peek() != closing
}

func (s *scanner) close(closing byte) error {
	if s.peek() != closing {
		return s.unexpected("the end")
	}
	s.at++
	return nil
}

// number reads the number at hand. One beyond all floats is refused, as
// serde_json refuses it wherever it stands.
func (s *scanner) number() error {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if s.digits() == 0 {
		return s.unexpected("a digit")
	}
	exponent := false
	if s.peek() == '.' {
		s.at++
		if s.digits() == 0 {
			return s.unexpected("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		exponent = true
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if s.digits() == 0 {
			return s.unexpected("a digit")
		}
	}
	if !exponent && s.at-start < 300 {
		return nil
	}
	if f, _ := strconv.ParseFloat(s.src[start:s.at], 64); math.IsInf(f, 0) {
		s.at = start
		return s.fail("the number is out of range")
	}
	return nil
}

func (s *scanner) digits() int {
	start := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at - start
}
