package tape

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/journal"
)

// Options say what a store gets from outside.
type Options struct {
	// Root is the trusted folder that the store is below: no symbolic link is
	// followed from there on. "" stands for the store's own folder.
	Root string
	// Workspace is what tape:// URIs call this one; "workspace" if "".
	Workspace string
	// Now is the clock, time.Now if nil; NewID makes what tells forks apart,
	// at least 8 letters or digits, random if nil. Both are called by many
	// goroutines.
	Now   func() time.Time
	NewID func() string
	// Batch lets entries wait for the disk: see [journal.Options]. 0 means
	// that each is there when it is said to be.
	Batch time.Duration
	// TellState writes a message with the anchor's state after each handoff,
	// for readers whose model does not see the anchor: Bub.
	TellState bool
	// Progress is told how far the making of an index is, in bytes.
	Progress func(path string, done, total int64)
}

// Store is the tapes of a workspace:
//
//	tape/main.jsonl              a tape; others stand beside it
//	tape/manifest.json           what there is, derived: see [Store.Manifest];
//	                             a second behind handoffs at most, else current
//	tape/archived/main_DATE.jsonl  tapes that were reset, merged or discarded
//	session_graph.jsonl          which tape was forked from which, derived
//
// Any number of goroutines and processes may use the same one. Errors are of
// the kinds handoff.ErrInvalid for what no state of the store could make good,
// fs.ErrNotExist, and fs.ErrExist; all others are of the disk.
type Store struct {
	folder  string
	options Options
	pool    journal.Pool

	deciding  chan struct{} // holds a value while someone decides
	mu        sync.Mutex
	completed map[string]completed // by path
	stale     stale

	refreshing sync.Mutex
}

// Open opens the store in a folder, `.handoff` by custom. Nothing is read or
// made yet: a store that is not there is empty.
func Open(folder string, o Options) (*Store, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if o.Root == "" {
		o.Root = folder
	}
	if o.Workspace == "" {
		o.Workspace = anyWorkspace
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	return &Store{folder: folder, options: o, completed: map[string]completed{}, stale: stale{tapes: map[string]bool{}}, deciding: make(chan struct{}, 1)}, nil
}

func randomID() string {
	var b [8]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Close lets go of all files. Followers end with fs.ErrClosed.
func (s *Store) Close() error {
	s.refresh()
	return s.pool.Close()
}

const (
	tapeFolder = "tape"
	archived   = "archived"
	suffix     = ".jsonl"
)

// Tape is one tape of a store, or one file: see [Store.File]. It may have no
// file yet.
type Tape struct {
	store *Store
	name  string
	path  string
	bare  bool // a file that is of no store: without lineage and bootstrap
	plain bool // it is begun without its bootstrap anchor
}

// Tape names a tape. Only the name is looked at.
func (s *Store) Tape(name string) (*Tape, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	return &Tape{store: s, name: name, path: filepath.Join(s.folder, tapeFolder, fileName(name)+suffix)}, nil
}

// File is a tape that stands elsewhere, as Bub's do. It is not begun with a
// bootstrap anchor, and cannot be forked, merged or reset.
func (s *Store) File(path string) (*Tape, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name, _ := splitSuffix(filepath.Base(path))
	return &Tape{store: s, name: name, path: path, bare: true}, nil
}

func splitSuffix(base string) (string, bool) {
	if n := len(base) - len(suffix); n > 0 && base[n:] == suffix {
		return base[:n], true
	}
	return base, false
}

// Name is the tape's name; that of a file is its own without the suffix.
func (t *Tape) Name() string { return t.name }

// Path is the tape's file.
func (t *Tape) Path() string { return t.path }

// Root is the trusted folder that the tape is below, "" for a file that the user
// named: see [Options].
func (t *Tape) Root() string { return string(t.store.rootOf(t.path)) }

// Exists reports whether the tape has a file.
func (t *Tape) Exists() (bool, error) {
	stat := os.Lstat // a link that leads nowhere is there, and is refused
	if t.bare && t.store.rootOf(t.path) == nofollow.Named {
		stat = os.Stat
	}
	_, err := stat(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// List names the tapes that there are, sorted.
func (s *Store) List() ([]string, error) {
	return namesIn(filepath.Join(s.folder, tapeFolder), fs.FileMode.IsRegular)
}

// Linked names the tapes in the place of whose files there are symbolic links,
// sorted. They are not followed: [Tape.Info] and all else fails, and says where
// they lead. [Store.List] leaves them out.
func (s *Store) Linked() ([]string, error) {
	return namesIn(filepath.Join(s.folder, tapeFolder), func(m fs.FileMode) bool { return m&fs.ModeSymlink != 0 })
}

func namesIn(folder string, wanted func(fs.FileMode) bool) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := nameOf(e.Name()); ok && wanted(e.Type()) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// maxEntry is the longest line that is written, in bytes.
const maxEntry = 16 << 20

func (s *Store) journalOptions(path string) journal.Options {
	o := journal.Options{Root: s.rootOf(path), MaxLine: maxEntry, Batch: s.options.Batch}
	if s.options.Progress != nil {
		o.Progress = func(done, total int64) { s.options.Progress(path, done, total) }
	}
	return o
}

func (s *Store) take(path string) (j *journal.Journal, release func(), err error) {
	return s.pool.Take(path, func() (*journal.Journal, error) {
		return journal.Open(path, lineFormat, s.journalOptions(path))
	})
}

func (s *Store) root() nofollow.Root { return nofollow.Root(s.options.Root) }

// rootOf is the trusted folder of a path: [nofollow.Named] for one that is not
// in the store.
func (s *Store) rootOf(path string) nofollow.Root {
	if !strings.HasPrefix(path, s.folder+string(filepath.Separator)) {
		return nofollow.Named
	}
	return s.root()
}

// noLink refuses what stands in the place of one of the store's files and is
// none. A tree that was got from elsewhere may hold a link that leads out of it:
// to append there would spoil a file that is none of ours. Files that are named
// by people, and those of Bub, may be links.
func (s *Store) noLink(path string) error {
	if s.rootOf(path) == nofollow.Named {
		return nil
	}
	switch regular.KindOf(path) {
	case regular.Nothing, regular.File: // of the first the journal tells
		return nil
	case regular.Link:
		return fmt.Errorf("%s: a link, which is not followed here", path)
	}
	return fmt.Errorf("%s: not a regular file", path)
}

// journal is that of a tape which is there, else fs.ErrNotExist; release it.
func (s *Store) journal(path string) (j *journal.Journal, release func(), err error) {
	j, release, err = s.take(path)
	if err != nil {
		return nil, nil, err
	}
	if _, err = j.Len(); err != nil { // it may have been taken away since
		release()
		return nil, nil, err
	}
	return j, release, nil
}

// snapshot is what a journal has now, for who only reads; release it.
func (s *Store) snapshot(path string) (snap *journal.Snapshot, release func(), err error) {
	j, release, err := s.take(path)
	if err != nil {
		return nil, nil, err
	}
	if snap, err = j.Snapshot(); err != nil { // it may have been taken away since
		release()
		return nil, nil, err
	}
	return snap, release, nil
}

// now is the date of what is written now.
func (s *Store) now() string { return isoDate(s.options.Now()) }
