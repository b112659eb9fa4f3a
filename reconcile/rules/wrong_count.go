package rules

import (
	"handoff/lint"
	"handoff/reconcile"
)

// WrongCount flags a handoff_count that is not the number of the phase's documents.
var WrongCount = Rule{lint.Rule{Name: "wrong-count", Severity: lint.Note, Fixable: true}, wrongCount}

func wrongCount(p *Pass) {
	written := p.Handoffs()
	for phase, f := range p.Progress {
		if f.Src == nil {
			continue
		}
		file, problem := f.Object()
		if problem != nil {
			continue
		}
		v, ok := file.Get("handoff_count")
		if n, whole := v.Int64(); whole && n == int64(written[phase]) {
			continue
		}
		is := "is missing"
		if ok {
			is = "is " + clip(string(v.Raw()))
		}
		line, col := v.Pos()
		p.at(reconcile.Problem{Path: f.Path, Line: line, Col: col}, "handoff_count %s, the phase has %s", is, plural(written[phase], "handoff"))
	}
}
