// Package notes stores what the gauge has said about each session, and what hooks
// have done in it, so that a program that asks in a new process each time, as a
// hook does, gets each note once. Package gauge decides what is due; this one keeps the state between the
// questions.
package notes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/receipt"
	"handoff/transcript/gauge"
	"handoff/workspace"
)

// Book is the notes of a repository, or of a workspace without one. All
// worktrees share it, as they share receipts.
type Book struct {
	place receipt.Place
	file  string
	now   func() time.Time
}

// Open finds the notes of a workspace, next to its receipts. It reads nothing
// yet. The error is that of [receipt.Locate].
func Open(ws *workspace.Workspace) (*Book, error) {
	store, err := ws.Receipts()
	if err != nil {
		return nil, err
	}
	place := store.Place()
	return &Book{place: place, file: filepath.Join(filepath.Dir(place.Dir), "gauge.json"), now: ws.Now}, nil
}

// page is the file with the states of all sessions.
type page struct {
	Sessions map[string]entry `json:"sessions"`
}

type entry struct {
	gauge.State
	Past
	At time.Time `json:"at"` // of the last change
}

// Past is what hooks have done in a session.
type Past struct {
	Started    time.Time `json:"started,omitzero"`    // the session's start was seen
	Compacting time.Time `json:"compacting,omitzero"` // its latest compaction began
	Resumed    time.Time `json:"resumed,omitzero"`    // it was shown what it had lost in a compaction
	Lost       int       `json:"lost,omitempty"`      // the compactions after which it was shown what it had lost, where only the transcript shows them
	Cleared    time.Time `json:"cleared,omitzero"`    // its host was told to clear its context, for a handoff that it saved
	Full       int       `json:"full,omitempty"`      // tokens in that context
	Asked      int       `json:"asked,omitempty"`     // 1 more than the compactions it had when its stop was delayed to ask for a handoff
	Drafted    bool      `json:"drafted,omitempty"`   // a draft was written for it
}

// Limits of the file. The sessions that were changed last are kept.
const (
	maxSessions = 500
	maxFile     = 1 << 20
	maxID       = 200 // bytes of an agent and a session's id
)

// Step compares a reading of a session with what was said about it before. If a
// note is due, that is on the disk before Step returns: a process that is killed
// may lose a note, but no two processes get the same one.
func (b *Book) Step(ctx context.Context, agent, session string, r gauge.Reading) (kind gauge.Kind, note bool, err error) {
	_, err = b.change(ctx, agent, session, func(e *entry) bool {
		if unchanged(e.State, r) {
			kind, note = "", false
			return false
		}
		e.State, kind, note = e.State.Step(r)
		return true
	})
	if err != nil {
		return "", false, err
	}
	return kind, note, nil
}

// Past is what hooks have done in a session.
func (b *Book) Past(agent, session string) (Past, error) {
	p, err := b.read()
	return p.Sessions[agent+" "+session].Past, err
}

// Change changes what is stored of a session while no other process does. f reports
// whether it changed anything, and may be called twice. done is true for
// the one process of several whose change is on the disk.
func (b *Book) Change(ctx context.Context, agent, session string, f func(*Past) bool) (done bool, err error) {
	return b.change(ctx, agent, session, func(e *entry) bool { return f(&e.Past) })
}

func (b *Book) change(ctx context.Context, agent, session string, f func(*entry) bool) (done bool, err error) {
	key := agent + " " + session
	if len(key) > maxID {
		return false, fmt.Errorf("%q…: the id of the session has more than %d bytes", key[:maxID], maxID)
	}
	p, err := b.read()
	if err != nil {
		return false, err
	}
	if e := p.Sessions[key]; !f(&e) {
		return false, nil // as after most calls: no lock and no write
	}
	if err := atomicfile.MkdirAll(b.place.Root, filepath.Dir(b.file), 0o755); err != nil {
		return false, err
	}
	unlock, err := lockfile.Lock(ctx, b.place.Root, b.file+".lock")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if p, err = b.read(); err != nil { // another process may have been faster
		return false, err
	}
	e := p.Sessions[key]
	if !f(&e) {
		return false, nil
	}
	return true, b.write(p, key, e)
}

// unchanged reports whether a reading leaves the state as it is.
func unchanged(s gauge.State, r gauge.Reading) bool {
	next, _, note := s.Step(r)
	return next == s && !note
}

func (b *Book) read() (p page, err error) {
	src, err := b.place.Root.ReadUnlinked(b.file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err == nil {
		if err = json.Unmarshal(src, &p); err != nil {
			err = fmt.Errorf("%s: %w: delete the file to start again", b.file, err)
		}
	}
	return p, err
}

func (b *Book) write(p page, key string, e entry) error {
	if p.Sessions == nil {
		p.Sessions = map[string]entry{}
	}
	e.At = b.now().UTC()
	p.Sessions[key] = e
	oldest := slices.SortedFunc(maps.Keys(p.Sessions), func(x, y string) int {
		return cmp.Or(p.Sessions[x].At.Compare(p.Sessions[y].At), cmp.Compare(x, y))
	})
	for _, old := range oldest[:max(0, len(oldest)-maxSessions)] {
		delete(p.Sessions, old)
	}
	src, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(b.place.Root, b.file, append(src, '\n'), 0o600)
}
