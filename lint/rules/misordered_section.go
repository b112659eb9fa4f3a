package rules

import (
	"slices"

	"handoff/document/handoff"
	"handoff/lint"
)

// misorderedSection flags sections that are not in the template's order.
func misorderedSection(p *lint.Pass) {
	o := outlineOf(p)
	i := o.misordered()
	if i < 0 || !o.structured() {
		return
	}
	s := &p.Doc.Sections[i]
	previous := handoff.Other
	for j := range i {
		if k := o.placed(j); k > s.Kind {
			previous = k
			break
		}
	}
	p.Fix(s.Heading.Lines, o.sorted(), "section %s comes after %s: move it up", s.Kind, previous)
}

// misordered is the index of the first section that should come before one above
// it, or -1. A second section of the same kind is a duplicate and not out of
// order.
func (o *outline) misordered() int {
	var seen uint
	for i := range o.Doc.Sections {
		bit := uint(1) << o.placed(i)
		if bit == 1<<handoff.Other || seen&bit != 0 {
			continue
		}
		if seen > bit {
			return i
		}
		seen |= bit
	}
	return -1
}

// placed is the kind of section i; Other if it has no place in the order.
func (o *outline) placed(i int) handoff.Kind {
	if kind := o.meant(i); !o.isLoose(i) && !handoff.SpecOf(kind).Free {
		return kind
	}
	return handoff.Other
}

// run is a known section with the unknown sections after it.
type run struct {
	kind  handoff.Kind
	lines handoff.Lines
}

// sorted moves the sections into the order of the template. Unknown sections
// stay after the one they follow. It is nil if there are two of a kind, which
// the author must merge first.
func (o *outline) sorted() []lint.Edit {
	var runs []run
	var seen uint
	for i := range o.Doc.Sections {
		kind := o.placed(i)
		switch {
		case kind == handoff.Other && len(runs) > 0:
			runs[len(runs)-1].lines.Last = o.Doc.Sections[i].Lines.Last
		case kind != handoff.Other && seen&(1<<kind) != 0:
			return nil
		case kind != handoff.Other:
			seen |= 1 << kind
			runs = append(runs, run{kind, o.Doc.Sections[i].Lines})
		}
	}
	before := linesOf(runs)
	slices.SortStableFunc(runs, func(a, b run) int { return int(a.kind) - int(b.kind) })
	return moved(o.Doc, before, linesOf(runs))
}

func linesOf(runs []run) []handoff.Lines {
	list := make([]handoff.Lines, len(runs))
	for i, r := range runs {
		list[i] = r.lines
	}
	return list
}
