package jsontext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// number reads the next value, which begins like a number.
func (s *Scanner) number() {
	start := s.at
	if s.peek() == '-' {
		s.at++
		if s.nan && s.infinity() {
			return
		}
	}
	whole := 1
	if s.peek() == '0' {
		s.at++
	} else if whole = s.run(); whole == 0 {
		s.wants("a digit")
		return
	}
	float := false
	if s.peek() == '.' {
		s.at++
		float = true
		if s.run() == 0 {
			s.wants("a digit after the decimal point")
			return
		}
	}
	exponent := s.peek()|0x20 == 'e'
	if exponent {
		s.at++
		if c := s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if s.run() == 0 {
			s.wants("a digit in the exponent")
			return
		}
	}
	switch {
	case s.digits > 0 && whole > s.digits && !float && !exponent:
		s.stop(start, start, fmt.Sprintf("a whole number of %d digits", whole))
	case s.floats && (exponent || s.at-start >= 300):
		if f, _ := strconv.ParseFloat(s.src[start:s.at], 64); math.IsInf(f, 0) {
			s.stop(start, start, "the number is out of range")
		}
	}
}

// infinity reads the rest of Python's -Infinity, or the beginning of it.
func (s *Scanner) infinity() bool {
	rest := s.src[s.at:]
	switch {
	case strings.HasPrefix(rest, "Infinity"):
		s.at += len("Infinity")
		s.odd = true
	case strings.HasPrefix("Infinity", rest):
		s.stop(s.at, len(s.src), s.found()+": want a digit")
	default:
		return false
	}
	return true
}

// run reads digits and returns how many there are.
func (s *Scanner) run() int {
	start := s.at
	for s.at < len(s.src) && isDigit(s.src[s.at]) {
		s.at++
	}
	return s.at - start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Uint is a number in plain digits: not 1.0, 1e3 or -0, which serde_json reads
// as floats.
func Uint(value string, bits int) (uint64, bool) {
	n, err := strconv.ParseUint(value, 10, bits)
	return n, err == nil && isDigit(value[0])
}
