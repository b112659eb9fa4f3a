package rules

import (
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/lint"
)

// mismatchedTitle flags a title with another phase or time than the file's
// name.
func mismatchedTitle(p *lint.Pass) {
	title := p.Doc.Title
	if p.Path == "" || title.Lines.First == 0 {
		return
	}
	if phase, stamp := cutTitle(title.Text); agrees(phase, stamp, p.Name) {
		return
	}
	if phase := titlePhase(title.Text); phase != "" && !mayMean(phase, p.Name) {
		if p.Filed {
			p.At(title.Lines, "phase is %s in the title, but the handoff is for phase %s: fix the title or --phase", phase, p.Name.PhaseText)
		} else {
			p.At(title.Lines, "phase is %s in the title, %s in the file name: one of them is wrong", phase, p.Name.PhaseText)
		}
	}
	named, ok := p.Name.Moment()
	if m, found := handoff.FindMoment(title.Text); ok && found != "" && !mayBe(m, named) {
		if p.Filed {
			p.At(title.Lines, "time is %s in the title, but a new handoff gets the current time, %s: leave the time out of the title", found, nameTime(p.Name))
		} else {
			p.At(title.Lines, "time is %s in the title, %s in the file name: one of them is wrong", found, nameTime(p.Name))
		}
	}
}

// mayMean reports whether a title's phase can be that of the file's name. A
// document about phases "2-3" may be in the file of one of them.
func mayMean(phase string, n handoff.Name) bool {
	return n.PhaseText == "" || samePhase(phase, n.PhaseText) || strings.Contains(phase, "-") && n.Plain()
}

func nameTime(n handoff.Name) string {
	m, _ := n.Moment()
	return strings.NewReplacer("-", "", ":", "").Replace(m.String())
}

// mayBe reports whether two texts can mean the same time. If only one of them
// has a zone, or a time of day, the other may be a local time with any offset
// in use.
func mayBe(m, o handoff.Moment) bool {
	const east, west, step = 14 * time.Hour, -12 * time.Hour, 15 * time.Minute
	unit := max(m.Unit, o.Unit)
	a, b := m.Time.Truncate(unit), o.Time.Truncate(unit)
	switch {
	case a.Equal(b):
		return true
	case unit == handoff.Day && m.Unit == o.Unit:
		return false
	case unit == handoff.Day:
		if o.Unit == handoff.Day {
			m, o = o, m
		}
		local := o.Time.Sub(m.Time) // how far into the day of m
		return -east <= local && local < handoff.Day-west
	case m.Zoned == o.Zoned:
		return false
	}
	offset := a.Sub(b)
	if m.Zoned {
		offset = -offset
	}
	return west <= offset && offset <= east && offset%step == 0
}
