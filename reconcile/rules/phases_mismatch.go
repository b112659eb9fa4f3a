package rules

import (
	"path"

	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// PhasesMismatch flags counts of phases that differ from the plan while a handoff waits.
var PhasesMismatch = Rule{lint.Rule{Name: "phases-mismatch", Severity: lint.Warning, Fixable: true}, phasesMismatch}

func phasesMismatch(p *Pass) {
	if !p.hasProgress() || p.Waiting == "" || p.missed() {
		return
	}
	for _, count := range p.Phases {
		at := jsonedit.Path{"partial_progress", count.Key}
		v, ok := p.get(at...)
		n, whole := v.Int64()
		switch {
		case ok && v.Kind() != jsonedit.KindNull && !whole: // malformed-progress
		case !whole:
			p.value(at, "%s is missing, %s has %d", count.Key, path.Base(p.Plan.Path), count.Want)
		case n != int64(count.Want):
			p.value(at, "%s is %d, %s has %d", count.Key, n, path.Base(p.Plan.Path), count.Want)
		}
	}
}
