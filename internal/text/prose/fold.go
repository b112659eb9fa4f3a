package prose

import "strings"

// IndexFold is strings.Index for a short part, ignoring case; -1 if s does not contain it.
func IndexFold(s, part string) int {
	for i := 0; i+len(part) <= len(s); i++ {
		differs := part != "" && s[i] < 0x80 && part[0] < 0x80 && s[i]|0x20 != part[0]|0x20 // as in most places
		if !differs && strings.EqualFold(s[i:i+len(part)], part) {
			return i
		}
	}
	return -1
}

// OneOf reports whether the word is one of the words, ignoring case. It allocates nothing.
func OneOf(word string, words ...string) bool {
	for _, w := range words {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}
