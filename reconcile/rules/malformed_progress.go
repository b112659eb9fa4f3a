package rules

import (
	"handoff/internal/json/jsonedit"
	"handoff/lint"
	"handoff/reconcile"
)

// MalformedProgress flags values of partial_progress that have the wrong type.
var MalformedProgress = Rule{lint.Rule{Name: "malformed-progress", Severity: lint.Warning, Fixable: true}, malformedProgress}

func malformedProgress(p *Pass) {
	at := jsonedit.Path{"partial_progress"}
	if v, _ := p.get(at...); !p.hasProgress() {
		if p.Object != nil {
			p.value(at, "partial_progress is %s, want an object", v.Kind())
		}
		return
	}
	at = append(at, "details")
	if v, ok := p.get(at...); ok && v.Kind() != jsonedit.KindString && v.Kind() != jsonedit.KindNull {
		p.value(at, "details is %s, want a string", v.Kind())
	}
	for _, key := range reconcile.PhaseKeys {
		at[1] = key
		v, ok := p.get(at...)
		if _, whole := v.Int64(); ok && !whole && v.Kind() != jsonedit.KindNull {
			p.value(at, "%s is %s, want a whole number", key, clip(string(v.Raw())))
		}
	}
}
