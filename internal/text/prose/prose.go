// Package prose finds code spans, words and paths in sentences of people and agents.
// It reads single lines and does not check whether the paths exist.
package prose

import (
	"strings"
	"unicode/utf8"
)

// AfterCode is the offset after the code span that opens with the backtick at s[i], or
// after its backticks if nothing closes it. More than 16 backticks open no span: a
// text with many such runs would take quadratic time.
func AfterCode(s string, i int) int {
	const most = 16
	run := 0
	for i+run < len(s) && s[i+run] == '`' {
		run++
	}
	if run > most {
		return i + run
	}
	for at := i + run; at < len(s); {
		next := strings.IndexByte(s[at:], '`')
		if next < 0 {
			break
		}
		at += next
		end := at
		for end < len(s) && s[end] == '`' {
			end++
		}
		if end-at == run {
			return end
		}
		at = end
	}
	return i + run
}

// WordByte reports whether a byte is part of a word: an ASCII letter or digit, an
// underscore, or a byte of a character outside ASCII.
func WordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c >= utf8.RuneSelf
}

// DigitAt reports whether s[i] exists and is an ASCII digit.
func DigitAt(s string, i int) bool { return i < len(s) && '0' <= s[i] && s[i] <= '9' }
