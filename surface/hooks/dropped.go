package hooks

import (
	"context"
	"slices"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/agents/sessions"
)

// mostAudited is the largest transcript that is read whole: a host waits, and 32 MB take half of the time of a hook.
const mostAudited = 32 << 20

// dropped is a line about what the last compaction dropped, once. Claude Code runs the hooks of the compaction itself before it
// writes the summary into the transcript, so the first event after them can tell.
func (r *run) dropped(ctx context.Context) (string, error) {
	path := r.in.Transcript
	limited := r.Getenv(agents.LevelVar) != "" // its host may refuse the command that lists them
	if r.Dropped == nil || limited || r.in.Agent != "" || r.hook.Form == host.Silent || !slices.Contains([]host.Event{host.Prompt, host.ToolUse, host.Batch}, r.Event) {
		return "", nil
	}
	if size := sizeOf(path); size == 0 || size > mostAudited {
		return "", nil
	}
	began, err := r.desk.Unaudited(ctx)
	if err != nil || began.IsZero() {
		return "", err
	}
	a, ok := sessions.One(r.ws.Root, r.host.Name)
	if !ok {
		return "", nil
	}
	return r.Dropped(r.ws, path, a.Transcripts.Format, began)
}
