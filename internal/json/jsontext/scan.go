package jsontext

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Blanks is the whitespace of JSON.
const Blanks = " \t\r\n"

// Scanner steps over a text from value to value:
//
//	for end := s.Open(); s.More(end); {
//		name := s.Name() // in objects only
//		value := s.Skip()
//	}
//
// After the first error there is nothing more to read, so every loop ends.
type Scanner struct {
	*Dialect
	src   string
	at    int
	level int  // of the container that is open
	first bool // its bracket was just read
	odd   bool // something was read that not all readers of JSON accept
	err   *Error
}

// Scan begins at the first value of a text.
func (d *Dialect) Scan(src string) Scanner {
	s := Scanner{Dialect: d, src: src}
	s.space()
	return s
}

// At is the offset of the next value or name.
func (s *Scanner) At() int { return s.at }

// Kind is the kind of the next value, 0 if there is none.
func (s *Scanner) Kind() Kind {
	switch c := s.peek(); {
	case c == '{':
		return KindObject
	case c == '[':
		return KindArray
	case c == '"':
		return KindString
	case c == '-' || isDigit(c):
		return KindNumber
	case c == 't' || c == 'f':
		return KindBool
	case c == 'n':
		return KindNull
	}
	return 0
}

// Err is the first error, an [*Error].
func (s *Scanner) Err() error {
	if s.err == nil {
		return nil
	}
	return s.err
}

// End returns Err; text after the value is an error as well.
func (s *Scanner) End() error {
	if s.space(); s.at < len(s.src) {
		s.fail(s.at, s.found()+" after the end of the value")
	}
	return s.Err()
}

// fail ends the scan with an error that is noticed at the next byte.
func (s *Scanner) fail(offset int, text string) { s.stop(offset, s.at, text) }

// stop ends the scan: nothing is left to read.
func (s *Scanner) stop(offset, stop int, text string) {
	if s.err == nil {
		s.err = &Error{offset, stop, text, stop >= len(s.src)}
	}
	s.at = len(s.src)
}

// wants fails with the text that is here and what was expected instead.
func (s *Scanner) wants(what string) { s.fail(s.at, s.found()+": want "+what) }

// found describes the next character for messages.
func (s *Scanner) found() string {
	if s.at == len(s.src) {
		return s.end
	}
	if rest := s.src[s.at:]; strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") {
		return "a comment, which JSON does not allow"
	}
	r, size := utf8.DecodeRuneInString(s.src[s.at:])
	if r == utf8.RuneError && size == 1 {
		return fmt.Sprintf("byte 0x%02x", s.src[s.at])
	}
	return strconv.QuoteRune(r)
}

// peek is the next byte, 0 at the end: valid JSON has no byte 0.
func (s *Scanner) peek() byte {
	if s.at < len(s.src) {
		return s.src[s.at]
	}
	return 0
}

func (s *Scanner) space() {
	for s.at < len(s.src) {
		switch s.src[s.at] {
		case ' ', '\n', '\t', '\r':
			s.at++
		default:
			return
		}
	}
}

// Open steps into the next value, an object or array. end is the bracket that
// closes it, for [Scanner.More].
func (s *Scanner) Open() (end byte) {
	end = s.peek() + 2 // of [ and {
	if s.level++; s.level > s.depth {
		s.fail(s.at, fmt.Sprintf("nested more than %d deep", s.depth))
	}
	s.at = min(s.at+1, len(s.src))
	s.first = true
	return end
}

// More steps to the next member or item. If there is none it steps out of the object
// or array and returns false.
func (s *Scanner) More(end byte) bool {
	first := s.first
	s.first = false
	s.space()
	switch c := s.peek(); {
	case c == end:
		s.at++
		s.level--
		return false
	case first:
	case c != ',':
		s.wants("',' or '" + string(rune(end)) + "'")
	default:
		s.at++
		if s.space(); s.peek() == '}' || s.peek() == ']' {
			s.fail(s.at, "a comma before the closing bracket: remove it")
		}
	}
	return s.err == nil
}

// Name reads the name of a member and steps to its value.
func (s *Scanner) Name() string { return Text(s.name()) }

func (s *Scanner) name() (literal string) {
	if s.peek() != '"' {
		s.wants("a key in double quotes")
		return ""
	}
	literal = s.text()
	if s.space(); s.peek() != ':' {
		s.wants("':' after the key")
		return ""
	}
	s.at++
	s.space()
	return literal
}

// Skip reads the next value and returns its bytes.
func (s *Scanner) Skip() string {
	start := s.at
	switch c := s.peek(); {
	case c == '"':
		return s.text()
	case c == '{':
		for end := s.Open(); s.More(end); {
			s.name()
			s.Skip()
		}
	case c == '[':
		for end := s.Open(); s.More(end); {
			s.Skip()
		}
	case c == '-' || isDigit(c):
		s.number()
	default:
		s.word()
	}
	return s.src[start:s.at]
}

func (s *Scanner) word() {
	rest := s.src[s.at:]
	words := [...]string{"null", "true", "false", "NaN", "Infinity"}
	known := words[:]
	if !s.nan {
		known = words[:3]
	}
	stop := s.at
	for _, word := range known {
		if strings.HasPrefix(rest, word) {
			s.at += len(word)
			s.odd = s.odd || word[0] < 'a'
			return
		}
		if strings.HasPrefix(word, rest) {
			stop = len(s.src)
		}
	}
	s.stop(s.at, stop, s.found()+": want a value")
}
