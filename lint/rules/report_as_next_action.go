package rules

import (
	"strings"

	"handoff"
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
		p.At(handoff.Lines{First: line, Last: line}, "next action opens as a report (%q): say the one thing to do, with a verb first", short(text[:n]))
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
	for _, w := range [...]string{"none", "nothing", "n/a", "no further", "no remaining", "done", "implementation is", "implementation complete", "work is", "work complete", "finished"} {
		if startsFold(text, w) {
			return len(w)
		}
	}
	return 0
}

// taskWord recognizes the words after "The" that begin a step: "The next step
// is to …".
func taskWord(word string) bool {
	return startsAny(word, "next", "first", "immediate", "single", "one")
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
	return prose.OneOf(word, "complete", "completed", "done", "finished", "final", "passed", "passing", "closed", "merged")
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
	return prose.OneOf(word, "phase", "phases", "task", "tasks", "and", "to", "through")
}

func stateWord(word string) bool {
	return prose.OneOf(word, "is", "are", "was", "were", "has", "have", "can", "remain", "remains", "blocked", "partial")
}
