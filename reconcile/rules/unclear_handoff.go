package rules

import "handoff/lint"

// UnclearHandoff flags a task whose newest handoff, or the fate of that handoff, is unclear.
var UnclearHandoff = Rule{lint.Rule{Name: "unclear-handoff", Severity: lint.Warning}, unclearHandoff}

func unclearHandoff(p *Pass) {
	if p.Doubt != "" && p.hasProgress() {
		p.value(handoffPath, "%s", p.Doubt)
	}
}
