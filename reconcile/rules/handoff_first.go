package rules

import (
	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// HandoffFirst flags a handoff that is the first of several outputs.
var HandoffFirst = Rule{lint.Rule{Name: "handoff-first", Severity: lint.Warning}, handoffFirst}

func handoffFirst(p *Pass) {
	list := p.outputs()
	if len(list) < 2 || !p.isHandoff(0) {
		return
	}
	for i := range list {
		if !p.isHandoff(i) {
			p.value(jsonedit.Path{"artifacts", 0}, "a handoff is the first of %s: programs treat it as the task's result", plural(len(list), "output"))
			return
		}
	}
}
