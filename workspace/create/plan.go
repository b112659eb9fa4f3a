package create

import (
	"cmp"
	"errors"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/workspace/plans"
)

// plan finds the task of a request in the plan of another tool, and fills in what follows from
// it: its number and name, its phase, and the plan's file as a reference. A draft, and
// what an editor opens, also get the next open item of the plan, for its author to change.
func (w *creator) plan(req *Request) error {
	v := &req.Values
	t, ok, err := plans.Take(w.Workspace, v.Named, v.Task)
	if unknown := new(plans.Error); req.Draft && v.Named == "" && errors.As(err, &unknown) {
		return nil // a draft is never lost for want of its task
	}
	if err != nil || !ok {
		return err
	}
	w.task, w.named, v.Task, v.Named = &t, v.Named != "", t.Number, t.ID
	if t.Dir != "" && v.Phase == 0 {
		v.Phase = max(t.Phase, 1)
	}
	if req.Markdown != nil {
		return nil
	}
	if p := t.Reference(); p != "" && len(v.References) == 0 && v.Bodies[handoff.References] == "" {
		v.References = []string{"Plan: `" + p + "`"}
	}
	if req.Draft || req.Edit != nil {
		v.NextAction = cmp.Or(v.NextAction, t.Next)
		v.State.File = cmp.Or(v.State.File, t.Path)
	}
	return nil
}

// layout is the layout of the new document; nil in a task folder.
func (w creator) layout() *task.Layout {
	if w.task != nil && (w.task.Layout != nil || w.task.Dir != "") {
		return w.task.Layout
	}
	return w.Config.New
}
