// Package rip imports threads from RIP's stores and exports them there. It reads
// any store of RIP, also while RIP uses it. It writes only as RIP's rules allow
// another process: while no server is running, under RIP's lock, with lines that
// RIP can read, and without the caches that would hide them.
//
// Streams are copied line by line, so an export returns exactly what was
// imported, including unknown fields.
package rip

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/internal/file/nofollow"
	"handoff/log/artifact"
	"handoff/log/thread"
)

// Place is the location of a store of RIP: RIP keeps its log in one folder and
// its artifacts in another.
type Place struct {
	Data string // RIP_DATA_DIR, the folder of events.jsonl
	// Workspace is RIP_WORKSPACE_ROOT, the folder of .rip; RIP compares it with its
	// own as text. If it is "", an import searches the workspaces that the threads
	// name, and an export leaves artifacts out.
	Workspace string
}

func (p Place) path(elem ...string) string {
	return filepath.Join(append([]string{p.Data}, elem...)...)
}

// root is the trusted folder, which the user named: below it nothing is written
// through a symlink.
func (p Place) root() nofollow.Root { return nofollow.Root(p.Data) }

func (p Place) events() string { return p.path("events.jsonl") }

// Report lists what was moved, and what could not be.
type Report struct {
	Streams   []Moved       `json:"streams"`           // those with new events, sorted
	Same      int           `json:"same"`              // streams without new events
	Blobs     int           `json:"blobs"`             // that were copied
	Snapshots int           `json:"snapshots"`         // that were written
	Missing   []artifact.ID `json:"missing_artifacts"` // that the moved events name and that no workspace has
	Problems  []Problem     `json:"problems"`
}

func (r *Report) problem(path string, line int, err error) {
	r.Problems = append(r.Problems, Problem{path, line, err.Error(), err})
}

// Moved is a stream with the number of its new events.
type Moved struct {
	Kind   thread.StreamKind `json:"kind"`
	ID     string            `json:"id"`
	Events int               `json:"events"`
}

// Problem is something that was left out; everything else was moved.
type Problem struct {
	Path    string `json:"path"`           // the file
	Line    int    `json:"line,omitempty"` // from 1, 0 for the whole file
	Message string `json:"message"`        // the text of Err
	Err     error  `json:"-"`
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %v", p.Path, p.Err)
	}
	return fmt.Sprintf("%s:%d: %v", p.Path, p.Line, p.Err)
}

func (p Problem) Unwrap() error { return p.Err }

// LiveError: a RIP server is using the store.
type LiveError struct {
	Endpoint string // its URL
	PID      int
}

func (e *LiveError) Error() string {
	return fmt.Sprintf("a RIP server is using this store, at %s (process %d): use that server (--server %[1]s), or stop it", e.Endpoint, e.PID)
}

// Is makes it an fs.ErrExist: a conflict.
func (e *LiveError) Is(target error) bool { return target == fs.ErrExist }

// LockedError: a process has locked the store and does not answer, such as a
// server that is just starting.
type LockedError struct {
	Path string
	PID  int
}

func (e *LockedError) Error() string {
	if e.PID == 0 { // it has not written its id yet, or another process was faster
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
