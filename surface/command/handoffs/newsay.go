package handoffs

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/authoring"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/pins"
)

// placeOf is where the author gives what a finding is about: a document without a next step has no line for it.
func placeOf(in *create.Draft, doc *handoff.Document, f lint.Finding) string {
	if in.IsByFlags() && f.Rule == "missing-next-step" {
		return "--next-action"
	}
	return in.Place(doc, f.Lines)
}

// sayForbidden says why a claim forbids the handoff, and what to do.
func sayForbidden(w *command.Process, err *authoring.ClaimedError) error {
	switch {
	case err.Other:
		w.Because(err)
		w.Say("%s; nothing is written (to write it and take that over: --force --why TEXT)", command.Plain(err.Error()))
		return command.Exit(command.Findings)
	case errors.As(err, new(*receipt.UnsureError)):
		return command.Reworded(err.Error()+": nothing was written (try again when `handoff store check` reaches the store, or pass --unfenced to write a marked document)", err)
	}
	return command.SayRefused(w, err)
}

// sayAfter reports what did not follow a written handoff, also by the exit status, and whether it is marked.
func sayAfter(w *command.Process, made *authoring.Result) {
	if made.Unchecked != nil {
		w.Say("NOT CHECKED: %s; the document is marked", command.Plain(made.Unchecked.Error()))
	}
	for _, task := range made.Idle {
		w.Say("a subagent reported back without having called a tool: it only says what it did (%q)", command.Plain(task))
	}
	for _, u := range made.Undone {
		w.Say("written, but %s: %s", u.What, command.Plain(u.Err.Error()))
		w.Incomplete = true
	}
}

// sayVanished reports what became of the pinned items of the previous handoff: which
// were carried over, or how many are missing from the new one.
func sayVanished(ctx context.Context, w *command.Process, ws *workspace.Workspace, path string, carried pins.Carried) {
	if n := carried.Shown + carried.Moved; n > 0 {
		more := ""
		if carried.Moved > 0 {
			more = fmt.Sprintf(", %d of them in an artifact for lack of room", carried.Moved)
		}
		w.Say("took over %s of %s%s", command.Plural(n, "item"), command.Plain(cmp.Or(documents.EntryAt(ws, carried.From).Ref(), w.Shown(ws, carried.From))), more)
	}
	before, n, err := pins.Vanished(ctx, ws, path) // `handoff diff` reports errors
	if err == nil && n > 0 {
		e := documents.EntryAt(ws, path)
		is, them, those := "are", "them", "those that still hold"
		if n == 1 {
			is, them, those = "is", "it", "it if it still holds"
		}
		w.Say("%s of %s %s not in it (`handoff diff %s` lists %s): add %s", command.Plural(n, "pinned item"),
			command.Plain(cmp.Or(before.Ref(), w.Shown(ws, before.Path))), is, command.Plain(cmp.Or(e.Ref(), w.Shown(ws, path))), them, those)
	}
}

// sayUnkept sends the uncommitted work that was kept with a new handoff, and reports what is not.
func sayUnkept(ctx context.Context, w *command.Process, ws *workspace.Workspace, made create.Created) {
	w.Complain(made.Unkept)
	command.ShareWork(ctx, w, ws)
	for i, line := range made.Work.Left {
		const most = 5
		if i == most {
			w.Say("not kept: %d more (`handoff restore --list` names what is kept)", len(made.Work.Left)-i)
			return
		}
		w.Say("not kept: %s", command.Plain(line))
	}
}

// sayDisplaced reports that the new handoff took the place of one that still waited, and where
// that is kept; "" is for none.
func sayDisplaced(w *command.Process, ws *workspace.Workspace, kept string) {
	if kept != "" {
		w.Say("this replaces a handoff that was not taken up: it is kept in %s", command.Plain(w.Shown(ws, kept)))
	}
}

// sayOvertaken reports that a handoff does not wait any longer, because the new one is newer.
func sayOvertaken(w *command.Process, ws *workspace.Workspace, path, by string) {
	switch {
	case path == "":
	case ws.NameOf(path).Phase != ws.NameOf(by).Phase:
		w.Say("%s was still waiting; of a task only the newest handoff waits, which is now this one (`handoff claim` with that path still takes it up)", command.Plain(w.Shown(ws, path)))
	case ws.NameOf(path).Loose:
		w.Say("%s was still waiting, and this handoff now waits instead (`--replace` with that path says that you mean it; `handoff claim` with that path still takes it up)", command.Plain(w.Shown(ws, path)))
	default:
		w.Say("%s was still waiting, and this handoff of the same phase now waits instead (`--replace` with that path says that you mean it; for other work choose another phase)", command.Plain(w.Shown(ws, path)))
	}
}
