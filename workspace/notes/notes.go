// Package notes stores the notes that the gauge has given about each session, and what
// hooks have done in it, so that a program that asks in a new process each time, as a hook
// does, gets each note once. Package gauge decides what is due; this package keeps the
// state between calls. It also keeps the last errors of hooks, which print none.
package notes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"handoff/agents/transcript/gauge"
	"handoff/internal/file/kept"
	"handoff/internal/state"
	"handoff/workspace"
)

// Book is the notes of a repository, or of a workspace without one. All
// worktrees share it, as they share receipts.
type Book struct {
	file kept.File[page]
	now  func() time.Time
}

// Open finds the notes of a workspace, next to its receipts. It reads nothing
// yet. The error is that of [workspace.Workspace.Receipts].
func Open(ws *workspace.Workspace) (*Book, error) {
	store, err := ws.Receipts()
	if err != nil {
		return nil, err
	}
	place := store.Place()
	return &Book{now: ws.Now, file: kept.File[page]{Root: place.Root, Path: place.Beside(state.Gauge), Max: maxFile, Mode: 0o600, Fix: "delete the file to start again",
		Unsynced: true, // the sessions that it is about do not survive a power failure
		Decode:   parse, Encode: func(p page) ([]byte, error) { return p.bytes(), nil }}}, nil
}

// entry is what is stored of a session.
type entry struct {
	gauge.State
	Past
	Seen Seen      `json:"seen,omitzero"`
	At   time.Time `json:"at"` // of the last change
}

// Past is what hooks have done in a session.
type Past struct {
	Started    time.Time `json:"started,omitzero"`    // the session's start was seen
	Compacting time.Time `json:"compacting,omitzero"` // its latest compaction began
	Resumed    time.Time `json:"resumed,omitzero"`    // it was shown what it had lost in a compaction
	Lost       int       `json:"lost,omitempty"`      // the compactions after which it was shown what it had lost, where only the transcript shows them
	Audited    time.Time `json:"audited,omitzero"`    // the beginning of the compaction whose summary was compared last
	Cleared    time.Time `json:"cleared,omitzero"`    // its host was told to clear its context, for a handoff that it saved
	Full       int       `json:"full,omitempty"`      // tokens in that context
	Asked      int       `json:"asked,omitempty"`     // 1 more than the compactions it had when its stop was delayed to ask for a handoff
	Drafted    bool      `json:"drafted,omitempty"`   // a draft was written for it
	DraftedAt  time.Time `json:"drafted_at,omitzero"` // when that was, if a person asked for it
	Named      int       `json:"named,omitempty"`     // how many later sessions were told that it ended without a handoff
	Heard      time.Time `json:"heard,omitzero"`      // its latest hook, to a minute
	Over       time.Time `json:"over,omitzero"`       // its end was reported, and no hook since
	Worked     time.Time `json:"worked,omitzero"`     // it changed files or committed, to a minute
	Woke       bool      `json:"woke,omitempty"`      // it runs again after it was over or quiet, and was not told yet what happened meanwhile
	Transcript string    `json:"transcript,omitempty"`
	Looked     time.Time `json:"looked,omitzero"`    // when all tasks were looked at for a progress file, where there are many
	Progress   string    `json:"progress,omitempty"` // the folder below the root of the one that was changed last then
}

// Seen is how much of a transcript was read, and how much more of it cannot make a note
// due. The zero value is for a transcript that is read each time.
type Seen struct {
	Size int64 `json:"size"` // bytes
	Room int64 `json:"room"` // bytes
}

// Limits of the file.
const (
	maxSessions  = 500
	keptSessions = 400 // of more than maxSessions
	maxFile      = 1 << 20
	maxID        = 200 // bytes of an agent and a session's id
)

// Step compares a reading of a session with its earlier notes. If a note is due, it
// is on the disk before Step returns: a killed process may lose a note, but no two
// processes get the same one. seen is for [Book.Quiet].
func (b *Book) Step(ctx context.Context, agent, session string, r gauge.Reading, seen Seen) (kind gauge.Kind, note bool, err error) {
	_, err = b.change(ctx, agent, session, func(e *entry) bool {
		if unchanged(e.State, r) && (seen == Seen{} || seen == e.Seen) {
			kind, note = "", false
			return false
		}
		e.State, kind, note = e.State.Step(r)
		e.Seen = seen
		return true
	})
	if err != nil {
		return "", false, err
	}
	return kind, note, nil
}

// Quiet reports whether the transcript of a session has grown so little since [Book.Step]
// that no note can be due. done is the number of objectives that are done.
func (b *Book) Quiet(agent, session string, size int64, done int) (bool, error) {
	e, err := b.read(agent + " " + session)
	more := size - e.Seen.Size
	return e.Seen.Size > 0 && more >= 0 && more <= e.Seen.Room && done == e.Done, err
}

// Past is what hooks have done in a session.
func (b *Book) Past(agent, session string) (Past, error) {
	e, err := b.read(agent + " " + session)
	return e.Past, err
}

// Change changes what is stored of a session while no other process does. f reports
// whether it changed anything, and may be called twice. Of several processes, done
// is true only for the one whose change is on the disk.
func (b *Book) Change(ctx context.Context, agent, session string, f func(*Past) bool) (done bool, err error) {
	return b.change(ctx, agent, session, func(e *entry) bool { return f(&e.Past) })
}

func (b *Book) change(ctx context.Context, agent, session string, f func(*entry) bool) (done bool, err error) {
	key := agent + " " + session
	if len(key) > maxID {
		return false, fmt.Errorf("%q…: the id of the session has more than %d bytes", key[:maxID], maxID)
	}
	var failed error
	done, err = b.file.Change(ctx, func(p *page) (changed bool) {
		changed, failed = b.set(p, key, f)
		return changed && failed == nil
	})
	return done, errors.Join(err, failed)
}

// set changes the entry of a session, unless f changes nothing.
func (b *Book) set(p *page, key string, f func(*entry) bool) (changed bool, err error) {
	e, err := p.entry(key)
	if err == nil && f(&e) {
		e.At, changed = b.now().UTC(), true
		*p, err = p.set(key, e)
	}
	if err != nil {
		return false, b.file.Damaged(err)
	}
	return changed, nil
}

// unchanged reports whether a reading does not change the state.
func unchanged(s gauge.State, r gauge.Reading) bool {
	next, _, note := s.Step(r)
	return next == s && !note
}

// read reads what the file has of a session.
func (b *Book) read(key string) (e entry, err error) {
	p, err := b.file.Read()
	if err != nil {
		return e, err
	}
	if e, err = p.entry(key); err != nil {
		err = b.file.Damaged(err)
	}
	return e, err
}
