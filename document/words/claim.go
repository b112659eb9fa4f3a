package words

import (
	"strings"
	"unicode"
)

// nearVerdict is how many words may be between what passes and the verdict.
const nearVerdict = 6

// MayState reports whether a text may state in another language than English how the work is. That is fast, and false for most texts.
func MayState(text string) bool { return mayHave(stating(), text) }

// OtherPassing reports whether a sentence in another language than English states that tests or a build pass. A wish
// or a condition does not, nor that some fail.
func OtherPassing(sentence string) bool {
	folded := Fold(sentence)
	for l := range Others(folded) {
		if l.passing(folded) {
			return true
		}
	}
	return false
}

func (l *Language) passing(sentence string) bool {
	text, phrase := l.without("passes", l.Fold(sentence))
	if l.anyIn("fails", text) {
		return false
	}
	if !l.Spaced {
		return phrase && l.anyIn("tests", text) && !l.anyIn("wish", text)
	}
	subject, verdict, n := -1, -1, 0
	for word := range strings.FieldsFuncSeq(text, notWord) {
		switch {
		case l.Has("wish", word):
			return false
		case l.Has("tests", word), l.compound(word):
			subject = n
		case l.Has("passes", word):
			verdict = n
		}
		n++
	}
	return subject >= 0 && (phrase || verdict >= 0 && max(subject-verdict, verdict-subject) <= nearVerdict)
}

// compound reports whether a word ends as what checks does in a language that joins words: "Laborsuite".
func (l *Language) compound(word string) bool {
	for _, end := range l.List("compounds") {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return false
}

// without is a folded text without the phrases of a key; single words stay where blanks are between words. found says that it had one.
func (l *Language) without(key, text string) (rest string, found bool) {
	for _, phrase := range l.List(key) {
		if l.Spaced && !strings.Contains(phrase, " ") {
			continue
		}
		for at := l.inside(text, phrase); at >= 0; at = l.inside(text, phrase) {
			text, found = text[:at]+" "+text[at+len(phrase):], true
		}
	}
	return text, found
}

// Said cuts a text after the first phrase of a key that it has. rest is the text without that phrase, ok is false if it has none.
func (l *Language) Said(key, text string) (rest, after string, ok bool) {
	for _, phrase := range l.List(key) {
		if at := l.inside(text, phrase); at >= 0 {
			after = text[at+len(phrase):]
			return text[:at] + " " + after, after, true
		}
	}
	return "", "", false
}

// Wishes reports whether a folded text has a word that makes it a wish, a condition or its contrary.
func (l *Language) Wishes(text string) bool {
	if !l.Spaced {
		return l.anyIn("wish", text)
	}
	for word := range strings.FieldsFuncSeq(text, notWord) {
		if l.Has("wish", word) {
			return true
		}
	}
	return false
}

func notWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' }

// anyIn reports whether a text without blanks contains a word of a key.
func (l *Language) anyIn(key, text string) bool {
	for _, w := range l.List(key) {
		if l.inside(text, w) >= 0 {
			return true
		}
	}
	return false
}

// inside is [Language.Find], and finds words of ASCII only as whole ones where no blanks are between words.
func (l *Language) inside(text, w string) int {
	if l.Spaced {
		return l.Find(text, w)
	}
	for at := 0; ; {
		i := strings.Index(text[at:], w)
		if i < 0 {
			return -1
		}
		if i += at; !ascii(w) || (i == 0 || !asciiWord(text[i-1])) && (i+len(w) == len(text) || !asciiWord(text[i+len(w)])) {
			return i
		}
		at = i + len(w)
	}
}

func asciiWord(c byte) bool { return c < 0x80 && wordByte(c) }

// Criteria reports whether what is below a heading or after a label is still to be shown: "Definition of done", "Goal".
func Criteria(heading string) bool {
	if len(heading) > 4*longestHeading {
		return false
	}
	if English.criteria(strings.TrimPrefix(start(heading), "the ")) {
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
