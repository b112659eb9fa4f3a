package words

import (
	"strings"
)

// StartPrompt reports whether a heading is above a text to start a session with: "Kickoff prompt".
func StartPrompt(heading string) bool {
	if len(heading) > 4*longestHeading {
		return false
	}
	name := Fold(heading)
	if English.anyPhrase("prompt", name) {
		return true
	}
	for l := range Others(name) {
		if l.anyPhrase("prompt", l.Fold(name)) {
			return true
		}
	}
	return false
}

func (l *Language) anyPhrase(key, text string) bool {
	for _, w := range l.List(key) {
		if l.Find(text, w) >= 0 {
			return true
		}
	}
	return false
}

// longestPrompt is how many bytes of a prompt are read. A longer one has a step.
const longestPrompt = 2000

// OnlyStarts reports whether a prompt names no step: each of its clauses says what to read and to keep in mind, or to
// go on, and none what to do.
func OnlyStarts(prompt string) bool {
	if len(prompt) > longestPrompt {
		return false
	}
	some := false
	for line := range strings.Lines(prompt) {
		line = strings.TrimLeft(strings.TrimSuffix(Fold(line), "\n"), " \t>#*-0123456789.")
		if strings.HasPrefix(line, "```") || strings.HasSuffix(line, ":") { // what is below it says more
			continue
		}
		for clause := range clauses(line) {
			if some = true; !starts(clause) {
				return false
			}
		}
	}
	return some
}

// clauses yields the parts of a folded line that may each say something else.
func clauses(line string) func(yield func(string) bool) {
	line = clauseEnds.Replace(line)
	return func(yield func(string) bool) {
		for clause := range strings.SplitSeq(line, "\n") {
			if clause = strings.TrimSuffix(strings.Trim(clause, " \t.,:;!?\"'*_()"), " first"); clause != "" && !yield(clause) {
				return
			}
		}
	}
}

var clauseEnds = strings.NewReplacer(". ", "\n", ",", "\n", ";", "\n", ": ", "\n", "! ", "\n", " - ", "\n", " and ", "\n", " then ", "\n", "。", "\n", "、", "\n")

// starts reports whether a clause names no step: it prepares, is the name of a document, or has only words for any work.
func starts(clause string) bool {
	if strings.HasSuffix(strings.Trim(clause, "`*"), ".md") && !strings.Contains(clause, " ") {
		return true
	}
	code := strings.Contains(clause, "`") // that is something to act on
	if English.orients(clause) || !code && English.anyWork(clause) {
		return true
	}
	for l := range Others(clause) {
		if text := l.Fold(clause); l.orients(text) || !code && l.vague(text) {
			return true
		}
	}
	return false
}

// anyWork reports whether each word of a clause means any work, or is what a number of work is called: "the next task".
func (l *Language) anyWork(clause string) bool {
	for word := range strings.FieldsFuncSeq(clause, notWord) {
		if !l.Has("vague", word) && !l.Has("counted", word) {
			return false
		}
	}
	return true
}

// orients reports whether a clause begins with a word that only prepares; without blanks between words, whether it has one.
func (l *Language) orients(clause string) bool {
	for _, w := range l.List("orient") {
		at := l.Find(clause, w)
		if at == 0 || at > 0 && (!l.Spaced || l.fillers(clause[:at])) {
			return true
		}
	}
	return false
}

// fillers reports whether a text is a few words before an order: "then please".
func (l *Language) fillers(text string) bool {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if n++; n > 2 || !l.Has("vague", word) {
			return false
		}
	}
	return true
}
