// Package open opens the store of an address. It is the only package that knows all
// engines.
package open

import (
	"context"
	"fmt"
	"path/filepath"

	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/log/engine"
	"handoff/log/engine/files"
	"handoff/log/engine/git"
	"handoff/log/receipt"
)

// Options are what an engine needs besides the address.
type Options struct {
	// Root is the root of the workspace, absolute.
	Root string
	// Env reads the environment, which has the credentials: HANDOFF_STORE_CREDS, the
	// path of a .creds file; HANDOFF_STORE_TOKEN, a token; HANDOFF_STORE_CA, the path
	// of a file with certificates.
	Env func(name string) string
	// Create creates the store if it is missing, where that is possible.
	Create bool
	// Say is called with a line about each automatic repair. It may be nil.
	Say func(string)
}

// stateDir is the folder of the tool's own files below a workspace: see
// [handoff/workspace.StateDir].
const stateDir = state.Dir

// local are the folders in it whose files belong to one machine.
var local = []string{"runs", "relays", "feeds", "requests"}

// derived are the files in it that each machine makes from the logs.
var derived = []string{"session_graph.jsonl"}

// Open opens a store. It may wait for a network.
func Open(ctx context.Context, a engine.Address, o Options) (engine.Engine, error) {
	switch {
	case a.Remote != "":
		return openGit(ctx, a, o)
	case a.Stream != "":
		return openNATS(ctx, a, o)
	}
	return Files(o)
}

// Files opens the files of the workspace. With another store they are a copy.
func Files(o Options) (*files.Engine, error) {
	place, err := receipt.Locate(o.Root)
	if err != nil {
		return nil, err
	}
	return files.Open(files.Options{Root: nofollow.Root(o.Root), State: filepath.Join(o.Root, stateDir), ReceiptsRoot: place.Root, Receipts: place.Dir, Except: local, Derived: derived, Say: o.Say})
}

// openGit keeps the objects of git beside the receipts: in the git folder of the
// repository, which no commit contains. Without a repository they would be in the
// workspace, and a cloned tree could contain such objects with settings that run
// programs.
func openGit(ctx context.Context, a engine.Address, o Options) (engine.Engine, error) {
	place, err := receipt.Locate(o.Root)
	if err != nil {
		return nil, err
	}
	if !place.InGit() {
		return nil, fmt.Errorf("%s: the workspace is not in a git repository: run `git init`", a)
	}
	e, err := git.Open(ctx, o.Root, a.Remote, place.Root, place.Beside(state.Store), git.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a, err)
	}
	return e, nil
}
