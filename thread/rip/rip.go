// Package rip moves threads between a store of ours and the stores of RIP,
// both ways. It reads any store of RIP, also while RIP works on it; it writes
// to one only as RIP's own rules allow another process: never beside a living
// server, under its lock, with lines that RIP can read, and without the caches
// that would hide them.
//
// Streams are taken over line for line, so that what came in goes out again
// the same, fields that nobody knows included.
package rip

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/artifact"
	"handoff/internal/file/nofollow"
	"handoff/thread"
)

// Place is where a store of RIP lies: RIP keeps its log in one folder and its
// blobs in another.
type Place struct {
	Data string // RIP_DATA_DIR, the folder of events.jsonl
	// Workspace is RIP_WORKSPACE_ROOT, the folder of .rip. As text it is what RIP
	// compares its own with. Where it is "" an import takes the workspaces that
	// the threads say they are of, and an export leaves the blobs out.
	Workspace string
}

func (p Place) path(elem ...string) string {
	return filepath.Join(append([]string{p.Data}, elem...)...)
}

// root is the trusted folder: the user named it, and below it nothing is written
// through a link.
func (p Place) root() nofollow.Root { return nofollow.Root(p.Data) }

func (p Place) events() string { return p.path("events.jsonl") }

// Report says what was moved, and what could not be.
type Report struct {
	Streams   []Moved       // those with something new, sorted
	Same      int           // streams that were there already
	Blobs     int           // that were copied
	Snapshots int           // that were written
	Missing   []artifact.ID // that the moved events name and that were in none of the workspaces
	Problems  []Problem
}

// Moved is a stream with the number of its events that are new.
type Moved struct {
	Kind   thread.StreamKind
	ID     string
	Events int
}

// Problem is something that was left out, while all else was moved.
type Problem struct {
	Path string // the file that it stands in
	Line int    // from 1, 0 for the whole file
	Err  error
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %v", p.Path, p.Err)
	}
	return fmt.Sprintf("%s:%d: %v", p.Path, p.Line, p.Err)
}

func (p Problem) Unwrap() error { return p.Err }

// LiveError says that a server works on the store: it is the one to ask.
type LiveError struct {
	Endpoint string // its URL
	PID      int
}

func (e *LiveError) Error() string {
	return fmt.Sprintf("a RIP server is using this store, at %s (process %d): use that server (--server %[1]s), or stop it", e.Endpoint, e.PID)
}

// Is makes it an fs.ErrExist: a conflict.
func (e *LiveError) Is(target error) bool { return target == fs.ErrExist }

// LockedError says that a process holds the store and does not answer, as one
// that is just starting.
type LockedError struct {
	Path string
	PID  int
}

func (e *LockedError) Error() string {
	if e.PID == 0 { // it has not written yet who it is, or others were quicker
		return e.Path + ": another process has just locked this store: try again"
	}
	return fmt.Sprintf("%s: process %d has locked this store and does not answer: wait for it or stop it, then try again", e.Path, e.PID)
}

// Is makes it an fs.ErrExist: a conflict.
func (e *LockedError) Is(target error) bool { return target == fs.ErrExist }

// key names a stream.
type key struct {
	kind thread.StreamKind
	id   string
}

var errUnknownType = errors.New("not an event type of RIP")
