package words

import (
	"strings"
	"unicode/utf8"
)

// Created returns how well a folded label names the time at which a text was written, the best 0: "Timestamp" before
// "Paused". ok is false for another label.
func Created(label string) (rank int, ok bool) {
	for i, w := range English.List("created") {
		if w == label {
			return i, true
		}
	}
	return len(English.List("created")), has("created", label)
}

// Updated reports whether a folded label names the time at which a text was changed last: "Last updated", 最終更新.
func Updated(label string) bool { return English.Has("updated", label) || has("updated", label) }

// has reports whether another language than English has a folded word for a key.
func has(key, word string) bool {
	if scripts(word) == latin {
		return latinWords(key).has(Fold(word))
	}
	for l := range Others(word) {
		if l.Has(key, l.Fold(word)) {
			return true
		}
	}
	return false
}

// Month returns the number of the month that a word names, whole or by at least its first three letters; 0 for another word.
func Month(word string) int {
	if utf8.RuneCountInString(word) < 3 || len(word) > longestWord {
		return 0
	}
	word = Fold(word)
	if m := English.month(word); m > 0 {
		return m
	}
	for l := range Others(word) {
		if m := l.month(word); m > 0 {
			return m
		}
	}
	return 0
}

func (l *Language) month(word string) int {
	for i, name := range l.List("months") {
		if strings.HasPrefix(name, word) {
			return i%12 + 1
		}
	}
	return 0
}
