package claims

import (
	"context"

	"handoff/agents"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/word"
)

// sayOtherTask tells an agent of a relay, and the relay, that it wrote a handoff of another task: the
// next agent of the relay does not continue that.
func sayOtherTask(ctx context.Context, w *command.Process, ws *workspace.Workspace, path string) {
	id := w.Getenv(agents.RelayVar)
	book, ok := word.To(ws, id)
	if !ok {
		return
	}
	s, err := log.Read(ws, id)
	name := ws.NameOf(path)
	if err != nil || name.Width > 0 && name.Task == s.Plan.Task {
		return // a journal that cannot be read is the relay's business
	}
	w.Say("the relay that runs you is about task %d: it does not take this handoff (write one with --task %d)", s.Plan.Task, s.Plan.Task)
	w.Complain(book.SayOther(ctx, w.Getenv("HANDOFF_REF"), path))
}
