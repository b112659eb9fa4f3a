package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"handoff/internal/file/atomicfile"
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

func readState(root nofollow.Root, dir string) (s state, err error) {
	path := filepath.Join(dir, StateFile)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // one call, for paths that are not folders
		return s, nil
	}
	src, err := root.ReadUnlinked(path, maxState)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = json.Unmarshal(src, &s)
	}
	if err != nil {
		return s, fmt.Errorf("%s: cannot be read: %w (if you delete it, all files are compared with the store again)", path, err)
	}
	return s, nil
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
	src, err := json.Marshal(state{r.store, r.identity, r.lengths, r.revision, slices.Sorted(maps.Keys(r.apart))})
	if err != nil {
		return err
	}
	if err := atomicfile.MkdirAll(r.folder.Root, r.folder.Dir, 0o755); err != nil {
		return err
	}
	r.stale, r.saved = 0, len(r.lengths) > 0
	return atomicfile.Write(r.folder.Root, filepath.Join(r.folder.Dir, StateFile), append(src, '\n'), 0o644)
}
