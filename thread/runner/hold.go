package runner

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/thread"
)

// A run that has begun and not ended is, below the store,
//
//	runs/ID.json    what it is, see [Record]
//	runs/ID.lock    held by the process that runs it
//	runs/ID.cancel  made by who wants it to end
//	runs/ID.events  what the command says of its tools, see [reports]
//
// The record is written after the lock was taken and removed before it is let
// go. So a record whose lock is free is of a run that was killed.

// Record says what runs.
type Record struct {
	RunID     string    `json:"run_id"`
	ThreadID  string    `json:"thread_id"`
	MessageID string    `json:"message_id"`
	ActorID   string    `json:"actor_id,omitempty"`
	Origin    string    `json:"origin,omitempty"`
	PID       int       `json:"pid"` // of the process that runs it, not of the command
	StartedAt time.Time `json:"started_at"`
	Command   []string  `json:"command,omitempty"`
}

type hold struct {
	files  files
	unlock func() error
}

// files are the names of a run's files.
type files struct {
	root nofollow.Root
	stem string
}

func filesOf(store *thread.Store, folder, runID string) files {
	return files{rootOf(store), filepath.Join(folder, "runs", runID)}
}

// rootOf is the trusted folder that a store is below.
func rootOf(store *thread.Store) nofollow.Root { return nofollow.Root(store.Root()) }

func (f files) record() string { return f.stem + ".json" }
func (f files) lock() string   { return f.stem + ".lock" }
func (f files) cancel() string { return f.stem + ".cancel" }
func (f files) events() string { return f.stem + ".events" }

func (f files) tryLock() (unlock func() error, ok bool, err error) {
	return lockfile.Try(f.root, f.lock())
}

var errHeld = errors.New("another process runs it")

// take holds a run that has a new id.
func take(store *thread.Store, folder string, r Record) (*hold, error) {
	if err := thread.CheckID(r.RunID); err != nil {
		return nil, err
	}
	r.PID = os.Getpid()
	f := filesOf(store, folder, r.RunID)
	if err := f.root.MkdirAll(filepath.Dir(f.stem), 0o755); err != nil {
		return nil, err
	}
	unlock, ok, err := f.tryLock()
	if err == nil && !ok {
		err = errHeld
	}
	if err != nil {
		return nil, err
	}
	h := &hold{f, unlock}
	data, err := json.Marshal(r)
	if err == nil {
		err = atomicfile.Create(f.root, f.record(), append(data, '\n'), 0o644)
	}
	if err != nil {
		return nil, errors.Join(err, h.release())
	}
	return h, nil
}

// release ends the hold of a run that has ended.
func (h *hold) release() error {
	err := h.files.remove(h.files.record())
	return errors.Join(err, h.files.remove(h.files.cancel()), h.files.remove(h.files.events()), h.files.remove(h.files.lock()), h.unlock())
}

// letGo leaves the record for who comes next.
func (h *hold) letGo() error { return h.unlock() }

// cancelled reports whether somebody wants the run to end.
func (h *hold) cancelled() bool {
	_, err := os.Lstat(h.files.cancel())
	return err == nil
}

func (f files) remove(path string) error {
	err := f.root.Remove(path)
	if isMissing(err) {
		return nil
	}
	return err
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// maxRecord is the most bytes of a record that are read: more than the arguments
// that systems take.
const maxRecord = 16 << 20

// record reads what runs, or ran when it was killed.
func (f files) read() (r Record, err error) {
	data, err := f.root.ReadUnlinked(f.record(), maxRecord)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}
