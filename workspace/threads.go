package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"handoff/artifact"
	"handoff/internal/journal"
	"handoff/thread"
)

// Edge is what threads need from outside the program. The same edge and the
// same requests make the same bytes.
type Edge struct {
	Now   func() time.Time // the clock; nil for the system's
	NewID func() string    // ids of threads, runs and events; nil for random ones
	// Say is told, in a line, of what was set right in passing; Progress of how
	// far the making of an index is, in bytes. Either may be nil.
	Say      func(string)
	Progress func(path string, done, total int64)
	// Writes says that something is going to be written: the folder of the
	// tool's own files is made for it. To look, nothing is.
	Writes bool
}

// Threads are the threads of a workspace, with the blobs that they name. Its
// methods are the operations that the surfaces share; what else the store can
// do they ask of Store.
type Threads struct {
	Store *thread.Store
	Blobs *artifact.Store

	workspace *Workspace
	edge      Edge
}

// Threads opens the workspace's threads, and closes the runs that were killed.
// The caller closes the threads; a server keeps them open.
func (w *Workspace) Threads(ctx context.Context, e Edge) (*Threads, error) {
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Say == nil {
		e.Say = func(string) {}
	}
	if err := w.enter(e.Writes); err != nil {
		return nil, err
	}
	blobs, err := w.Artifacts()
	if err != nil {
		return nil, err
	}
	t := &Threads{Blobs: blobs, workspace: w, edge: e}
	t.Store, err = thread.Open(filepath.Join(w.Root, StateDir), thread.Options{
		Root: w.Root, Workspace: w.Root, Artifacts: blobs, Now: e.Now, NewID: e.NewID, Progress: e.Progress,
		Healed: func(path string, torn journal.Torn) {
			e.Say(fmt.Sprintf("%s: its last line was torn: %d bytes are kept in %s", w.Rel(path), torn.Bytes, w.Rel(torn.Aside)))
		},
	})
	if err != nil {
		blobs.Close()
		return nil, err
	}
	if err := t.Reap(ctx); err != nil {
		e.Say(err.Error())
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
