package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// competingNextStep flags a section with next steps besides the next action.
func competingNextStep(p *lint.Pass) {
	s := p.Doc.Section(handoff.NextAction)
	if s == nil || s.Body.First == 0 && s.Inline == "" {
		return // there is no other next step
	}
	for other := range p.Doc.OtherNextSteps {
		p.At(other.Heading.Lines, "section %s also names a next step: keep the next action on line %d, move the rest to the plan",
			quote(other.Heading.Text), s.Heading.Lines.First)
	}
}
