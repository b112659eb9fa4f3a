package workspace

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"handoff/artifact"
	"handoff/engine"
	"handoff/engine/replica"
	"handoff/internal/journal"
	"handoff/receipt"
	"handoff/tape"
	"handoff/thread"
)

// copies are the folders of a workspace that are copies of the logs in its store.
type copies struct {
	mu       sync.Mutex
	engine   *replica.LazyEngine
	receipts kept
	state    kept
}

// kept is a folder that is kept up to date.
type kept struct {
	*replica.Replica
	synced bool // since then it is kept up to date
}

// keepEvery is the time between two syncs in a program that runs longer than a moment.
const keepEvery = time.Second

// Store returns the store that the configuration names, nil if that is the workspace's
// own files. Nobody closes it but the process.
func (w *Workspace) Store(ctx context.Context) (engine.Engine, error) {
	if w.Config.Store.IsFiles() {
		return nil, nil
	}
	w.copies.mu.Lock()
	defer w.copies.mu.Unlock()
	return w.lazy().Open(ctx)
}

// lazy is the engine of the store. The caller has locked the copies.
func (w *Workspace) lazy() *replica.LazyEngine {
	address := w.Config.Store
	if e := w.copies.engine; e != nil && e.Name() == address.String() {
		return e
	}
	open, root := w.Options.OpenStore, w.Root
	w.copies.receipts, w.copies.state = kept{}, kept{} // of another store: the configuration was reloaded
	w.copies.engine = replica.Lazy(address.String(), func(ctx context.Context) (engine.Engine, error) {
		if open == nil {
			return nil, fmt.Errorf("%s: %w: this program opens no stores", address, errors.ErrUnsupported)
		}
		return open(ctx, root, address)
	})
	return w.copies.engine
}

// upstreamOfReceipts brings the receipts up to date and returns their upstream, nil for
// a workspace whose files are the store.
func (w *Workspace) upstreamOfReceipts(ctx context.Context, place receipt.Place) (func(string) journal.Upstream, error) {
	folder := replica.Folder{Root: place.Root, Dir: place.Dir, Prefix: "receipts/", Owns: receipt.Owns}
	return w.upstream(ctx, folder, !w.Config.Store.IsFiles(), func(c *copies) *kept { return &c.receipts })
}

// upstreamOfState is upstreamOfReceipts for the threads and the tapes. A git remote
// stores only receipts.
func (w *Workspace) upstreamOfState(ctx context.Context) (func(string) journal.Upstream, error) {
	owns := func(path string) bool { return thread.Owns(path) || tape.Owns(path) }
	folder := replica.Folder{Root: w.Trusted(), Dir: filepath.Join(w.Root, StateDir), Owns: owns}
	return w.upstream(ctx, folder, w.Config.Store.Stream != "", func(c *copies) *kept { return &c.state })
}

// Refresh brings the threads and tapes up to date with the store, if the configuration
// names one, for callers that read the files themselves.
func (w *Workspace) Refresh(ctx context.Context) error {
	_, err := w.upstreamOfState(ctx)
	return err
}

func (w *Workspace) upstream(ctx context.Context, f replica.Folder, stored bool, which func(*copies) *kept) (func(string) journal.Upstream, error) {
	if !stored {
		return w.notACopy(f)
	}
	w.copies.mu.Lock()
	defer w.copies.mu.Unlock()
	e := w.lazy()
	k := which(&w.copies)
	if k.Replica == nil {
		k.Replica = replica.New(e, f, w.Options.Say)
	}
	if err := w.sync(ctx, k); err != nil {
		return nil, err
	}
	return k.Upstream, nil
}

// sync brings a folder up to date, unless it is. If the store cannot be reached, the
// files are read as they are, and a line says so.
func (w *Workspace) sync(ctx context.Context, k *kept) error {
	if k.synced {
		return nil
	}
	err := k.Sync(ctx)
	if errors.As(err, new(*replica.NotCopyError)) {
		return err
	}
	if err != nil && w.Options.Say != nil {
		w.Options.Say(err.Error() + ": reading the local copy, which may be out of date")
	}
	k.synced = true
	w.keep(k)
	return nil
}

// keep syncs a folder in the background until nobody uses the workspace any more.
func (w *Workspace) keep(k *kept) {
	ctx, cancel := context.WithCancel(context.Background())
	runtime.AddCleanup(w, func(cancel context.CancelFunc) { cancel() }, cancel)
	go k.Replica.Keep(ctx, keepEvery, nil)
}

// blobs are the artifacts in the store, nil if they are only in the workspace: a git
// remote stores none.
func (w *Workspace) blobs() artifact.Remote {
	if w.Config.Store.Stream == "" {
		return nil
	}
	w.copies.mu.Lock()
	defer w.copies.mu.Unlock()
	return w.lazy()
}

// notACopy refuses appends to files that are a copy of a store that the configuration
// does not name: the store would never get them.
func (w *Workspace) notACopy(f replica.Folder) (func(string) journal.Upstream, error) {
	store, err := replica.StoreOf(f.Root, f.Dir)
	if store == "" {
		return nil, err
	}
	refused := replica.Refuse(fmt.Errorf("%w: the files are a copy of %s: set `store: %[2]s` in %s, or delete %s to make the files authoritative",
		ErrCopy, store, ConfigFile, path.Join(RelSlash(w.Root, f.Dir), replica.StateFile)))
	return func(path string) journal.Upstream {
		if below, err := filepath.Rel(f.Dir, path); err == nil && f.Owns(filepath.ToSlash(below)) {
			return refused
		}
		return nil
	}, nil
}

// ErrCopy refuses a change of files that are a copy of a store.
var ErrCopy = errors.New("cannot be changed here")
