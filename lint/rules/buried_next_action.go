package rules

import (
	"strconv"

	"handoff"
	"handoff/lint"
)

// BuriedNextAction flags sections that stand above the next action.
var BuriedNextAction = lint.Rule{
	Name:     "buried-next-action",
	Severity: lint.Warning,
	Profiles: lint.Handoff,
	Fixable:  true,
	Check:    buriedNextAction,
}

func buriedNextAction(p *lint.Pass) {
	at := -1
	for i := range p.Doc.Sections {
		if meant(p.Doc, i) == handoff.NextAction {
			at = i
			break
		}
	}
	if at <= 0 || misordered(p.Doc) >= 0 || !structured(p.Doc) {
		return
	}
	before := make([]handoff.Lines, at+1)
	for i := range before {
		before[i] = p.Doc.Sections[i].Lines
	}
	after := append([]handoff.Lines{before[at]}, before[:at]...)
	p.Mend(p.Doc.Sections[at].Heading.Lines, moved(p.Doc, before, after),
		"%s above the next action, which the successor reads first: move it to the top", others(p.Doc, at))
}

func others(doc *handoff.Document, n int) string {
	if n == 1 {
		return "section " + quote(doc.Sections[0].Heading.Text) + " stands"
	}
	return strconv.Itoa(n) + " sections stand"
}
