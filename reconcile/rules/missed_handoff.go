package rules

import (
	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// MissedHandoff flags a handoff_path that does not name the handoff that waits.
var MissedHandoff = Rule{lint.Rule{Name: "missed-handoff", Severity: lint.Error, Fixable: true}, missedHandoff}

func missedHandoff(p *Pass) {
	if !p.missed() {
		return
	}
	v, ok := p.get(handoffPath...)
	switch {
	case !ok:
		p.value(handoffPath, "handoff_path is missing: the newest handoff is %s", p.Waiting)
	case v.Kind() == jsonedit.KindNull:
		p.value(handoffPath, "handoff_path is null: the newest handoff is %s", p.Waiting)
	case len(p.paths) > 0 && p.paths[0].what == "handoff_path" && p.paths[0].leads == toFile: // else the path has a finding
		p.value(handoffPath, "handoff_path is not the newest handoff, which is %s", p.Waiting)
	}
}
