// Package feed keeps the journal of what happens to the handoffs of a workspace: each is
// written, linked, and goes through the steps of its receipts. Events have durable
// numbers, so that a reader that disconnects or restarts misses none and gets none twice.
//
// Processes that write a handoff or a receipt do not know the feed. It is derived: each
// reader compares the tree and the receipts with the events in the feed, and appends the
// missing ones. So it also has what happened while no process was reading it. An append
// succeeds only at the number that the comparison began with: if two processes find the
// same event, one appends it and the other compares again. A killed process leaves whole
// events, or a torn line that the next one cuts off and derives again.
//
// The package does not know how events are sent.
package feed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"sync"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/journal"
	files "handoff/internal/state"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Options configure a feed.
type Options struct {
	// Open opens the workspace. It is called for each comparison, so that changes to the
	// configuration take effect.
	Open func() (*workspace.Workspace, error)
	Say  func(text string) // about what cannot be read; may be nil
	// Poll is the interval between checks of receipts; default 250 ms. Documents are
	// watched.
	Poll time.Duration
}

// Feed is the feed of one workspace. Its methods may be called by many goroutines.
type Feed struct {
	opt  Options
	wake chan struct{} // has a value when something may have happened
	ctx  context.Context
	end  context.CancelFunc
	runs sync.WaitGroup

	mu      sync.Mutex
	started bool
	closed  bool
	file    *journal.Journal
	state   state
	seen    receipt.Seen
	links   map[string]linked // by task folder
	sums    documents.Sums    // of documents outside of task folders
	opened  *workspace.Workspace
	said    string // the last problem
}

// New returns a feed. Nothing is read or watched before the first [Feed.Follow].
func New(opt Options) *Feed {
	if opt.Say == nil {
		opt.Say = func(string) {}
	}
	if opt.Poll <= 0 {
		opt.Poll = 250 * time.Millisecond
	}
	f := &Feed{opt: opt, wake: make(chan struct{}, 1)}
	f.ctx, f.end = context.WithCancel(context.Background())
	f.forget()
	return f
}

// Wake makes the feed look at once, after this process has written a handoff or a
// receipt.
func (f *Feed) Wake() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// Close ends the watch and all followers.
func (f *Feed) Close() error {
	f.end()
	f.runs.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// Len is the number of events. The first call appends everything that has happened; from
// then on the feed is kept up to date.
func (f *Feed) Len(ctx context.Context) (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.started {
		return f.file.Len()
	}
	if f.closed {
		return 0, fs.ErrClosed
	}
	if err := f.update(ctx, true); err != nil {
		return 0, err
	}
	f.started = true
	f.runs.Go(f.keep)
	return f.file.Len()
}

// Follow yields the events from a number on, as lines of JSON, and waits for more until
// ctx ends. It must come after [Feed.Len].
func (f *Feed) Follow(ctx context.Context, from uint64) iter.Seq2[journal.Record, error] {
	f.mu.Lock()
	file := f.file
	f.mu.Unlock()
	return file.Follow(ctx, from)
}

// Update appends what happened since the last call of any process.
func (f *Feed) Update(ctx context.Context) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.update(ctx, true)
}

// update compares and appends until nothing is missing. The caller holds the lock.
// Without tree it looks at receipts only.
func (f *Feed) update(ctx context.Context, tree bool) error {
	ws, err := f.opt.Open()
	if err != nil {
		return err
	}
	defer ws.Close()
	f.opened = ws
	for {
		if err := f.catchUp(ws); err != nil {
			return err
		}
		events, err := f.missing(ctx, ws, tree)
		if err == nil && len(events) > 0 {
			err = f.append(ctx, events)
		}
		if err == nil {
			return nil
		}
		f.seen = receipt.Seen{} // the events that were read are still missing
		if !errors.Is(err, journal.ErrConflict) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}

// append appends all events, if no process has appended one since the last comparison.
func (f *Feed) append(ctx context.Context, events []Event) error {
	_, err := f.file.Append(ctx, journal.At(f.state.next), func(next uint64) (lines []journal.Line, err error) {
		for i := range events {
			events[i].Seq = next + uint64(i)
			text, err := events[i].line()
			if err != nil {
				return nil, err
			}
			lines = append(lines, journal.Line{Text: text})
		}
		return lines, nil
	})
	return err
}

// catchUp applies the events that any process has appended. A feed that was deleted
// begins again.
func (f *Feed) catchUp(ws *workspace.Workspace) error {
	for range 2 {
		err := f.open(ws)
		n := uint64(0)
		if err == nil {
			n, err = f.file.Len()
		}
		if errors.Is(err, fs.ErrNotExist) || err == nil && n < f.state.next {
			f.forget()
			continue
		}
		if err != nil {
			return err
		}
		for rec, err := range f.file.Since(f.state.next) {
			if err == nil {
				err = f.state.apply(rec.Line)
			}
			if err != nil {
				return fmt.Errorf("%s: event %d: %w: delete the file to begin again", f.file.Path(), f.state.next, err)
			}
		}
		return nil
	}
	return fmt.Errorf("%s: is deleted again and again", f.file.Path())
}

// forget begins again with an empty state.
func (f *Feed) forget() {
	f.state = state{of: map[string]told{}}
	f.seen, f.links, f.sums = receipt.Seen{}, map[string]linked{}, documents.Sums{}
}

// open opens the journal, and creates it if it does not exist. Each workspace of a
// repository has its own, next to the receipts that they share: the documents differ.
func (f *Feed) open(ws *workspace.Workspace) error {
	store, err := ws.Receipts()
	if err != nil {
		return err
	}
	root, err := filepath.EvalSymlinks(ws.Root)
	if err != nil {
		return err
	}
	place, sum := store.Place(), sha256.Sum256([]byte(root))
	path := filepath.Join(place.Beside(files.Feeds), hex.EncodeToString(sum[:8])+".jsonl")
	if f.file != nil && f.file.Path() == path {
		if _, err := f.file.Len(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	opt := journal.Options{Root: place.Root, MaxLine: maxLine}
	if err := atomicfile.MkdirAll(place.Root, filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := journal.Create(f.ctx, path, format, opt, nil)
	if errors.Is(err, fs.ErrExist) {
		file, err = journal.Open(f.ctx, path, format, opt)
	}
	if err != nil {
		return err
	}
	if f.file != nil {
		err = f.file.Close()
	}
	f.file = file
	f.forget()
	return err
}
