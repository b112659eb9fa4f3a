package agents

import (
	"context"
	"slices"

	"handoff/internal/file/regular"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/documents"
	"handoff/workspace/scaffold"
)

// handoffsHere are the handoffs of a tree.
type handoffsHere struct {
	number int
	tasks  bool // new ones are in folders of tasks
}

// handoffsOf counts the handoffs of the tree. What prevents that, every other command reports.
func handoffsOf(ctx context.Context, w *command.Process) (h handoffsHere) {
	options := w.Options()
	options.Say = nil // what there is to say of the workspace, others say
	ws, err := workspace.Open(w.Dir, options)
	if err != nil {
		return h
	}
	defer ws.Close()
	list, _ := documents.Paths(ctx, ws, documents.Filter{})
	return handoffsHere{len(list), len(ws.Config.Documents) == 0}
}

// rootOf is the tree to which the working directory belongs, if that is not the directory itself.
func rootOf(w *command.Process) string {
	if root, _ := workspace.Locate(w.Dir); root != w.Dir {
		return root
	}
	return ""
}

// sayWhere reports what follows from the folder in which a tree was set up, if that is a part of another one. above is
// the tree to which it belonged until then.
func sayWhere(w *command.Process, steps []scaffold.Step, above string) {
	if !slices.ContainsFunc(steps, func(s scaffold.Step) bool { return s.Verb == "created" && s.Path == config.File }) {
		return
	}
	const back = "`handoff init --remove` takes it back"
	switch top := regular.GitTop(w.Dir); {
	case above != "":
		w.Say("commands in this folder do not use the handoffs of %s any more (%s)", command.Plain(above), back)
	case w.Dir == homeOf(w.Getenv):
		w.Say("this is your home folder: each folder in it that is in no repository, and has no handoffs of its own, uses this (%s)", back)
	case top != "" && top != w.Dir:
		w.Say("only commands in this folder use it; `handoff init -C %s` is for the whole repository (%s)", command.Plain(top), back)
	}
}
