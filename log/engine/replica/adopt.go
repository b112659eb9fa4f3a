package replica

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"handoff/internal/file/kept"
	"handoff/internal/file/nofollow"
)

// StateFile is the name of the file, in each folder that is a copy, with the address of
// the store.
const StateFile = "replica.json"

// state is the content of [StateFile].
type state struct {
	Store string `json:"store"`
	// Identity is the id of the store: see [engine.Identity].
	Identity string `json:"identity,omitempty"`
	// Lengths are the lengths of the files when they were last fetched. They save
	// counting lines; a wrong or outdated one only costs time.
	Lengths map[string]count `json:"lengths,omitempty"`
	// Revision is what the engine reported as its revision before the last sync that
	// fetched everything: see [engine.Changer].
	Revision string `json:"revision,omitempty"`
	// Apart are the logs whose files are not copies: see [Replica.compare].
	Apart []string `json:"apart,omitempty"`
}

// maxState is the most bytes that are read of a [StateFile]: a million logs.
const maxState = 256 << 20

// StoreOf is the address of the store that a folder is a copy of, "" for none.
func StoreOf(root nofollow.Root, dir string) (string, error) {
	s, err := readState(root, dir)
	return s.Store, err
}

// stateFile is the [StateFile] of a folder. It is derived, so it is replaced without a lock: of
// two processes that differ, one compares more than it had to.
func stateFile(root nofollow.Root, dir string) kept.File[state] {
	return kept.File[state]{Root: root, Path: filepath.Join(dir, StateFile), Max: maxState, Mode: 0o644, Fix: "if you delete it, all files are compared with the store again"}
}

func readState(root nofollow.Root, dir string) (s state, err error) {
	f := stateFile(root, dir)
	if _, err := os.Lstat(f.Path); errors.Is(err, fs.ErrNotExist) { // one call, for paths that are not folders
		return s, nil
	}
	return f.Read()
}

// adopt makes sure that the folder is a copy of the store. A folder that was not a copy,
// or was a copy of another store, becomes one if the store has a log of it. Files that are
// not the beginning of their logs are set apart: see [Replica.compare].
func (r *Replica) adopt(ctx context.Context) error {
	r.mu.Lock()
	ready, refused := r.ready, r.refused
	r.mu.Unlock()
	if ready || refused != nil {
		return refused
	}
	s, err := readState(r.folder.Root, r.folder.Dir)
	if err != nil {
		return err
	}
	doubtful := r.files(s.Apart)
	if s.Store != r.store {
		s = state{}
		if err := r.meet(ctx); err != nil {
			return err
		}
		if doubtful, err = r.all(); err != nil {
			return err
		}
	}
	related, err := r.compare(ctx, doubtful)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.Store == "" && !related && len(r.apart) > 0 {
		apart := r.apart
		r.apart = map[string]error{}
		return apart[slices.Min(slices.Collect(maps.Keys(apart)))]
	}
	for log, c := range s.Lengths {
		if _, known := r.lengths[log]; !known {
			r.lengths[log] = c
		}
	}
	if r.revision == "" {
		r.revision = s.Revision
	}
	if r.identity == "" {
		r.identity = s.Identity
	}
	r.nothing = len(s.Lengths) == 0 && s.Revision == ""
	if s.Store == "" || len(s.Apart) != len(r.apart) {
		if err := r.save(); err != nil {
			return err
		}
	}
	// What the first process fetched, the second one saves: many workspaces have only one.
	r.saved, r.ready = s.Store == "" || len(s.Lengths) > 0, true
	return nil
}

// save writes the state. The caller has locked r.
func (r *Replica) save() error {
	err := stateFile(r.folder.Root, r.folder.Dir).Replace(state{r.store, r.identity, r.lengths, r.revision, slices.Sorted(maps.Keys(r.apart))})
	if err == nil {
		r.stale, r.saved = 0, len(r.lengths) > 0
	}
	return err
}
