// Package pyjson reads JSON as Python's json.loads does, and writes it as its
// json.dumps(ensure_ascii=False): so that what Python programs have written can
// be read, and what is written here cannot be told from theirs.
//
// Python takes more than JSON: NaN and Infinity, halves of surrogate pairs, a
// name twice in an object, of which the last counts. All of it is read, and
// none of it is written: see [AppendValue]. Bytes that are not UTF-8, at which
// Python gives up the whole file, are read as U+FFFD.
package pyjson

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// MaxDepth is how deep arrays and objects may be nested. Python gives up
	// at its recursion limit, 1000 less what its program has used of it.
	MaxDepth = 500
	// maxDigits is the longest whole number that Python reads.
	maxDigits = 4300
)

// Error says where and why a text is not the JSON that was wanted.
type Error struct {
	Offset int // bytes, from 0
	Text   string
	Torn   bool // nothing is wrong but that it ends too soon
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.Offset+1, e.Text) }

// Member is a member of an object.
type Member struct {
	Name  string
	Value string // its bytes, part of the text that was read
	// Odd: the value is not what other readers of JSON would take as it is,
	// and has to be written anew.
	Odd bool
}

// Object reads the object that the text begins with, and tells where it ends.
// Members come in the order of the text; of a name that stands there twice the
// last, in the place of the first.
func Object(src string) (members []Member, end int, err error) {
	s := &scanner{src: src}
	s.space()
	if s.peek() != '{' {
		return nil, 0, s.unexpected("an object")
	}
	members = make([]Member, 0, 8)
	err = s.object(0, func(m Member) { members = append(members, m) })
	return once(members), s.at, err
}

// Members reads a text that is one object and nothing else.
func Members(src string) ([]Member, error) {
	members, end, err := Object(src)
	if err == nil && strings.Trim(src[end:], blanks) != "" {
		err = &Error{Offset: end, Text: "more behind the end of the object"}
	}
	return members, err
}

// Get is the value of a member of an object; "" where there is none, or no
// object.
func Get(object []byte, name string) string {
	members, err := Members(string(object))
	if err == nil {
		for _, m := range members {
			if m.Name == name {
				return m.Value
			}
		}
	}
	return ""
}

// once keeps the last member of each name.
func once(members []Member) []Member {
	const few = 12 // to compare them all is quicker than a map
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

// Array reads a text that is one array.
func Array(src string) (items []string, err error) {
	s := &scanner{src: src}
	s.space()
	if s.peek() != '[' {
		return nil, s.unexpected("an array")
	}
	err = s.array(0, func(value string) { items = append(items, value) })
	return items, s.end(err)
}

// Check tells whether a text is one value.
func Check(src string) error {
	s := &scanner{src: src}
	s.space()
	return s.end(s.value(0))
}

const blanks = " \t\r\n"

// scanner walks over a text; at is the byte it looks at.
type scanner struct {
	src string
	at  int
	odd bool // something was read that JSON has not
}

func (s *scanner) fail(text string) error {
	return &Error{Offset: s.at, Text: text, Torn: s.at >= len(s.src)}
}

func (s *scanner) unexpected(want string) error {
	if s.at >= len(s.src) {
		return s.fail("ends, want " + want)
	}
	r, _ := utf8.DecodeRuneInString(s.src[s.at:])
	return s.fail(fmt.Sprintf("%q, want %s", r, want))
}

// peek is the byte at hand, 0 at the end; a zero byte is nowhere legal.
func (s *scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

func (s *scanner) space() {
	for s.at < len(s.src) && isBlank(s.src[s.at]) {
		s.at++
	}
}

func isBlank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (s *scanner) end(err error) error {
	if err != nil {
		return err
	}
	if s.space(); s.at < len(s.src) {
		return &Error{Offset: s.at, Text: "more behind the end of the value"}
	}
	return nil
}

func (s *scanner) value(depth int) error {
	switch c := s.peek(); {
	case c == '{':
		return s.object(depth, nil)
	case c == '[':
		return s.array(depth, nil)
	case c == '"':
		return s.text()
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	for _, word := range [...]string{"null", "true", "false", "NaN", "Infinity"} {
		if strings.HasPrefix(s.src[s.at:], word) {
			s.at += len(word)
			s.odd = s.odd || word[0] < 'a'
			return nil
		}
		if rest := s.src[s.at:]; rest != "" && strings.HasPrefix(word, rest) {
			s.at = len(s.src)
			break
		}
	}
	return s.unexpected("a value")
}

func (s *scanner) object(depth int, each func(Member)) error {
	if depth >= MaxDepth {
		return &Error{Offset: s.at, Text: fmt.Sprintf("nested deeper than %d", MaxDepth)}
	}
	s.at++
	if s.space(); s.peek() == '}' {
		s.at++
		return nil
	}
	for {
		if err := s.member(depth, each); err != nil {
			return err
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case '}':
			s.at++
			return nil
		default:
			return s.unexpected("a comma or the end of the object")
		}
	}
}

func (s *scanner) member(depth int, each func(Member)) error {
	if s.peek() != '"' {
		return s.unexpected("a name in quotes")
	}
	was := s.odd
	start := s.at
	if err := s.text(); err != nil {
		return err
	}
	name := s.src[start:s.at]
	if s.space(); s.peek() != ':' {
		return s.unexpected("a colon")
	}
	s.at++
	s.space()
	nameOdd := s.odd
	s.odd = false
	start = s.at
	if err := s.value(depth + 1); err != nil {
		return err
	}
	if each != nil {
		each(Member{Text(name), s.src[start:s.at], s.odd})
	}
	s.odd = was || nameOdd || s.odd
	return nil
}

func (s *scanner) array(depth int, each func(value string)) error {
	if depth >= MaxDepth {
		return &Error{Offset: s.at, Text: fmt.Sprintf("nested deeper than %d", MaxDepth)}
	}
	s.at++
	if s.space(); s.peek() == ']' {
		s.at++
		return nil
	}
	for {
		start := s.at
		if err := s.value(depth + 1); err != nil {
			return err
		}
		if each != nil {
			each(s.src[start:s.at])
		}
		s.space()
		switch s.peek() {
		case ',':
			s.at++
			s.space()
		case ']':
			s.at++
			return nil
		default:
			return s.unexpected("a comma or the end of the array")
		}
	}
}

func (s *scanner) number() error {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	if strings.HasPrefix(s.src[s.at:], "Infinity") {
		s.at += len("Infinity")
		s.odd = true
		return nil
	}
	whole := s.digits()
	switch {
	case whole == 0:
		s.torn("Infinity")
		return s.unexpected("a digit")
	case whole > 1 && s.src[s.at-whole] == '0':
		s.at -= whole - 1
		return s.unexpected("no digit after 0")
	}
	float := false
	if s.peek() == '.' {
		s.at++
		if float = true; s.digits() == 0 {
			return s.unexpected("a digit")
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if float = true; s.digits() == 0 {
			return s.unexpected("a digit")
		}
	}
	if !float && whole > maxDigits {
		return &Error{Offset: start, Text: fmt.Sprintf("a whole number of %d digits", whole)}
	}
	return nil
}

// torn goes to the end if what is left is the beginning of a word.
func (s *scanner) torn(word string) {
	if strings.HasPrefix(word, s.src[s.at:]) {
		s.at = len(s.src)
	}
}

func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.src) && '0' <= s.src[s.at] && s.src[s.at] <= '9' {
		s.at++
	}
	return s.at - start
}
