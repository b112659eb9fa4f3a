package rules

import (
	"strings"

	"handoff"
	"handoff/lint"
)

// MissingNextStep flags a report on a finished phase that does not say what
// comes next.
var MissingNextStep = lint.Rule{
	Name:     "missing-next-step",
	Severity: lint.Error,
	Profiles: lint.Completion,
	Check:    missingNextStep,
}

func missingNextStep(p *lint.Pass) {
	if _, ok := p.Doc.NextStep(); !ok && !nothingRemains(p.Doc) {
		p.File("says nowhere what comes next: write \"## Next Phase\" with the first step, or that nothing remains")
	}
}

// nothingRemains reports whether the document says that the work is over.
func nothingRemains(doc *handoff.Document) bool {
	for n := 1; n <= doc.NumLines(); n++ {
		if over(doc.Line(n)) && !inFence(doc, n) {
			return true
		}
	}
	return false
}

func over(text string) bool {
	if hasFold(text, "nothing remains", "nothing left", "nothing further", "no further work", "no further phases", "no remaining work",
		"no remaining phases", "none remaining", "no more phases", "final phase", "last phase", "task complete", "task is complete",
		"all phases", "implementation complete", "implementation is complete", "fully complete") {
		return true
	}
	i := findFold(text, "all")
	if i < 0 {
		return false
	}
	word, rest := nextWord(text[i+len("all"):])
	next, _ := nextWord(rest)
	return word != "" && strings.EqualFold(strings.Trim(next, ".,;:*"), "phases")
}
