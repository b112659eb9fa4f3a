package rules

import (
	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// NullHandoffPath flags a handoff_path that is null while no handoff waits.
var NullHandoffPath = Rule{lint.Rule{Name: "null-handoff-path", Severity: lint.Note}, nullHandoffPath}

func nullHandoffPath(p *Pass) {
	if v, ok := p.get(handoffPath...); ok && v.Kind() == jsonedit.KindNull && !p.missed() {
		p.value(handoffPath, "handoff_path is null: leave it out where there is no handoff")
	}
}
