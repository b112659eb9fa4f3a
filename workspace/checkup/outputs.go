package checkup

import (
	"context"
	"path/filepath"
	"strings"

	"handoff/agents/doctor"
	"handoff/internal/text/prose"
	"handoff/workspace"
)

// outputs reports what git has though it should not: outputs of agents that the configuration
// does not share, and files of this machine. A commit with them was made before they were
// private, or by force.
func outputs(ctx context.Context, p place) []doctor.Line {
	ws, err := p.open()
	if err != nil || ws.Missing() != nil {
		return nil
	}
	has := ws.Tracked(ctx)
	threads, tapes := has.Threads, has.Tapes
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
	private := ofThisMachine(ws, has.Private)
	if len(what) == 0 {
		return private
	}
	return append(private, bad(doctor.Warning, "git has "+strings.Join(what, " and ")+", which contain what agents printed; so new ones are not ignored either",
		filepath.Join(ws.Root, workspace.StateDir), "if they are meant to be shared, add `share: ["+strings.Join(share, ", ")+"]` to .handoff.yaml; if not, run `git rm -r --cached` on them, then delete .handoff/.gitignore, which is written again")...)
}

// ofThisMachine reports files of the table in package state that git never gets: a clone with
// them would hold our claims, and send our requests again.
func ofThisMachine(ws *workspace.Workspace, files []string) []doctor.Line {
	if len(files) == 0 {
		return nil
	}
	return bad(doctor.Warning, "git has "+prose.Count(len(files), "file")+" of this machine: claims or requests, which another clone would treat as its own",
		filepath.Join(ws.Root, workspace.StateDir), "`git ls-files -ci --exclude-standard .handoff` lists them: run `git rm --cached` on each")
}
