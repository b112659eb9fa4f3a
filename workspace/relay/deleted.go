package relay

import (
	"errors"
	"fmt"
	"io/fs"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
)

// RepositoryError is the error for a git repository that existed when a link began. Its receipts, what was kept of uncommitted work
// and what a relay at the level all recorded there are gone with it, so the relay cannot be resumed.
type RepositoryError struct {
	Root     string
	Replaced bool // there is another one
}

func (e *RepositoryError) Error() string {
	what := "the git repository is gone from %s since this link began, as if an agent had deleted it"
	if e.Replaced {
		what = "the git repository of %s is not the one in which this link began, as if an agent had deleted .git and run `git init`"
	}
	return fmt.Sprintf(what+": only a copy of that .git brings back its claims, the work kept in it and the commits that were not pushed", e.Root)
}

// deleted returns an error if what the relay needs existed when the link began, and does not now. Without the workspace the relay
// ends as if the agent had done nothing, or sends a person to `handoff init`; without the repository nothing is uncommitted, so
// work would count as done that is lost. Both hide that files are gone.
func (r *Relay) deleted() error {
	if r.state.Link > 0 && errors.Is(r.ws.Missing(), fs.ErrNotExist) {
		return workspace.NotFound(fmt.Sprintf("%s/ and the configuration are gone from %s since this relay began, as if an agent had deleted them: "+
			"`git status` shows what else is gone, `git restore PATH` brings back what was committed", handoff.Root, r.ws.Root))
	}
	return OtherRepository(r.ws, r.state)
}

// OtherRepository returns a [*RepositoryError] if the repository in which the link of a relay began is gone.
func OtherRepository(ws *workspace.Workspace, s chain.State) error {
	exists := regular.GitTop(ws.Root) != ""
	switch {
	case !exists && s.Tree+s.Mark != "":
		return &RepositoryError{Root: ws.Root}
	case s.Mark != "" && place(ws).Marked() != s.Mark:
		return &RepositoryError{Root: ws.Root, Replaced: true}
	}
	return nil
}

// place is where receipts are; its zero value has no mark.
func place(ws *workspace.Workspace) receipt.Place {
	place, _ := receipt.Locate(ws.Root)
	return place
}
