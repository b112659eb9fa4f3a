// Package jsontext reads and writes JSON text in the dialect of another program:
// Rust's serde_json ([Strict]), Python ([Python]), or the RFC ([Plain]). It is the
// only JSON scanner in this module.
//
// A [Scanner] steps through a text by offsets. Built on it are the members of an
// object, the items of an array, and the tree of a whole text. Values are parts of
// the text; only strings with escapes are copied.
//
// It opens no file and does not know what the values mean.
package jsontext

import (
	"fmt"
	"slices"
	"strings"
)

// Dialect describes what a program accepts as JSON and how it writes JSON.
type Dialect struct {
	depth     int    // most nested arrays and objects
	end       string // name of the end of the text in errors
	sound     bool   // strings must be UTF-8 without halves of surrogate pairs
	floats    bool   // numbers must be in the range of a float64
	digits    int    // of the longest whole number, 0 for no limit
	nan       bool   // NaN, Infinity and -Infinity are values
	lastWins  bool   // of duplicate names the last counts
	sorted    bool   // members are written in the order of their names
	separator string // of members and items, when written
	colon     string
}

var (
	// Strict is the dialect of serde_json, which Rust programs use. Objects keep
	// duplicate names; the caller must reject them.
	Strict = &Dialect{depth: 127, end: "end of the text", sound: true, floats: true, sorted: true, separator: ",", colon: ":"}
	// Python is what json.loads reads and json.dumps(ensure_ascii=False) writes.
	// NaN, Infinity and halves of surrogate pairs are read and never written; of
	// duplicate names the last counts. Bytes that are not UTF-8, which are an error
	// in Python, become U+FFFD. The depth is half of Python's recursion limit of
	// 1000, of which the running program has used a part.
	Python = &Dialect{depth: 500, end: "end of the text", digits: 4300, nan: true, lastWins: true, separator: ", ", colon: ": "}
	// Plain is what encoding/json reads: RFC 8259, with bytes in strings that are
	// not UTF-8.
	Plain = &Dialect{depth: 10_000, end: "end of the file", separator: ",", colon: ":"}
	// Sound is Plain with strings that must be UTF-8 without halves of surrogate
	// pairs, so that rewriting them loses nothing.
	Sound = &Dialect{depth: 10_000, end: "end of the file", sound: true, separator: ",", colon: ":"}
)

// LastWins reports whether the last of duplicate names counts.
func (d *Dialect) LastWins() bool { return d.lastWins }

// Separator is written between members and between items.
func (d *Dialect) Separator() string { return d.separator }

// Colon is written after a name.
func (d *Dialect) Colon() string { return d.colon }

// Error is the place and the reason why a text is not JSON.
type Error struct {
	Offset int // of the problem, in bytes from 0
	Stop   int // of the byte that could not be read
	Text   string
	Torn   bool // the text only ends too early
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Text) }

// Member is a member of an object.
type Member struct {
	Name  string // without escapes
	Value string // its bytes, part of the text
	Odd   bool   // other readers of JSON would reject the value: it must be rewritten
}

// Object reads a text that is one object and nothing else.
func (d *Dialect) Object(src string) ([]Member, error) {
	s := d.Scan(src)
	members := s.members()
	return members, s.End()
}

// FirstObject reads the object at the start of a text. end is the offset after it.
func (d *Dialect) FirstObject(src string) (members []Member, end int, err error) {
	s := d.Scan(src)
	members = s.members()
	return members, s.at, s.Err()
}

// isObject fails unless the next value is an object.
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
		s.odd = false
		m.Value = s.Skip()
		m.Odd = s.odd
		if s.err == nil {
			list = append(list, m)
		}
	}
	if s.lastWins {
		return once(list)
	}
	return list
}

// once keeps the last member of each name, at the position of the first.
func once(members []Member) []Member {
	const few = 12 // up to here comparing all of them is faster than a map
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

// Check returns an error unless the text is one value and nothing else.
func (d *Dialect) Check(src string) error {
	s := d.Scan(src)
	s.Skip()
	return s.End()
}

// Get is the value of a member of an object, as Python reads it; "" if there is none
// or the text is not an object.
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

// What describes a value in messages: its type, or a number by its spelling.
func What(value string) string {
	value = strings.Trim(value, Blanks)
	if value == "" {
		return "empty"
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
