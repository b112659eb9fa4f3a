package rules

import (
	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// MisplacedHandoffPath flags a handoff_path outside partial_progress.
var MisplacedHandoffPath = Rule{lint.Rule{Name: "misplaced-handoff-path", Severity: lint.Warning}, misplacedHandoffPath}

func misplacedHandoffPath(p *Pass) {
	for _, place := range []struct {
		where string
		at    jsonedit.Path
	}{{"at the top level", jsonedit.Path{"handoff_path"}}, {"in metadata", jsonedit.Path{"metadata", "handoff_path"}}} {
		if v, ok := p.get(place.at...); ok && v.Kind() != jsonedit.KindNull {
			p.value(place.at, "handoff_path is %s: it belongs in partial_progress", place.where)
		}
	}
}
