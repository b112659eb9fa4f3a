package words

import (
	"strings"
	"unicode"
)

// nearVerdict is how many words may be between what passes and the verdict.
const nearVerdict = 6

// MayPass reports whether a sentence of a text may be one for which [OtherPassing] is true. That is fast, and false for most texts.
func MayPass(text string) bool { return mayHave(passing(), text) }

// OtherPassing reports whether a sentence in another language than English states that tests or a build pass. A wish
// or a condition does not.
func OtherPassing(sentence string) bool {
	if !MayPass(sentence) {
		return false
	}
	for l := range Others(sentence) {
		if l.passing(Fold(sentence)) {
			return true
		}
	}
	return false
}

func (l *Language) passing(sentence string) bool {
	if !l.Spaced {
		text := l.Fold(sentence)
		return l.anyIn("tests", text) && l.anyIn("passes", text) && !l.anyIn("wish", text)
	}
	subject, verdict, n := -1, -1, 0
	for word := range strings.FieldsFuncSeq(sentence, notWord) {
		switch {
		case l.Has("wish", word):
			return false
		case l.Has("tests", word):
			subject = n
		case l.Has("passes", word):
			verdict = n
		}
		n++
	}
	if subject < 0 {
		return false
	}
	if verdict >= 0 {
		return max(subject-verdict, verdict-subject) <= nearVerdict
	}
	for _, phrase := range l.List("passes") {
		if strings.Contains(phrase, " ") && l.Find(sentence, phrase) >= 0 {
			return true
		}
	}
	return false
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }

// anyIn reports whether a text without blanks contains a word of a key.
func (l *Language) anyIn(key, text string) bool {
	for _, w := range l.List(key) {
		if i := strings.Index(text, w); i >= 0 && (!ascii(w) || (i == 0 || !asciiWord(text[i-1])) && (i+len(w) == len(text) || !asciiWord(text[i+len(w)]))) {
			return true
		}
	}
	return false
}

func asciiWord(c byte) bool { return c < 0x80 && wordByte(c) }

// Criteria reports whether what is below a heading or after a label is still to be shown: "Definition of done", "Goal".
func Criteria(heading string) bool {
	if len(heading) > 4*longestHeading {
		return false
	}
	if English.criteria(start(heading)) {
		return true
	}
	for name := range names(heading) {
		for l := range Others(name) {
			if l.criteria(l.Fold(name)) {
				return true
			}
		}
	}
	return false
}

func (l *Language) criteria(name string) bool {
	for _, w := range l.List("criteria") {
		if at := l.Find(name, w); at == 0 || at > 0 && (strings.Contains(w, " ") || !l.Spaced && len(w) > len("目标")) {
			return true
		}
	}
	return false
}

// Reason reports whether a text in another language than English has a word that can begin a reason.
func Reason(text string) bool {
	folded := Fold(text)
	for l := range Others(folded) {
		for _, w := range l.List("reason") {
			if at := l.Find(l.Fold(folded), w); at > 0 {
				return true
			}
		}
	}
	return false
}

// Over reports whether a text in another language than English says that nothing is left to do.
func Over(text string) bool {
	folded := Fold(text)
	for l := range Others(folded) {
		for _, w := range l.List("over") {
			if l.Find(l.Fold(folded), w) >= 0 {
				return true
			}
		}
	}
	return false
}

// Vague reports whether a text in another language than English is only words that stand for any work: 作業を続ける,
// "Weiter mit der Arbeit". It has at least one.
func Vague(text string) bool {
	folded := Fold(text)
	for l := range Others(folded) {
		if l.vague(folded) {
			return true
		}
	}
	return false
}

func (l *Language) vague(text string) bool {
	if l.Spaced {
		n := 0
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if !l.Has("vague", word) {
				return false
			}
			n++
		}
		return n > 0
	}
	rest := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return r
	}, l.Fold(text))
	return rest != "" && l.covered(rest)
}

// covered reports whether a text without blanks is made of vague words, the longest at each place first.
func (l *Language) covered(text string) bool {
	for text != "" {
		longest := 0
		for _, w := range l.List("vague") {
			if len(w) > longest && strings.HasPrefix(text, w) {
				longest = len(w)
			}
		}
		if longest == 0 {
			return false
		}
		text = text[longest:]
	}
	return true
}

// NoContent reports whether a text in another language than English stands for no content, and whether it is an answer
// in a list: なし, "keine".
func NoContent(text string) (excuse, none bool) {
	folded := Bare(Fold(text))
	for l := range Others(folded) {
		word := l.Fold(folded)
		excuse, none = excuse || l.Has("excuse", word), none || l.Has("none", word)
	}
	return excuse, none
}

// IsNone reports whether a text only says that there is nothing: "None yet.", "なし".
func IsNone(text string) bool {
	if len(text) > 4*longestHeading {
		return false
	}
	if English.Has("none", Bare(Fold(text))) {
		return true
	}
	_, none := NoContent(text)
	return none
}
