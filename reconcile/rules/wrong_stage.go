package rules

import (
	"path"

	"handoff"
	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// WrongStage flags a stage that does not match the newest document.
var WrongStage = Rule{lint.Rule{Name: "wrong-stage", Severity: lint.Warning, Fixable: true}, wrongStage}

func wrongStage(p *Pass) {
	if !p.hasProgress() || p.missed() {
		return
	}
	at := jsonedit.Path{"partial_progress", "stage"}
	stage, named := p.text(at...), p.text(handoffPath...)
	switch {
	case p.Waiting != "" && stage != handoff.StageHandoff:
		p.value(at, "stage is %q while a handoff waits, want %q", clip(stage), handoff.StageHandoff)
	case stage != handoff.StageHandoff:
	case len(p.Links) == 0 && named == "":
		p.value(at, "stage is %q, but there is no handoff", stage)
	default:
		if l := p.linked(named); l != nil && !l.Doc.Continues() {
			p.value(at, "stage is %q, but %s names no next action", stage, path.Base(named))
		}
	}
}
