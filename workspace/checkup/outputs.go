package checkup

import (
	"context"
	"path/filepath"
	"strings"

	"handoff/agents/doctor"
	"handoff/internal/text/prose"
	"handoff/workspace"
)

// outputs reports outputs of agents that git has though the configuration does not share
// them: a commit with them was made before they were private, or by force.
func outputs(ctx context.Context, p place) []doctor.Line {
	ws, err := p.open()
	if err != nil || ws.Missing() != nil {
		return nil
	}
	threads, tapes := ws.Tracked(ctx)
	if ws.Config.Share.Threads {
		threads = nil
	}
	if ws.Config.Share.Tapes {
		tapes = nil
	}
	var what, share []string
	if n := len(threads); n > 0 {
		what, share = append(what, prose.Count(n, "file")+" of threads, runs and artifacts"), append(share, "threads")
	}
	if n := len(tapes); n > 0 {
		what, share = append(what, prose.Count(n, "file")+" of tapes"), append(share, "tapes")
	}
	if len(what) == 0 {
		return nil
	}
	return bad(doctor.Warning, "git has "+strings.Join(what, " and ")+", which contain what agents printed; so new ones are not ignored either",
		filepath.Join(ws.Root, workspace.StateDir), "if they are meant to be shared, add `share: ["+strings.Join(share, ", ")+"]` to .handoff.yaml; if not, run `git rm -r --cached` on them, then delete .handoff/.gitignore, which is written again")
}
