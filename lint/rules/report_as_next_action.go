package rules

import (
	"strings"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// reportAsNextAction flags a next action that reports a state instead of a
// step.
func reportAsNextAction(p *lint.Pass) {
	s := p.Doc.Section(handoff.NextAction)
	if s == nil {
		return
	}
	line, text := opening(p, s)
	if n := reportOpening(text); n > 0 {
		p.At(handoff.Lines{First: line, Last: line}, "next action opens as a report (%q): say the one thing to do, with a verb first", excerpt(text[:n]))
	}
}

// reportOpening is the length of the opening that makes a text a report, 0 if
// it is not one.
func reportOpening(text string) int {
	switch {
	case startsFold(text, "the "):
		if word, _ := nextWord(text[len("the "):]); !taskWord(word) {
			return len("the ") + len(word)
		}
	case startsFold(text, "all "):
		return doneIn(text, "all ")
	case startsAny(text, "this ", "everything "):
		return doneIn(text, text[:strings.IndexByte(text, ' ')+1])
	case startsAny(text, "phase ", "phases ", "task ", "tasks "):
		return phaseOpening(text)
	}
	for _, w := range words.English.List("opening") {
		if startsFold(text, w) {
			return len(w)
		}
	}
	return 0
}

// taskWord recognizes the words after "The" that begin a step: "The next step
// is to …".
func taskWord(word string) bool {
	return startsAny(word, words.English.List("stepped")...)
}

// doneIn is the length of the opening up to a word such as "complete", in the
// first sentence after prefix; 0 if there is none.
func doneIn(text, prefix string) int {
	if stop := strings.Index(text, ". "); stop >= 0 {
		text = text[:stop]
	}
	for at := len(prefix); at < len(text); {
		word, rest := nextWord(text[at:])
		at = len(text) - len(rest)
		if closingWord(prose.Trim(word, ".,;:!?()[]*")) {
			return at
		}
	}
	return 0
}

func closingWord(word string) bool {
	return words.English.Has("closing", word)
}

// phaseOpening reads "Phase 3 complete", "Phases 1-3 (parsing) are done",
// "Phase 7 (…) and Phase 8 remain". "Phase 4: port x" is a step.
func phaseOpening(text string) int {
	depth := 0
	for at := 0; at < len(text); {
		word, rest := nextWord(text[at:])
		at = len(text) - len(rest)
		depth += strings.Count(word, "(") - strings.Count(word, ")")
		bare := prose.Trim(word, ".,;:()[]*")
		switch {
		case depth > 0 || strings.HasSuffix(word, ")") || namesPhases(bare):
		case closingWord(bare) || stateWord(bare):
			return at
		default:
			return 0
		}
	}
	return 0
}

// namesPhases reports whether a word is a list of phases.
func namesPhases(word string) bool {
	if word == "" || prose.DigitAt(word, 0) || len(word) == 1 || word == "–" || word == "—" {
		return true
	}
	return words.English.Has("phased", word)
}

func stateWord(word string) bool {
	return words.English.Has("stated", word)
}
