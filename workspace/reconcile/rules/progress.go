package rules

import (
	"path"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
	"handoff/workspace/reconcile"
)

// hasProgress reports whether partial_progress is an object, or can become one.
func (t *Task) hasProgress() bool {
	v, ok := t.get("partial_progress")
	return t.Object != nil && (!ok || v.Kind() == jsonedit.KindObject || v.Kind() == jsonedit.KindNull)
}

// missed reports whether handoff_path does not name the handoff that waits.
func (t *Task) missed() bool {
	return t.hasProgress() && t.Waiting != "" && t.text(handoffPath...) != t.Waiting
}

// malformedProgress flags values of partial_progress that have the wrong type.
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
			p.value(at, "%s is %s, want a whole number", key, shown(string(v.Raw())))
		}
	}
}

// misplacedHandoffPath flags a handoff_path outside partial_progress.
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

// missedHandoff flags a handoff_path that does not name the handoff that waits.
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

// nullHandoffPath flags a handoff_path that is null while no handoff waits.
func nullHandoffPath(p *Pass) {
	if v, ok := p.get(handoffPath...); ok && v.Kind() == jsonedit.KindNull && !p.missed() {
		p.value(handoffPath, "handoff_path is null: leave it out where there is no handoff")
	}
}

// phasesMismatch flags counts of phases that differ from the plan while a handoff waits.
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

// unclearHandoff flags a task whose newest handoff, or the fate of that handoff, is unclear.
func unclearHandoff(p *Pass) {
	if p.Doubt != "" && p.hasProgress() {
		p.value(handoffPath, "%s", p.Doubt)
	}
}

// unsharedEnd flags metadata that does not show that the newest handoff is done, or shows it
// although that was taken up again.
func unsharedEnd(p *Pass) {
	if p.Withheld != "" {
		p.value(handoffPath, "%s (`handoff sync %s`)", p.Withheld, p.Dir)
	}
}

// wrongStage flags a stage that does not match the newest document.
func wrongStage(p *Pass) {
	if !p.hasProgress() || p.missed() {
		return
	}
	at := jsonedit.Path{"partial_progress", "stage"}
	stage, named := p.text(at...), p.text(handoffPath...)
	switch {
	case p.Waiting != "" && stage != handoff.StageHandoff:
		p.value(at, "stage is %q while a handoff waits, want %q", shown(stage), handoff.StageHandoff)
	case stage != handoff.StageHandoff:
	case len(p.Links) == 0 && named == "":
		p.value(at, "stage is %q, but there is no handoff", stage)
	default:
		if l := p.linked(named); l != nil && !l.Doc.Continues() {
			p.value(at, "stage is %q, but %s names no next action", stage, path.Base(named))
		}
	}
}
