package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The significant words of a text, and how many of their letters are compared:
// "deployed" and "deploys" are the same.
const (
	minWord = 4
	stem    = 5
)

// Stems returns the beginnings of the words of a text that have at least four letters or
// contain a digit.
func Stems(text string) map[string]bool {
	list := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if utf8.RuneCountInString(w) >= minWord || strings.ContainsFunc(w, unicode.IsDigit) {
			list[begin(w, stem)] = true
		}
	}
	return list
}

// begin is the first characters of a word.
func begin(w string, runes int) string {
	for i := range w {
		if runes == 0 {
			return w[:i]
		}
		runes--
	}
	return w
}

// Shared returns the share of some words that others contain; 0 for no words.
func Shared(of, others map[string]bool) float64 {
	n := 0
	for w := range of {
		if others[w] {
			n++
		}
	}
	return float64(n) / float64(max(1, len(of)))
}
