package words

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// states are the keys of what a sentence states of the work in another language than English.
var states = [...]string{"passes", "merged", "unmerged", "pushed", "deployed", "closed", "renamed", "deleted", "absent", "defined", "holds", "works", "by_hand", "owner"}

// stating and choosing are a word of each phrase that states how the work is, and of each that leaves a choice, in the
// languages with Latin letters besides English.
var (
	stating  = sync.OnceValue(func() *set { return longest(states[:]...) })
	choosing = sync.OnceValue(func() *set { return longest("choice", "either", "option") })
)

// longest are the longest words of the phrases of some keys: few of them are also words of English.
func longest(keys ...string) *set {
	found := &set{}
	for _, l := range latinHeads.of {
		for _, key := range keys {
			for _, phrase := range l.List(key) {
				most := ""
				for w := range strings.FieldsFuncSeq(phrase, func(r rune) bool { return !letter(r) }) {
					if len(w) > len(most) {
						most = w
					}
				}
				found.add(most)
			}
		}
	}
	return found
}

// MayOffer is a fast check: whether a line may leave a choice in another language than English.
func MayOffer(line string) bool { return mayHave(choosing(), line) }

// mayHave reports whether a text has one of some folded words, or a letter that English has not. Nearly all sentences
// are in English, and to look in each for the phrases of five languages takes as long as all other rules.
func mayHave(rare *set, text string) bool {
	start := 0 // of the current word
	for i := 0; i < len(text); i++ {
		c := text[i]
		if low := c | 0x20; 'a' <= low && low <= 'z' {
			continue
		}
		if rare.has(text[start:i]) {
			return true
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			if 0xc0 <= r && r < 0x370 && !arithmetic(r) || 0x400 <= r && r < 0x530 || 0x1100 <= r && r < 0x1200 || 0x3041 <= r && r < 0x10000 {
				return true
			}
			i += size - 1
		}
		start = i + 1
	}
	return rare.has(text[start:])
}

// arithmetic reports whether a character between the Latin letters is a sign of arithmetic.
func arithmetic(r rune) bool { return r == '×' || r == '÷' }
