package words

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// passing and choosing are a word of each phrase that claims that tests pass, and of each that leaves a choice, in the
// languages with Latin letters besides English.
var (
	passing  = sync.OnceValue(func() map[string]bool { return longest("passes") })
	choosing = sync.OnceValue(func() map[string]bool { return longest("choice", "either", "option") })
)

// longest are the longest words of the phrases of some keys: few of them are also words of English.
func longest(keys ...string) map[string]bool {
	set := map[string]bool{}
	for _, l := range latinHeads.of {
		for _, key := range keys {
			for _, phrase := range l.List(key) {
				most := ""
				for w := range strings.FieldsFuncSeq(phrase, func(r rune) bool { return !letter(r) }) {
					if len(w) > len(most) {
						most = w
					}
				}
				set[most] = true
			}
		}
	}
	return set
}

// MayOffer is a fast check: whether a line may leave a choice in another language than English.
func MayOffer(line string) bool { return mayHave(choosing(), line) }

// mayHave reports whether a text has one of some folded words, or a letter that English has not. Nearly all sentences
// are in English, and to look in each for the phrases of five languages takes as long as all other rules.
func mayHave(set map[string]bool, text string) bool {
	var word [longestWord]byte
	n := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if low := c | 0x20; 'a' <= low && low <= 'z' {
			if n < len(word) {
				word[n] = low
			}
			n++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if 0xc0 <= r && r < 0x370 || 0x400 <= r && r < 0x530 || 0x1100 <= r && r < 0x1200 || 0x3041 <= r && r < 0x10000 {
				return true
			}
			i += size - 1
		}
		if n > 0 && n <= len(word) && set[string(word[:n])] {
			return true
		}
		n = 0
	}
	return n > 0 && n <= len(word) && set[string(word[:n])]
}
