package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"handoff/artifact"
	"handoff/internal/journal"
	"handoff/thread"
)

// Threads are the threads of a workspace, with the blobs that they name. Its
// methods are the operations that the surfaces share; what else the store can
// do they ask of Store.
type Threads struct {
	Store *thread.Store
	Blobs *artifact.Store

	workspace *Workspace
	options   Options // with a clock
}

// Threads opens the workspace's threads, and closes the runs that were killed.
// To write, the folder of the tool's own files is created if it is missing. The
// caller closes the threads; a server keeps them open.
func (w *Workspace) Threads(ctx context.Context, writes bool) (*Threads, error) {
	o := w.Options
	o.Now = w.Now
	if o.Say == nil {
		o.Say = func(string) {}
	}
	if err := w.enter(writes); err != nil {
		return nil, err
	}
	blobs, err := w.Artifacts()
	if err != nil {
		return nil, err
	}
	t := &Threads{Blobs: blobs, workspace: w, options: o}
	t.Store, err = thread.Open(filepath.Join(w.Root, StateDir), thread.Options{
		Root: w.Root, Workspace: w.Root, Artifacts: blobs, Now: o.Now, NewID: o.NewID, Progress: o.Progress,
		Healed: func(path string, torn journal.Torn) {
			o.Say(fmt.Sprintf("%s: its last line was torn: %d bytes are kept in %s", w.Rel(path), torn.Bytes, w.Rel(torn.Aside)))
		},
	})
	if err != nil {
		blobs.Close()
		return nil, err
	}
	if err := t.Reap(ctx); err != nil {
		o.Say(err.Error())
	}
	return t, nil
}

// Close lets go of all files.
func (t *Threads) Close() error { return errors.Join(t.Store.Close(), t.Blobs.Close()) }

// shortestID is how much of a thread's id must be said.
const shortestID = 4

// Find is the id of the thread that a person means: the id, or a beginning
// that no other thread's id has.
func (t *Threads) Find(ctx context.Context, ref string) (string, error) {
	_, err := t.Store.Get(ctx, ref)
	if !errors.Is(err, fs.ErrNotExist) {
		return ref, err
	}
	return FindThread(ref, err, func() ([]string, error) { return t.Store.Streams(thread.Continuity) })
}

// FindThread looks for the one thread whose id begins with ref, of which
// notThere says that it is none itself.
func FindThread(ref string, notThere error, list func() ([]string, error)) (string, error) {
	if len(ref) < shortestID {
		return "", notThere
	}
	all, err := list()
	var found []string
	for _, id := range all {
		if strings.HasPrefix(id, ref) {
			found = append(found, id)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("thread %s: %d threads start like this, such as %s and %s: give more of the id", ref, len(found), found[0], found[1])
	}
	return "", errors.Join(notThere, err)
}
