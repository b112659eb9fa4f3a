// Package jsontext reads JSON text and writes it, in the dialect of the program
// on the other side: of Rust's serde_json ([Strict]), of Python ([Python]), or
// of the RFC ([Plain]). It is the only scanner of JSON here.
//
// A [Scanner] steps over a text and knows its offsets. Above it are the members
// of an object, the items of an array, and the tree of a whole text. Values are
// parts of the text; nothing is copied but strings that have escapes.
//
// It opens no file and does not know what the values mean.
package jsontext

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Dialect is what a program reads as JSON, and how it writes it.
type Dialect struct {
	depth     int    // how deep arrays and objects may be nested
	end       string // what the end of the text is called in errors
	sound     bool   // strings are UTF-8 without halves of surrogate pairs
	floats    bool   // numbers are within the range of a float64
	digits    int    // of the longest whole number, 0 for no limit
	nan       bool   // NaN, Infinity and -Infinity are values
	lastWins  bool   // of a name that an object has twice the last counts
	sorted    bool   // members are written in the order of their names
	separator string // of members and items, when written
	colon     string
}

var (
	// Strict is what serde_json, the reader of Rust programs, takes and writes.
	// An object has a name that it has twice twice: to refuse that is for the
	// caller.
	Strict = &Dialect{depth: 127, end: "end of the text", sound: true, floats: true, sorted: true, separator: ",", colon: ":"}
	// Python is what json.loads takes, and json.dumps(ensure_ascii=False)
	// writes: NaN and Infinity, halves of surrogate pairs, the last of a name
	// that is there twice. All of it is read, and none of it is written. Bytes
	// that are not UTF-8, at which Python gives up the file, become U+FFFD. Its
	// recursion limit is 1000, less what its program has used of it.
	Python = &Dialect{depth: 500, end: "end of the text", digits: 4300, nan: true, lastWins: true, separator: ", ", colon: ": "}
	// Plain is what encoding/json takes: RFC 8259, and bytes in strings that
	// are not UTF-8.
	Plain = &Dialect{depth: 10_000, end: "end of the file", separator: ",", colon: ":"}
	// Sound is Plain with strings that are UTF-8 without halves of surrogate
	// pairs, so that nothing is lost when they are written anew.
	Sound = &Dialect{depth: 10_000, end: "end of the file", sound: true, separator: ",", colon: ":"}
)

// LastWins reports whether of a name that an object has twice the last counts.
func (d *Dialect) LastWins() bool { return d.lastWins }

// Separator is written between members and between items.
func (d *Dialect) Separator() string { return d.separator }

// Colon is written after a name.
func (d *Dialect) Colon() string { return d.colon }

// Error says where and why a text is not JSON.
type Error struct {
	Offset int // of what is wrong, in bytes from 0
	Stop   int // of the byte that could not be read
	Text   string
	Torn   bool // nothing is wrong but that the text ends too soon
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Text) }

// Member is a member of an object.
type Member struct {
	Name  string // without escapes
	Value string // its bytes, part of the text that was read
	// Odd: the value is not what other readers of JSON would take as it is,
	// and has to be written anew.
	Odd bool
}

// Object reads a text that is one object and nothing else.
func (d *Dialect) Object(src string) ([]Member, error) {
	s := d.Scan(src)
	members := s.members()
	return members, s.End()
}

// FirstObject reads the object that a text begins with. end is the offset
// after it.
func (d *Dialect) FirstObject(src string) (members []Member, end int, err error) {
	s := d.Scan(src)
	members = s.members()
	return members, s.at, s.Err()
}

// isObject is false, and an error, where no object begins.
func (s *Scanner) isObject() bool {
	ok := s.peek() == '{'
	if !ok {
		s.fail(s.at, "is "+What(s.src)+", want an object")
	}
	return ok
}

func (s *Scanner) members() []Member {
	if !s.isObject() {
		return nil
	}
	list := make([]Member, 0, 8)
	for end := s.Open(); s.More(end); {
		m := Member{Name: s.Name()}
		was := s.odd
		s.odd = false
		m.Value = s.Skip()
		m.Odd = s.odd
		s.odd = s.odd || was
		if s.err == nil {
			list = append(list, m)
		}
	}
	if s.lastWins {
		return once(list)
	}
	return list
}

// once keeps the last member of each name, in the place of the first.
func once(members []Member) []Member {
	const few = 12 // up to here comparing them all is faster than a map
	var at map[string]int
	if len(members) > few {
		at = make(map[string]int, len(members))
	}
	kept := members[:0]
	for _, m := range members {
		first := -1
		if at == nil {
			first = slices.IndexFunc(kept, func(k Member) bool { return k.Name == m.Name })
		} else if k, twice := at[m.Name]; twice {
			first = k
		}
		if first >= 0 {
			kept[first] = m
			continue
		}
		if at != nil {
			at[m.Name] = len(kept)
		}
		kept = append(kept, m)
	}
	return kept
}

// Array reads a text that is one array and nothing else.
func (d *Dialect) Array(src string) (items []string, err error) {
	s := d.Scan(src)
	if s.peek() != '[' {
		s.fail(s.at, "is "+What(s.src)+", want an array")
	} else {
		for end := s.Open(); s.More(end); {
			if item := s.Skip(); s.err == nil {
				items = append(items, item)
			}
		}
	}
	return items, s.End()
}

// Check is the error of a text that is not one value and nothing else.
func (d *Dialect) Check(src string) error {
	s := d.Scan(src)
	s.Skip()
	return s.End()
}

// Standard is the error of a text that is not JSON, in the words of
// encoding/json, which people know; nil for none.
func Standard(src string) *Error {
	s := Plain.Scan(src)
	s.Skip()
	if s.End() == nil {
		return nil
	}
	err := json.Unmarshal([]byte(src), new(json.RawMessage))
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return &Error{Offset: max(0, int(syntax.Offset)-1), Text: err.Error()} // of the byte that could not be
	}
	return s.err
}

// Get is the value of a member of an object, as Python reads it; "" where there
// is none, or no object.
func Get(object []byte, name string) (value string) {
	s := Python.Scan(string(object))
	if s.peek() != '{' {
		return ""
	}
	for end := s.Open(); s.More(end); {
		found := s.Name() == name
		if v := s.Skip(); found {
			value = v
		}
	}
	if s.End() != nil {
		return ""
	}
	return value
}

// What names the type of a value by its first byte, a number by its spelling.
func What(value string) string {
	value = strings.Trim(value, Blanks)
	if value == "" {
		return "nothing"
	}
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "text"
	}
	const most = 40
	if len(value) > most {
		value = value[:most] + "..."
	}
	return strings.ToValidUTF8(value, "?")
}
