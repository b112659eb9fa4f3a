package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"handoff/engine"
	"handoff/internal/file/atomicfile"
)

// A store that accepts connections but does not answer costs each process a full
// timeout. So the first one leaves a note, and others do not try for a while.
const (
	slow    = 200 * time.Millisecond // a store that refuses faster costs nothing
	rest    = 15 * time.Second
	maxNote = 64 << 10
)

// note is the content of the file silent.json.
type note struct {
	Store  string        `json:"store"`
	At     time.Time     `json:"at"`
	Waited time.Duration `json:"waited_ns"` // a process that waits longer tries again
	Why    string        `json:"why"`
}

func (b *Box) noteFile() string { return filepath.Join(b.dir, "silent.json") }

// Silent is the reason if the store did not answer a moment ago, nil if it may be asked.
func (b *Box) Silent() error {
	var n note
	src, err := b.root.ReadUnlinked(b.noteFile(), maxNote)
	if err != nil || json.Unmarshal(src, &n) != nil || n.Store != b.store || n.Waited < b.patience {
		return nil // it only saves time
	}
	if age := time.Since(n.At); age >= 0 && age < rest {
		return fmt.Errorf("%s: %w: it did not answer %d s ago", b.store, engine.ErrUnavailable, int(age.Seconds()))
	}
	return nil
}

// Try calls ask, unless the store did not answer a moment ago, and notes if it does not
// answer now.
func (b *Box) Try(ask func() error) error {
	if err := b.Silent(); err != nil {
		return err
	}
	begin := time.Now()
	err := ask()
	if Away(err) && time.Since(begin) > slow {
		b.leaveNote(err)
	}
	return err
}

// Answers removes the note of a store that did not answer. It may fail: the note is only
// valid for a moment.
func (b *Box) Answers() { _ = b.root.Remove(b.noteFile()) }

// leaveNote may fail; then other processes try the store.
func (b *Box) leaveNote(why error) {
	data, err := json.Marshal(note{b.store, time.Now().UTC(), b.patience, why.Error()})
	if err = errors.Join(err, atomicfile.MkdirAll(b.root, b.dir, 0o700)); err == nil {
		_ = atomicfile.Write(b.root, b.noteFile(), append(data, '\n'), 0o600)
	}
}
