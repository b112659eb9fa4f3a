package rules

import (
	"strconv"

	"handoff/document/handoff"
	"handoff/lint"
)

// buriedNextAction flags sections above the next action, except what must be understood before it.
func buriedNextAction(p *lint.Pass) {
	o := outlineOf(p)
	first, at := 0, 0
	for first < len(p.Doc.Sections) && (o.isLoose(first) || o.meant(first) == handoff.Understand) {
		first++
	}
	for at = first; at < len(p.Doc.Sections) && o.meant(at) != handoff.NextAction; at++ {
	}
	if at == first || at >= len(p.Doc.Sections) || o.misordered() >= 0 || !o.structured() {
		return
	}
	var before []handoff.Lines
	for _, s := range p.Doc.Sections[first : at+1] {
		before = append(before, s.Lines)
	}
	after := append([]handoff.Lines{before[at-first]}, before[:at-first]...)
	p.Fix(p.Doc.Sections[at].Heading.Lines, moved(p.Doc, before, after),
		"%s above the next action, which the successor reads first: move the next action up", others(p.Doc.Sections[first:at]))
}

func others(list []handoff.Section) string {
	if len(list) == 1 {
		return "section " + quote(list[0].Heading.Text) + " is"
	}
	return strconv.Itoa(len(list)) + " sections are"
}
