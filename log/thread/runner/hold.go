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
	"handoff/log/thread"
)

// The files of a running run, below the store:
//
//	runs/ID.json    see [Record]
//	runs/ID.lock    locked by the process that executes it
//	runs/ID.cancel  created to cancel it
//	runs/ID.events  what the command reports about its tools, see [reports]
//	runs/ID.end     the end of its output, if that is beyond the limit: see [limit]
//
// The record is written after the lock is taken, and removed before it is
// released. So a record whose lock is free is of a run that was killed.

// Record describes a running run.
type Record struct {
	RunID     string    `json:"run_id"`
	ThreadID  string    `json:"thread_id"`
	MessageID string    `json:"message_id"`
	ActorID   string    `json:"actor_id,omitempty"`
	Origin    string    `json:"origin,omitempty"`
	PID       int       `json:"pid"` // of the process that executes it, not of the command
	StartedAt time.Time `json:"started_at"`
	Command   []string  `json:"command,omitempty"`
	Output    int64     `json:"output_limit,omitempty"` // see [Options]
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
func (f files) end() string    { return f.stem + ".end" }

func (f files) tryLock() (unlock func() error, ok bool, err error) {
	return lockfile.Try(f.root, f.lock())
}

var errHeld = errors.New("another process runs it")

// take locks and records a new run.
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

// release removes the files of a run that has ended.
func (h *hold) release() error {
	err := h.files.remove(h.files.record())
	return errors.Join(err, h.files.remove(h.files.cancel()), h.files.remove(h.files.events()), h.files.remove(h.files.end()), h.files.remove(h.files.lock()), h.unlock())
}

// cancelled reports whether a cancellation of the run was requested.
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

// maxRecord limits the size of a record that is read, in bytes: more than any
// system's limit for arguments.
const maxRecord = 16 << 20

// read reads the record.
func (f files) read() (r Record, err error) {
	data, err := f.root.ReadUnlinked(f.record(), maxRecord)
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}
