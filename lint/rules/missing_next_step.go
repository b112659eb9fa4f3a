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
	for s := range everySection(p.Doc) {
		if s.Kind == handoff.NextAction || saysNext(p.Doc, s) {
			return
		}
	}
	if !nothingRemains(p.Doc) {
		p.File("says nowhere what comes next: write \"## Next Phase\" with the first step, or that nothing remains")
	}
}

// saysNext reports whether a section is about what comes next, or a heading
// or a label in it opens such a part.
func saysNext(doc *handoff.Document, s *handoff.Section) bool {
	if nextHeading(s.Heading.Text) {
		return true
	}
	for _, b := range s.Blocks {
		if b.Kind == handoff.Subheading && nextHeading(doc.Line(b.Lines.First)) {
			return true
		}
	}
	for i := range s.Labels {
		if nextHeading(s.Labels[i].Name) {
			return true
		}
	}
	for _, line := range proseOf(doc, s) {
		if text := plain(line); startsFold(text, "next:") || startsFold(text, "next step") || startsFold(text, "next phase") || startsFold(text, "next up") {
			return true
		}
	}
	return false
}

// nextHeading reports whether a heading announces what comes next.
func nextHeading(text string) bool {
	return hasFold(text, "next", "remaining", "what remains", "what's left", "left to do", "to do", "todo", "follow-up",
		"follow-ups", "followup", "outstanding", "open items", "successor", "not yet done", "recommended path",
		"for phase", "to phase", "continuation")
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
