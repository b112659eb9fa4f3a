// Package replica keeps the files of a folder as copies of logs in an engine, so that
// stores that read and write journals work unchanged on an engine.
//
// The engine is authoritative. An append goes to the engine first and then to the file
// (package appendlog does that, with the [journal.Upstream] of a file), and [Replica.Sync]
// fetches what others have appended. So a file never has more than its log. It may lack
// what a killed process or another machine wrote. Its line n is record n of the log.
//
// A file that differs is never merged. If the log has other records, the file is moved
// aside and fetched again. If the log has fewer, the store has lost records, and the
// file is left alone: see [AheadError].
package replica

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/log/engine"
)

// Folder is a folder of journals.
type Folder struct {
	Root nofollow.Root // trusted: no symlink is followed below it
	Dir  string        // absolute, at or below Root
	// Prefix is what the names of the logs begin with, before the path of the file
	// below Dir: "" or "receipts/".
	Prefix string
	// Owns reports whether a path below Dir, with forward slashes, is the path of a log.
	Owns func(path string) bool
	// Identity returns a new identity of a store for this project, which a store without one
	// gets, and with which others are compared. It may take a while. nil: nothing is compared.
	Identity func(context.Context) engine.Identity
}

// Replica is a folder whose logs are copies. Any number of goroutines and processes may
// use the same folder.
type Replica struct {
	logs   engine.Engine
	store  string // its address, for messages
	folder Folder
	say    func(string)
	budget time.Duration

	mu      sync.Mutex
	ready   bool             // the folder is a copy of the store: see adopt
	lengths map[string]count // by log
	stale   int              // lengths that are not on the disk yet
	saved   bool             // the disk has lengths
	reached bool             // the engine has answered

	synced time.Time     // when the last sync that fetched everything began; zero for none
	took   time.Duration // that sync
	behind bool          // a later one has failed

	identity string // id of the store, "" if it has none
	nothing  bool   // the folder had nothing of the store when it was opened
	asked    bool   // the store was asked for its identity since then
	refused  error  // the store turned out to be of another project

	apart map[string]error // by log: why its file is not used as a copy

	revision string // of the engine, up to which the files have everything; "" for none
}

// New returns the replica of a folder. It reads and creates nothing yet. say gets a line
// about each file that is set aside; it may be nil.
func New(e engine.Engine, f Folder, say func(string)) *Replica {
	if say == nil {
		say = func(string) {}
	}
	return &Replica{logs: e, store: e.Name(), folder: f, say: say, budget: engine.Budget, lengths: map[string]count{}, apart: map[string]error{}}
}

// Store is the address of the store.
func (r *Replica) Store() string { return r.store }

// Upstream is the log that a file is a copy of; nil for any other file.
func (r *Replica) Upstream(path string) journal.Upstream {
	below, ok := strings.CutPrefix(path, r.folder.Dir+string(filepath.Separator))
	below = filepath.ToSlash(below)
	if !ok || !r.folder.Owns(below) {
		return nil
	}
	return &file{r: r, log: r.folder.Prefix + below, path: path}
}

// of is the file of a log, nil for a log that is not one of the folder.
func (r *Replica) of(log string) *file {
	below, ok := strings.CutPrefix(log, r.folder.Prefix)
	if !ok || engine.CheckLog(log) != nil || !r.folder.Owns(below) {
		return nil
	}
	return &file{r: r, log: log, path: filepath.Join(r.folder.Dir, filepath.FromSlash(below))}
}

// AheadError: a file has records that its log lacks, although each record is written
// to the store first. So the store has lost records, for example because it was
// restored from a backup, or another program wrote to the file. Nothing is appended to
// such a log, and the file is left alone.
type AheadError struct {
	Path, Store string
	Here, There uint64 // records
}

func (e *AheadError) Error() string {
	return fmt.Sprintf("%s has %d records, but %s has only the first %d: the store has lost records, or another program wrote to the file "+
		"(to add them to the store: `handoff store copy files %[3]s`; to drop them, move the file away)", e.Path, e.Here, e.Store, e.There)
}

// NotCopyError: a folder that became a copy of the store has a file with records that the
// store lacks. The file is left alone, and nothing is appended to its log. If that is so
// for all files, the store is none that the folder can be a copy of.
type NotCopyError struct{ Path, Store string }

func (e *NotCopyError) Error() string {
	return fmt.Sprintf("%s is not a copy of its log in %s: copy the workspace's files there (`handoff store copy files %[2]s`), or move the file away",
		e.Path, e.Store)
}

// file is a file and its log. It is a [journal.Upstream].
type file struct {
	r    *Replica
	log  string
	path string
	tail []engine.Record // see [engine.Info]; nil most of the time
}

// read is [engine.Logs.Read], without a request where the tail has the records.
func (f *file) read(ctx context.Context, from uint64) iter.Seq2[engine.Record, error] {
	n := len(f.tail)
	if n == 0 || from < f.tail[0].Number || from > f.tail[n-1].Number {
		return f.r.logs.Read(ctx, f.log, from)
	}
	return func(yield func(engine.Record, error) bool) {
		for _, record := range f.tail[from-f.tail[0].Number:] {
			if !yield(record, nil) {
				return
			}
		}
	}
}

// Append implements [journal.Upstream].
func (f *file) Append(ctx context.Context, length uint64, records [][]byte) error {
	return engine.InTime(ctx, func(ctx context.Context) error { return f.append(ctx, length, records) })
}

func (f *file) append(ctx context.Context, length uint64, records [][]byte) error {
	if err := f.usable(ctx); err != nil {
		return err
	}
	if err := f.r.reach(ctx, f.log); err != nil {
		return err
	}
	if err := f.r.identify(ctx); err != nil {
		return err
	}
	err := engine.Append(ctx, f.r.logs, f.r.budget, engine.Batch{Log: f.log, Expected: length, Records: records})
	for outcome, as := range map[error]error{engine.ErrConflict: journal.ErrConflict, engine.ErrUnknown: journal.ErrUnknown, engine.ErrTooLarge: journal.ErrTooLarge} {
		if errors.Is(err, outcome) {
			return fmt.Errorf("%s: %w: %w", f.r.store, as, err)
		}
	}
	if err == nil {
		f.appended(length, records)
	}
	if errors.Is(err, engine.ErrUnavailable) {
		f.r.lost()
	}
	return f.r.about(err)
}

// appended learns the length that the file is about to have.
func (f *file) appended(length uint64, records [][]byte) {
	c := f.r.known(f.log)
	if length == 0 {
		c = count{}
	}
	if c.Lines != length {
		return
	}
	for _, record := range records {
		c.Bytes += int64(len(record)) + 1
		c.Lines++
	}
	f.r.learn(f.log, c)
}

// about names the store in an error.
func (r *Replica) about(err error) error { return engine.About(r.store, err) }

// patiently repeats a request that reads while the store cannot be reached, as during the
// election of a leader, if it could be reached before. A store that was unreachable from
// the beginning, or for the whole budget of another request, is reported at once.
func (r *Replica) patiently(ctx context.Context, ask func() error) error {
	until := time.Now().Add(r.budget)
	for {
		err := ask()
		r.mu.Lock()
		again := r.reached && errors.Is(err, engine.ErrUnavailable) && time.Now().Before(until)
		r.reached = r.reached || err == nil || errors.Is(err, fs.ErrNotExist)
		r.mu.Unlock()
		if !again {
			if errors.Is(err, engine.ErrUnavailable) {
				r.lost()
			}
			return r.about(err)
		}
		select {
		case <-ctx.Done():
			r.lost()
			return r.about(err)
		case <-time.After(pause):
		}
	}
}

// lost makes requests fail at once until the store answers again.
func (r *Replica) lost() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reached = false
}

// reach returns an error at once if the store cannot be reached and was not before.
func (r *Replica) reach(ctx context.Context, log string) error {
	r.mu.Lock()
	reached := r.reached
	r.mu.Unlock()
	if reached {
		return nil
	}
	return r.patiently(ctx, func() error {
		_, err := r.logs.Len(ctx, log)
		return err
	})
}

// pause is the time between two requests to a store that cannot be reached.
const pause = 250 * time.Millisecond
