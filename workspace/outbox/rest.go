package outbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"handoff/internal/file/kept"
	"handoff/internal/file/lockfile"
	"handoff/log/engine"
)

// A store that accepts connections but does not answer costs each process a full
// timeout. So the first one leaves a note, and others do not try for a while. One of
// them tries again after a pause, a part of the time for which the store has not answered:
// an election of 8 s is noticed after 9 s at most, and a server that is down all night almost nothing.
const (
	slow       = 200 * time.Millisecond // a store that refuses faster costs nothing
	firstPause = 250 * time.Millisecond
	mostPause  = 15 * time.Second
	pausePart  = 8
	maxNote    = 64 << 10
)

// note is the content of the file silent.json.
type note struct {
	Store  string        `json:"store"`
	At     time.Time     `json:"at"`        // of the last failure
	Since  time.Time     `json:"since"`     // begin of the first in a row
	Waited time.Duration `json:"waited_ns"` // a process that waits longer tries again
	Why    string        `json:"why"`
}

// pause returns how long after a failure the store is not asked.
func (n note) pause() time.Duration {
	return min(max(n.At.Sub(n.Since)/pausePart, firstPause), mostPause)
}

// noteFile is derived: it only saves time.
func (b *Box) noteFile() kept.File[note] {
	return kept.File[note]{Root: b.root, Path: filepath.Join(b.dir, "silent.json"), Max: maxNote, Mode: 0o600, Dir: 0o700}
}

// note is what a process noted that waited as long as this one would.
func (b *Box) note() (n note, ok bool) {
	f := b.noteFile()
	if _, err := os.Lstat(f.Path); err != nil { // one call, for most commands
		return n, false
	}
	n, err := f.Read()
	if err != nil || n.Store != b.store {
		return note{}, false
	}
	return n, n.Waited >= b.patience
}

// silent is the reason if the store did not answer a moment ago.
func (b *Box) silent(n note) error {
	if age := time.Since(n.At); age >= 0 && age < n.pause() {
		return fmt.Errorf("%s: %w: it did not answer %d s ago", b.store, engine.ErrUnavailable, int(age.Seconds()))
	}
	return nil
}

// Silent is the reason if the store did not answer a moment ago, nil if it may be asked.
func (b *Box) Silent() error {
	if n, ok := b.note(); ok {
		return b.silent(n)
	}
	return nil
}

// Try calls ask, unless the store did not answer a moment ago, and notes if it does not
// answer now. It is for callers that can do without the answer, such as one that reads an
// old copy and says so. While a store is noted, one process at a time tries.
func (b *Box) Try(ask func() error) error {
	n, noted := b.note()
	if !noted {
		return b.Ask(ask)
	}
	if err := b.silent(n); err != nil {
		return err
	}
	unlock, ok, err := lockfile.Try(b.root, filepath.Join(b.dir, "probe.lock"))
	switch {
	case err != nil:
		return b.Ask(ask)
	case !ok:
		return fmt.Errorf("%s: %w: it did not answer %d s ago, and another process is asking it", b.store, engine.ErrUnavailable, int(time.Since(n.At).Seconds()))
	}
	return errors.Join(b.Ask(ask), unlock())
}

// Ask calls ask, whatever was noted: the note must never answer for the store where only
// its answer is safe, as for the check of a claim. It notes whether the store answers.
func (b *Box) Ask(ask func() error) error {
	begin := time.Now()
	err := ask()
	switch away := Away(err); {
	case away && time.Since(begin) > slow:
		b.leaveNote(err, begin)
	case !away:
		b.Answers()
	}
	return err
}

// Answers removes the note of a store that did not answer. It may fail: the note is only
// valid for a moment.
func (b *Box) Answers() {
	f := b.noteFile()
	if _, err := os.Lstat(f.Path); err == nil {
		_ = f.Remove()
	}
}

// leaveNote notes that an attempt failed that began at a time. It may fail; then other
// processes try the store.
func (b *Box) leaveNote(why error, begin time.Time) {
	before, _ := b.note()
	if before.At.After(begin) && before.Waited >= b.patience {
		return // many attempts at once are one failure
	}
	now := note{b.store, time.Now().UTC(), begin.UTC(), b.patience, why.Error()}
	if age := now.At.Sub(before.At); age >= 0 && age < 2*mostPause { // else no process has tried since
		now.Since, now.Waited = before.Since, max(before.Waited, now.Waited)
	}
	_ = b.noteFile().Replace(now)
}
