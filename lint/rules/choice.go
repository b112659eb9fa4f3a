package rules

import (
	"strings"

	"handoff/document/words"
)

// choiceIn returns the words with which a line in another language than English leaves a choice: "Variante B", 二选一,
// "soit … soit". It is "" if the line states one step; a plain "or" is no choice.
func choiceIn(line string) string {
	if !words.MayOffer(line) {
		return ""
	}
	folded := words.Fold(line)
	for l := range words.Others(folded) {
		text := l.Fold(folded)
		for _, phrase := range l.List("choice") {
			if l.Find(text, phrase) >= 0 {
				return phrase
			}
		}
		for _, pair := range l.List("either") {
			first, second, _ := strings.Cut(pair, "…")
			first, second = strings.TrimSpace(first), strings.TrimSpace(second)
			at := l.Find(text, first)
			if at >= 0 && opensClause(l, text[:at]) && (second == "" || l.Find(clause(text[at+len(first):]), second) >= 0) {
				return strings.TrimSpace(first + " … " + second)
			}
		}
		if option := lettered(l, line, text); option != "" {
			return option
		}
	}
	return ""
}

// opensClause reports whether what follows a text begins a sentence or a part of one.
func opensClause(l *words.Language, before string) bool {
	before = strings.TrimRight(before, " *_-")
	return !l.Spaced || before == "" || strings.IndexByte(".:;!?,(", before[len(before)-1]) >= 0
}

// clause is a text up to the end of its first sentence.
func clause(text string) string {
	for _, end := range [...]string{". ", "。", "? ", "! "} {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}

// optionNames are what options are called. In lower case, several are words: "la opción a la lista".
const optionNames = "ABCD123АБВГ一二三가나①②"

// lettered returns an option with its letter or number, such as "Variante B".
func lettered(l *words.Language, line, folded string) string {
	if !l.Spaced {
		for _, word := range l.List("option") {
			if at := strings.Index(folded, word); at >= 0 && lettersAt(strings.ToUpper(folded[at+len(word):])) {
				return word
			}
		}
		return ""
	}
	last := ""
	for word := range strings.FieldsSeq(line) {
		if l.Has("option", words.Fold(strings.Trim(last, "*_([\"'„«"))) && lettersAt(strings.Trim(word, "*_\"'„«")) {
			return last + " " + word
		}
		last = word
	}
	return ""
}

// lettersAt reports whether a text begins with one of optionNames, and does not go on with its word.
func lettersAt(text string) bool {
	for _, r := range optionNames {
		if rest, ok := strings.CutPrefix(text, string(r)); ok {
			return rest == "" || strings.IndexByte(":.,;)*/?! ", rest[0]) >= 0 || r < 0x80 && rest[0] >= 0x80
		}
	}
	return false
}
