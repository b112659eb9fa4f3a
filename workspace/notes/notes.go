// Package notes stores the notes that the gauge has given about each session, and what
// hooks have done in it, so that a program that asks in a new process each time, as a hook
// does, gets each note once. Package gauge decides what is due; this package keeps the
// state between calls.
package notes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
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
	Cleared    time.Time `json:"cleared,omitzero"`    // its host was told to clear its context, for a handoff that it saved
	Full       int       `json:"full,omitempty"`      // tokens in that context
	Asked      int       `json:"asked,omitempty"`     // 1 more than the compactions it had when its stop was delayed to ask for a handoff
	Drafted    bool      `json:"drafted,omitempty"`   // a draft was written for it
	Heard      time.Time `json:"heard,omitzero"`      // its latest hook, to a minute
	Over       time.Time `json:"over,omitzero"`       // its end was reported, and no hook since
	Worked     time.Time `json:"worked,omitzero"`     // it changed files or committed, to a minute
	Woke       bool      `json:"woke,omitempty"`      // it runs again after it was over or quiet, and was not told yet what happened meanwhile
	Transcript string    `json:"transcript,omitempty"`
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
	_, e, err := b.read(agent + " " + session)
	more := size - e.Seen.Size
	return e.Seen.Size > 0 && more >= 0 && more <= e.Seen.Room && done == e.Done, err
}

// Past is what hooks have done in a session.
func (b *Book) Past(agent, session string) (Past, error) {
	_, e, err := b.read(agent + " " + session)
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
	_, e, err := b.read(key)
	if err != nil {
		return false, err
	}
	if !f(&e) {
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
	p, e, err := b.read(key) // another process may have been faster
	if err != nil {
		return false, err
	}
	if !f(&e) {
		return false, nil
	}
	return true, b.write(p, key, e)
}

// unchanged reports whether a reading does not change the state.
func unchanged(s gauge.State, r gauge.Reading) bool {
	next, _, note := s.Step(r)
	return next == s && !note
}

// read reads the file, and what it has of a session.
func (b *Book) read(key string) (p page, e entry, err error) {
	src, err := b.place.Root.ReadUnlinked(b.file, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, e, nil
	}
	if err != nil {
		return nil, e, err
	}
	if p, err = parse(src); err == nil {
		e, err = p.entry(key)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w: delete the file to start again", b.file, err)
	}
	return p, e, err
}

func (b *Book) write(p page, key string, e entry) error {
	e.At = b.now().UTC()
	p, err := p.set(key, e)
	if err != nil {
		return fmt.Errorf("%s: %w: delete the file to start again", b.file, err)
	}
	return b.replace(p.bytes())
}

// replace replaces the file. It does not fsync the folder: after a power failure the file
// may be the old one, but then the sessions that it is about no longer run.
func (b *Book) replace(src []byte) error {
	dir, name, err := b.place.Root.Parent(b.file)
	if err != nil {
		return err
	}
	defer dir.Close()
	if _, err := dir.Regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // such as a symlink
	}
	return atomicfile.PlaceIn(b.place.Root, dir, name, src, 0o600)
}
