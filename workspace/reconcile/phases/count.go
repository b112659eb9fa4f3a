// Package phases reads the phases of a plan: how many its headings define, and which of them are
// marked as completed. What the metadata makes of that is decided in workspace/reconcile.
package phases

import (
	"slices"
	"strings"
)

// Unsaid is a count that is unknown.
const Unsaid = -1

// Of counts the phases in a plan's headings, and those marked as
// completed: "### Phase 2: Extension steps [COMPLETED]". A lead continues with
// the phase after as many as are completed, so a phase 0 does not count: it
// would skip phase 1. A count is Unsaid if any heading about phases is
// ambiguous.
func Of(src []byte) (completed, total int) {
	completed, total, err := count(src)
	if err != nil {
		return Unsaid, Unsaid
	}
	return completed, total
}

// count is Of with the reason why a plan is unclear.
func count(src []byte) (completed, total int, err error) {
	p, err := readPhases(src)
	if err != nil {
		return Unsaid, Unsaid, err
	}
	counted := phaseCount{phases: slices.DeleteFunc(slices.Clone(p.phases), func(phase plannedPhase) bool { return phase.number == 0 })}
	if len(counted.phases) == 0 {
		return Unsaid, Unsaid, nil
	}
	if p.completed() == Unsaid {
		return Unsaid, len(counted.phases), nil
	}
	return counted.completed(), len(counted.phases), nil
}

// AllCompleted reports whether a plan has phases, and marks each as completed.
func AllCompleted(src []byte) bool {
	p, err := readPhases(src)
	return err == nil && len(p.phases) > 0 && p.completed() == len(p.phases)
}

// readPhases reads the phases that a plan defines, in their order.
func readPhases(src []byte) (p phaseCount, err error) {
	headings, err := phaseHeadings(src)
	if err != nil {
		return p, err
	}
	for _, h := range headings {
		if !h.about {
			p.define(h)
		}
	}
	if len(p.phases) == 0 {
		return p, nil
	}
	p.refers(headings)
	p.nest()
	p.numbers()
	return p, p.err
}

// phaseCount collects the phases of a plan.
type phaseCount struct {
	phases []plannedPhase
	err    error // the first ambiguity
}

// plannedPhase is a phase that a heading defines.
type plannedPhase struct {
	phaseLabel
	level int
	title string
	mark  mark
}

func (p *phaseCount) unclear(format string, args ...any) {
	if p.err == nil {
		p.err = unclear(format, args...)
	}
}

func (p *phaseCount) find(l phaseLabel) *plannedPhase {
	for i := range p.phases {
		if p.phases[i].phaseLabel == l {
			return &p.phases[i]
		}
	}
	return nil
}

// define adds the phases of a heading. A second heading of a phase must not
// contradict the first.
func (p *phaseCount) define(h phaseHeading) {
	for _, label := range h.labels {
		phase := plannedPhase{label, h.level, h.title, h.mark}
		old := p.find(label)
		switch {
		case old == nil:
			p.phases = append(p.phases, phase)
		case old.mark == unmarked && h.mark != unmarked:
			*old = phase
		case h.mark == unmarked && old.mark != unmarked:
		case old.mark != h.mark || old.title != h.title:
			p.unclear("phase %s is defined twice", label)
		}
	}
}

// refers checks that headings refer only to phases of this plan: any other may
// be a phase in a form that is not recognized.
func (p *phaseCount) refers(headings []phaseHeading) {
	for _, h := range headings {
		for _, label := range h.labels {
			if h.about && p.find(label) == nil {
				p.unclear("phase %s has no heading of its own", label)
			}
		}
	}
}

// nest removes the parts of a phase, which are not phases: "#### Phase 2.1"
// after "### Phase 2".
func (p *phaseCount) nest() {
	all := phaseCount{phases: slices.Clone(p.phases)}
	p.phases = slices.DeleteFunc(p.phases, func(part plannedPhase) bool {
		whole := all.find(phaseLabel{number: part.number})
		if part.sub == "" || whole == nil {
			return false
		}
		switch {
		case part.level <= whole.level:
			p.unclear("phase %s beside phase %s", part.phaseLabel, whole.phaseLabel)
		case whole.mark == phaseDone && part.mark == phaseOpen:
			p.unclear("phase %s is done, %s is not", whole.phaseLabel, part.phaseLabel)
		}
		return true
	})
}

// numbers checks that the phases are numbered from 0 or 1 without a gap: a gap
// means that some are elsewhere.
func (p *phaseCount) numbers() {
	slices.SortStableFunc(p.phases, func(a, b plannedPhase) int {
		if a.number != b.number {
			return a.number - b.number
		}
		return strings.Compare(a.sub, b.sub)
	})
	last := plannedPhase{phaseLabel: phaseLabel{number: min(p.phases[0].number, 1) - 1}}
	for i, phase := range p.phases {
		switch {
		case phase.level != p.phases[0].level:
			p.unclear("phases %s and %s have headings of different levels", p.phases[0].phaseLabel, phase.phaseLabel)
		case len(phase.sub) > 1:
			p.unclear("phase %s without a phase %d", phase.phaseLabel, phase.number)
		case phase.number == last.number && (last.sub == "" || phase.sub[0] != last.sub[0]+1),
			phase.number != last.number && phase.number != last.number+1,
			phase.number != last.number && phase.sub > "A":
			p.unclear("phase %s after %s", phase.phaseLabel, last.phaseLabel)
		case phase.sub == "A" && (i+1 == len(p.phases) || p.phases[i+1].number != phase.number):
			p.unclear("phase %s without another letter", phase.phaseLabel)
		}
		last = phase
	}
}

// completed is the number of completed phases. Agents mark a phase when they
// work on it, so a phase without a mark is open. The count is Unsaid if no
// phase has a mark, or a completed one follows an unmarked one.
func (p *phaseCount) completed() (n int) {
	open, marked := false, false
	for _, phase := range p.phases {
		switch phase.mark {
		case unmarked:
			open = true
		case phaseDone:
			if open {
				return Unsaid
			}
			n++
		}
		marked = marked || phase.mark != unmarked
	}
	if !marked {
		return Unsaid
	}
	return n
}
