package relay

import (
	"errors"
	"fmt"
	"io/fs"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/workspace"
)

// ErrRepository is the error for a git repository that existed when a link began. Its receipts, what was kept of uncommitted work
// and what a relay at the level all recorded there are gone with it, so the relay cannot be resumed.
var ErrRepository = errors.New("the git repository is gone")

// deleted returns an error if what the relay needs existed when the link began, and does not now. Without the workspace the relay
// ends as if the agent had done nothing, or sends a person to `handoff init`; without the repository nothing is uncommitted, so
// work would count as done that is lost. Both hide that files are gone.
func (r *Relay) deleted() error {
	switch {
	case r.state.Link == 0:
	case errors.Is(r.ws.Missing(), fs.ErrNotExist):
		return workspace.NotFound(fmt.Sprintf("%s/ and the configuration are gone from %s since this relay began, as if an agent had deleted them: "+
			"`git status` shows what else is gone, `git restore PATH` brings back what was committed", handoff.Root, r.ws.Root))
	case r.state.Tree != "" && regular.GitTop(r.ws.Root) == "":
		return fmt.Errorf("%w from %s since this link began, as if an agent had deleted it: only a copy of .git brings back its claims, the work kept in it and the "+
			"commits that were not pushed", ErrRepository, r.ws.Root)
	}
	return nil
}
