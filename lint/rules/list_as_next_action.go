package rules

import (
	"handoff/document/handoff"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// listAsNextAction flags a next action that is several steps.
func listAsNextAction(p *lint.Pass) {
	s := p.Doc.Section(handoff.NextAction)
	if s == nil || len(s.Items) < 2 {
		return
	}
	top, lines := 0, handoff.Lines{First: s.Items[0].Lines.First}
	for i := range s.Items {
		if s.Items[i].Depth == 0 {
			top++
		}
		lines.Last = max(lines.Last, s.Items[i].Lines.Last)
	}
	if top == 1 {
		listBelow(p, lines, len(s.Items)-1)
		return
	}
	if top == 0 {
		top = len(s.Items) // the list is in a quote
	}
	if s.Inline == "" && s.Blocks[0].Kind != handoff.Paragraph {
		p.At(lines, "next action is a list of %d steps: keep the first, move the rest to the plan", top)
		return
	}
	listBelow(p, lines, top) // steps, cases of a proof or approaches: the rule cannot know
}

func listBelow(p *lint.Pass, at handoff.Lines, count int) {
	p.At(at, "next action has a list of %s below it: keep the one step, move the rest to the plan", prose.Count(count, "item"))
}
