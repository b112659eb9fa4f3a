// Package log keeps the journals of relays: it records their facts, reads them again and
// lists the relays. A relay is locked by the process that runs it.
package log

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/journal"
	"handoff/internal/state"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
)

// folder is the folder of the journals, below the folder of the tool's own files.
const folder = state.Relays

// maxFile is the most bytes of a journal that are read: thousands of links.
const maxFile = 16 << 20

func pathOf(ws *workspace.Workspace, id, ending string) string {
	return filepath.Join(ws.Root, workspace.StateDir, folder, id+ending)
}

// Book is the journal of a relay whose lock this process holds. Its folder is in the working tree, where an
// agent may delete it (`git clean -x`): then it is written again, see [Book.Restore].
type Book struct {
	Next uint64 // number of the next fact

	ws     *workspace.Workspace
	id     string
	unlock func() error

	mu    sync.Mutex
	file  *journal.Journal
	facts [][]byte // all lines of the file
}

// ErrRunning is the kind of errors about a relay that another process runs.
var ErrRunning = errors.New("another process runs it")

// lockWait is how long a relay waits for its lock: `handoff relay --list` takes it for
// a moment, to see whether the relay runs.
const lockWait = 100 * time.Millisecond

// orphanWait is how long it waits for the lock of a relay that was killed while it started
// an agent: see [lockfile.Orphaned].
const orphanWait = 10 * time.Second

// Lock takes the lock of a relay, which [Book.Close] releases. The error for one that
// another process holds is [ErrRunning].
func Lock(ws *workspace.Workspace, id string) (*Book, error) {
	if _, err := ws.CreateStateDir(); err != nil {
		return nil, err
	}
	path := pathOf(ws, id, ".lock")
	if err := atomicfile.MkdirAll(ws.Trusted(), filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	unlock, err := lockIn(ws, path, lockWait)
	if errors.Is(err, context.DeadlineExceeded) && lockfile.Orphaned(ws.Trusted(), path) {
		unlock, err = lockIn(ws, path, orphanWait)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("relay %s: %w", id, ErrRunning)
	}
	if err == nil {
		if err = answered(ws, id); err != nil {
			err = errors.Join(err, unlock())
		}
	}
	return &Book{ws: ws, id: id, unlock: unlock}, err
}

// Begin waits until no other relay of the repository begins. A relay that begins looks for others of its task, and
// others see it once it has its journal: two at once would not see each other.
func Begin(ctx context.Context, ws *workspace.Workspace) (begun func() error, err error) {
	store, err := ws.Receipts()
	if err != nil {
		return nil, err
	}
	place := store.Place()
	path := place.Beside(folder) + ".lock"
	if place.InGit() {
		err = atomicfile.MkdirAll(place.Root, filepath.Dir(path), 0o755)
	} else {
		_, err = ws.CreateStateDir()
	}
	if err != nil {
		return nil, err
	}
	return lockfile.Lock(lockfile.NotStopped(ctx), place.Root, path)
}

func lockIn(ws *workspace.Workspace, path string, wait time.Duration) (unlock func() error, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	return lockfile.Lock(ctx, ws.Trusted(), path)
}

func (b *Book) options() journal.Options { return journal.Options{Root: b.ws.Trusted()} }

// Create writes the first fact.
func (b *Book) Create(f chain.Fact) error {
	line, err := f.Marshal()
	if err != nil {
		return err
	}
	b.Next = 1
	return b.write([][]byte{line})
}

// write creates the file with these lines.
func (b *Book) write(facts [][]byte) (err error) {
	b.file, err = journal.Create(context.Background(), pathOf(b.ws, b.id, ".jsonl"), format, b.options(), journal.Lines(facts))
	b.facts = facts
	return err
}

// Open reads all facts, and continues after them.
func (b *Book) Open() (s chain.State, err error) {
	if b.file, err = journal.Open(context.Background(), pathOf(b.ws, b.id, ".jsonl"), format, b.options()); err != nil {
		return s, err
	}
	s, b.facts, err = fold(b.ws, b.id)
	b.Next = uint64(len(b.facts))
	return s, err
}

// Add appends a fact and returns once it is on the disk.
func (b *Book) Add(f chain.Fact) error {
	line, err := f.Marshal()
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.restore(); err != nil {
		return err
	}
	_, err = b.file.Append(context.Background(), journal.At(b.Next), func(uint64) ([]journal.Line, error) {
		return journal.Lines([][]byte{line}), nil
	})
	if err == nil {
		b.Next++
		b.facts = append(b.facts, line)
	}
	return err
}

// Restore writes the journal again if it was deleted, and takes the lock that belongs to it. Without it, commands find
// no relay of this id: `handoff done` of its agent, and a second relay for the same task.
func (b *Book) Restore() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.restore()
}

func (b *Book) restore() error {
	if !missing(pathOf(b.ws, b.id, ".jsonl")) {
		return nil
	}
	if _, err := b.ws.CreateStateDir(); err != nil {
		return err
	}
	lock := pathOf(b.ws, b.id, ".lock")
	if err := atomicfile.MkdirAll(b.ws.Trusted(), filepath.Dir(lock), 0o755); err != nil {
		return err
	}
	if missing(lock) { // the one that is held has no name any more
		unlock, err := lockIn(b.ws, lock, lockWait)
		if err != nil {
			return err
		}
		former := b.unlock
		b.unlock = func() error { return errors.Join(unlock(), former()) }
	}
	return errors.Join(b.file.Close(), b.write(b.facts))
}

func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// Close closes the journal and releases the lock.
func (b *Book) Close() error {
	var err error
	if b.file != nil {
		err = b.file.Close()
	}
	return errors.Join(err, b.unlock())
}

// Read reads the state of a relay.
func Read(ws *workspace.Workspace, id string) (chain.State, error) {
	s, _, err := fold(ws, id)
	return s, err
}

// fold reads the facts of a relay, and returns their lines. Like the journal it leaves out a torn last line,
// which nothing has acted on.
func fold(ws *workspace.Workspace, id string) (s chain.State, facts [][]byte, err error) {
	next := uint64(0)
	path := pathOf(ws, id, ".jsonl")
	src, err := ws.Trusted().ReadUnlinked(path, maxFile)
	if err != nil {
		return s, nil, err
	}
	for len(src) > 0 {
		line, rest, whole := bytes.Cut(src, []byte("\n"))
		if !whole || len(rest) == 0 && journal.Interrupted(line) {
			break
		}
		f, err := chain.Parse(line)
		switch {
		case err != nil:
		case f.Seq != next:
			err = fmt.Errorf("damaged: has number %d, want %d", f.Seq, next)
		case (f.Kind == chain.Started) != (next == 0) || f.Kind == chain.Started && (f.Plan == nil || len(f.Plan.Agents) == 0) || f.Kind == chain.Looked && f.Left == nil || f.Kind == chain.Gated && f.Gate == nil:
			err = fmt.Errorf("damaged: incomplete fact %q", f.Kind)
		}
		if err != nil {
			return s, facts, fmt.Errorf("%s:%d: %w", path, next+1, err)
		}
		s.Apply(f)
		next++
		facts = append(facts, line)
		src = rest
	}
	if next == 0 {
		err = fmt.Errorf("%s: no complete fact: start a new relay", path)
	}
	return s, facts, err
}

// format is that of the journals. Like the format of receipts, it accepts unknown
// kinds, because the journal would cut an unreadable last line off as torn.
var format = journal.Format{Version: 1, Begun: true, Whole: true, Read: func(line []byte) (journal.Facts, error) {
	var f struct {
		Seq *uint64 `json:"seq"`
	}
	err := json.Unmarshal(line, &f)
	if err == nil && f.Seq == nil {
		err = errors.New(`"seq" is missing`)
	}
	if err != nil {
		return journal.Facts{}, err
	}
	return journal.Facts{Number: *f.Seq}, nil
}}
