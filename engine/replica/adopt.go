package replica

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
)

// StateFile is the name of the file, in each folder that is a copy, with the address of
// the store.
const StateFile = "replica.json"

// state is the content of [StateFile].
type state struct {
	Store string `json:"store"`
	// Lengths are the lengths of the files when they were last fetched. They save
	// counting lines; a wrong or outdated one only costs time.
	Lengths map[string]count `json:"lengths,omitempty"`
	// Revision is what the engine reported as its revision before the last sync that
	// fetched everything: see [engine.Changer].
	Revision string `json:"revision,omitempty"`
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
// or was a copy of another store, becomes one if each of its files is the beginning of
// its log. Otherwise records that only a file has would be set aside as a difference.
func (r *Replica) adopt(ctx context.Context) error {
	r.mu.Lock()
	ready := r.ready
	r.mu.Unlock()
	if ready {
		return nil
	}
	s, err := readState(r.folder.Root, r.folder.Dir)
	if err != nil {
		return err
	}
	if s.Store != r.store {
		s = state{}
		if err := r.compareAll(ctx); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for log, c := range s.Lengths {
		if _, known := r.lengths[log]; !known {
			r.lengths[log] = c
		}
	}
	if r.revision == "" {
		r.revision = s.Revision
	}
	if s.Store == "" {
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
	src, err := json.Marshal(state{r.store, r.lengths, r.revision})
	if err != nil {
		return err
	}
	if err := atomicfile.MkdirAll(r.folder.Root, r.folder.Dir, 0o755); err != nil {
		return err
	}
	r.stale, r.saved = 0, len(r.lengths) > 0
	return atomicfile.Write(r.folder.Root, filepath.Join(r.folder.Dir, StateFile), append(src, '\n'), 0o644)
}

// compareAll returns an error unless each file is the beginning of its log.
func (r *Replica) compareAll(ctx context.Context) error {
	err := filepath.WalkDir(r.folder.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		up, owned := r.Upstream(path).(*file)
		if !owned {
			return nil
		}
		return up.mustBegin(ctx)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return r.about(err)
}

// mustBegin returns a [NotCopyError] unless the file is the beginning of its log.
func (f *file) mustBegin(ctx context.Context) error {
	open, err := f.r.folder.Root.OpenFile(f.path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer open.Close()
	c, err := f.count(open, count{})
	if err != nil {
		return err
	}
	there, same, err := f.compare(ctx, open)
	if err == nil && (!same || there < c.Lines) {
		err = &NotCopyError{Path: f.path, Store: f.r.store}
	}
	return err
}
