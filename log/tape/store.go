// Package tape keeps tapes: append-only streams of entries, one JSON object a
// line, in the format of Bub. Anchors divide a tape into phases: the context of
// a model starts after the last one, with its state. Tapes are appended to,
// forked, merged, reset, archived, handed over and followed.
//
// [Open] opens a store, [Store.Tape] names a tape in it, [Tape.Append] and [Tape.Handoff] write, [Tape.Slice] is what a
// model sees.
//
// The parts of a tape that need no store have packages of their own: entry (the
// lines), view (reading), calls (tool calls), uri (names), envelope and lineage
// (what a tape records of its forks, and their list). This package owns the files
// and their locks.
//
// It knows neither models nor prompts: package log/tape/chat turns entries into
// messages.
package tape

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/tape/entry"
	"handoff/log/tape/envelope"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// Options are what a store gets from outside.
type Options struct {
	// Root is the trusted folder that the store is in: no symbolic link is
	// followed below it. "" is the store's own folder.
	Root string
	// Workspace is the name of this workspace in tape:// URIs; "workspace" if "".
	Workspace string
	// Now is the clock, time.Now if nil. NewID makes the ids of forks, at least 8
	// letters or digits, random if nil. Both are called by many goroutines.
	Now   func() time.Time
	NewID func() string
	// Batch delays writing to the disk: see [journal.Options]. With 0 an entry is
	// on the disk when an append returns.
	Batch time.Duration
	// StateMessages adds to each handoff a message with the anchor's state, for
	// readers whose model does not see anchors: Bub.
	StateMessages bool
	// Progress is called while an index is built, in bytes.
	Progress func(path string, done, total int64)
	// Upstream, if not nil, returns the log of a store that a file is a copy of: see
	// generation.go. The entries of such tapes cannot be destroyed.
	Upstream func(path string) journal.Upstream
	// Waiting, if not nil, returns the appends to a tape that wait for the store, in their
	// order. Readers get them after the entries of the tape, with the id 0 and "queued" in meta.
	Waiting func(name string) ([]Waiting, error)
	// Away reports whether an error means that the store cannot be reached. Then a tape that
	// has no file here consists of what waits for it. Set with Waiting.
	Away func(error) bool
	// First, if not nil, is called before a tape is written to, ended or forked, to carry out
	// what was requested earlier. Its error ends the operation.
	First func(ctx context.Context, name string) error
}

// Store is the tapes of a workspace:
//
//	tape/main.jsonl                a tape
//	tape/main@2.jsonl              the same tape after a reset, if a store has it
//	tape/manifest.json             all tapes and anchors, derived: see [Store.Manifest];
//	                               up to a second late after a handoff, else current
//	tape/archived/main_DATE.jsonl  tapes that were reset, merged, discarded or deleted
//	envelopes.jsonl                which tape has received which envelope, if a store has it
//	session_graph.jsonl            which tape was forked from which, derived
//
// Any number of goroutines and processes may use it. Errors are handoff.ErrInvalid for
// requests that are never valid, fs.ErrNotExist and fs.ErrExist; all others come from the
// disk.
type Store struct {
	folder  string
	options Options
	pool    journal.Pool

	deciding  chan struct{} // holds a value while a decision over several files is made
	mu        sync.Mutex
	completed map[string]completed // by path
	outdated  outdated

	generations map[string]int      // the newest that was found, by tape
	seals       map[string]lookedAt // by path

	refreshing sync.Mutex
}

// Open opens the store in a folder, usually `.handoff`. It reads and creates
// nothing yet: a store that does not exist is empty.
func Open(folder string, o Options) (*Store, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if o.Root == "" {
		o.Root = folder
	}
	if o.Workspace == "" {
		o.Workspace = envelope.Workspace
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	return &Store{folder: folder, options: o, completed: map[string]completed{},
		generations: map[string]int{}, seals: map[string]lookedAt{}, outdated: outdated{tapes: map[string]bool{}}, deciding: make(chan struct{}, 1)}, nil
}

func randomID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Close closes all files. Followers end with fs.ErrClosed.
func (s *Store) Close() error {
	s.mu.Lock()
	s.outdated.closed = true
	s.mu.Unlock()
	s.refresh()
	return s.pool.Close()
}

const (
	tapeFolder = names.Tapes
	archived   = names.Archived
	suffix     = names.Suffix
)

// Tape is one tape of a store, or one file: see [Store.File]. Its file may not
// exist yet.
type Tape struct {
	store *Store
	name  string
	path  string
	bare  bool // a file outside the store: without lineage and first anchor
	plain bool // it is created without its first anchor

	pinned bool // path is the file of a generation, else of the first one: see generation.go
}

// Tape is the tape of that name. Only the name is checked.
func (s *Store) Tape(name string) (*Tape, error) {
	if err := envelope.CheckName(name); err != nil {
		return nil, err
	}
	return &Tape{store: s, name: name, path: s.tapePath(name)}, nil
}

// File is a tape in a file outside the store, such as Bub's. It is created
// without a first anchor, and cannot be forked, merged or reset.
func (s *Store) File(path string) (*Tape, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(path)
	if stem, ok := strings.CutSuffix(name, suffix); ok && stem != "" {
		name = stem
	}
	return &Tape{store: s, name: name, path: path, bare: true}, nil
}

// Name is the tape's name; for a file, its name without the suffix.
func (t *Tape) Name() string { return t.name }

// Path is the tape's file.
func (t *Tape) Path() string { return t.at() }

// Root is the trusted folder that the tape is in, "" for a file that the user
// named: see [Options].
func (t *Tape) Root() string { return string(t.store.rootOf(t.path)) }

// Exists reports whether the tape has a file, or entries that wait for it.
func (t *Tape) Exists() (bool, error) {
	if !t.bare && !t.pinned && t.store.options.Waiting != nil {
		if waiting, err := t.store.options.Waiting(t.name); err != nil || len(waiting) > 0 {
			return err == nil, err
		}
	}
	stat := os.Lstat // a broken link exists, and is refused
	if t.bare && t.store.rootOf(t.path) == nofollow.Named {
		stat = os.Stat
	}
	_, err := stat(t.at())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// inStore is an error for a tape that is not in a store, and so cannot be
// changed in a way.
func (t *Tape) inStore(change string) error {
	if !t.bare {
		return nil
	}
	return entry.Invalid("%s does not belong to a store and cannot be %s", t.path, change)
}

// upstream is the log that a file is a copy of, nil for none.
func (s *Store) upstream(path string) journal.Upstream {
	if s.options.Upstream == nil {
		return nil
	}
	return s.options.Upstream(path)
}

// ErrCopy: the tape is a copy of a log in a store, which only grows.
var ErrCopy = entry.Invalid("the workspace's tapes are in a store (`store` in .handoff.yaml), where entries are never removed")

// mayDestroy is an error for a tape whose entries nothing can destroy.
func (t *Tape) mayDestroy() error {
	if t.store.upstream(t.path) == nil {
		return nil
	}
	return fmt.Errorf("tape %s: its entries cannot be destroyed: %w: archive them (without --no-archive)", t.name, ErrCopy)
}

// missing is the error for a tape that does not exist.
func (t *Tape) missing() error {
	return fmt.Errorf("tape %s: no such tape here: %w", t.name, fs.ErrNotExist)
}

// readTape is read for the file that a tape has now.
func (s *Store) readTape(name string, ask func(*journal.Snapshot) error) error {
	t, err := s.Tape(name)
	if err != nil {
		return err
	}
	return s.read(t.at(), ask)
}

// tapePath is the first file of a tape, and the only one unless a store has it.
func (s *Store) tapePath(name string) string { return s.inTapes(names.FileName(name) + suffix) }

// inTapes is a path in the folder of the tapes.
func (s *Store) inTapes(elements ...string) string {
	return filepath.Join(append([]string{s.folder, tapeFolder}, elements...)...)
}

// MaxEntry is the longest line that is written, in bytes, and MaxRequest the longest text
// that entries are read from, on every way: an entry as others spell it, and what is around
// it.
const (
	MaxEntry   = 16 << 20
	MaxRequest = MaxEntry + 1<<20
)

func (s *Store) journalOptions(path string) journal.Options {
	o := journal.Options{Root: s.rootOf(path), MaxLine: MaxEntry, Batch: s.options.Batch}
	if s.options.Progress != nil {
		o.Progress = func(done, total int64) { s.options.Progress(path, done, total) }
	}
	o.Upstream = s.upstream(path)
	return o
}

func (s *Store) graph() lineage.Graph {
	path := filepath.Join(s.folder, "session_graph.jsonl")
	return lineage.Graph{Path: path, Pool: &s.pool, Options: s.journalOptions(path)}
}

func (s *Store) root() nofollow.Root { return nofollow.Root(s.options.Root) }

// rootOf is the trusted folder of a path: [nofollow.Named] for one outside the
// store.
func (s *Store) rootOf(path string) nofollow.Root {
	if !strings.HasPrefix(path, s.folder+string(filepath.Separator)) {
		return nofollow.Named
	}
	return s.root()
}

func (s *Store) take(ctx context.Context, path string) (j *journal.Journal, release func(), err error) {
	return s.pool.Take(path, func() (*journal.Journal, error) {
		return journal.Open(ctx, path, view.Format, s.journalOptions(path))
	})
}

// journal is the journal of a tape, fs.ErrNotExist if it has no file; release it.
func (s *Store) journal(ctx context.Context, path string) (j *journal.Journal, release func(), err error) {
	j, release, err = s.take(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if _, err = j.Len(); err != nil { // the file may have been removed since it was opened
		release()
		return nil, nil, err
	}
	return j, release, nil
}

// openExisting is the journal of the tape, which must exist; release it.
func (t *Tape) openExisting(ctx context.Context) (j *journal.Journal, release func(), err error) {
	j, release, err = t.store.journal(ctx, t.atIn(ctx))
	if errors.Is(err, fs.ErrNotExist) {
		err = t.missing()
	}
	return j, release, err
}

// snapshot returns the present content of a file, fs.ErrNotExist if there is
// none; release it.
func (s *Store) snapshot(path string) (snap *journal.Snapshot, release func(), err error) {
	j, release, err := s.take(context.Background(), path)
	if err != nil {
		return nil, nil, err
	}
	if snap, err = j.Snapshot(); err != nil { // the file may have been removed since it was opened
		release()
		return nil, nil, err
	}
	return snap, release, nil
}

// read calls ask with the content of a file, unless there is no such file.
func (s *Store) read(path string, ask func(*journal.Snapshot) error) error {
	snap, release, err := s.snapshot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer release()
	return ask(snap)
}

// snapshots goes through the contents of files, leaving out those that do not
// exist. An error ends it; listed is the error of finding the paths.
func (s *Store) snapshots(paths []string, listed error) iter.Seq2[*journal.Snapshot, error] {
	return func(yield func(*journal.Snapshot, error) bool) {
		more, err := true, listed
		for i := 0; err == nil && more && i < len(paths); i++ {
			err = s.read(paths[i], func(snap *journal.Snapshot) error {
				more = yield(snap, nil)
				return nil
			})
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// now is the date of entries that are written now.
func (s *Store) now() string { return entry.FormatTime(s.options.Now()) }
