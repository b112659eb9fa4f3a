package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"time"

	"handoff/agents"
	"handoff/agents/past"
	"handoff/agents/transcript"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/unreported"
)

const (
	askTimeout   = time.Minute // for all that [askedSessions] starts
	mostExported = 10          // sessions whose ends are read: each takes the program some seconds
	mostNamed    = 200         // that it lists
)

// askedSessions asks OpenCode for its sessions in a repository. more is how many it has whose
// ends were not read.
func askedSessions(ctx context.Context, w *command.Process, ws *workspace.Workspace) (list []past.Session, more int, err error) {
	a, err := agents.Builtin(transcript.Exporter)
	if err != nil {
		return nil, 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	out, err := past.AskExporter(ctx, w.Dir, "session", "list", "--format", "json", "--max-count", fmt.Sprint(mostNamed))
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("OpenCode keeps its sessions in a database, and %s is not in PATH: `opencode session list` where it is lists them", transcript.Exporter)
	}
	if err != nil {
		return nil, 0, err
	}
	var named []struct {
		ID        string `json:"id"`
		Directory string `json:"directory"`
		Updated   int64  `json:"updated"` // milliseconds
	}
	if out.Len() > 0 { // it prints nothing if it has none
		if err := json.Unmarshal(out.Bytes(), &named); err != nil {
			return nil, 0, fmt.Errorf("`opencode session list`: %w", err)
		}
	}
	dirs := unreported.Trees(ws)
	for i, s := range slices.Backward(named) {
		if !past.WorksIn(s.Directory, dirs) {
			named = slices.Delete(named, i, i+1)
		}
	}
	for i, s := range named[:min(mostExported, len(named))] {
		src, err := past.Export(ctx, w.Dir, s.ID)
		if err != nil {
			return list, len(named) - i, err
		}
		if s, ok := past.Exported(a, src, time.UnixMilli(s.Updated)); ok {
			list = append(list, s)
		}
	}
	return list, max(0, len(named)-mostExported), nil
}
