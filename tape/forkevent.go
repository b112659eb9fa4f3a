package tape

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/internal/journal"
)

// forkEvent is the data of the event "tape.fork", which stands in a fork behind
// what was taken over from the parent, and before what is its own. It is the
// truth about lineage.
type forkEvent struct {
	SessionID       string  `json:"session_id"`
	Tape            string  `json:"tape"`
	Parent          string  `json:"parent"`
	ParentSessionID string  `json:"parent_session_id"`
	FromAnchor      *string `json:"from_anchor,omitempty"`
	FromEntry       *int64  `json:"from_entry,omitempty"` // id in the parent
	Entries         uint64  `json:"entries"`              // how many were taken over
	Links           []link  `json:"links,omitempty"`      // if they are not copied
	Request         string  `json:"request,omitempty"`    // SHA-256 of a request that has a key
	CreatedAt       string  `json:"created_at"`
}

// link names lines of another tape by their positions. The digest is that of
// the last one: by it the tape is known, also when it was archived and another
// has taken its name.
type link struct {
	Tape   string `json:"tape"`
	First  uint64 `json:"first"`
	Last   uint64 `json:"last"`
	SHA256 string `json:"sha256"`
}

func (f *forkEvent) lineage() Lineage {
	return Lineage{SessionID: f.SessionID, ParentSessionID: &f.ParentSessionID, FromAnchor: f.FromAnchor, CreatedAt: f.CreatedAt,
		Status: Active, Tape: f.Tape, ParentTape: f.Parent, FromEntry: f.FromEntry, Linked: len(f.Links) > 0}
}

// forkOf is the tape's own fork event: the last one, for those before it were
// copied.
func forkOf(j records) (f forkEvent, ok bool, err error) {
	e, ok, err := lastEvent(j, listForks, eventFork)
	if err != nil || !ok || json.Unmarshal(e.Data(), &f) != nil || f.SessionID == "" {
		return forkEvent{}, false, err // others may have events of that name
	}
	return f, true, nil
}

// closing is the data of the event "tape.closed", the last of a fork.
type closing struct {
	As     string `json:"as"` // Merged or Discarded
	Into   string `json:"into,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func closingOf(j records) (c closing, ok bool, err error) {
	e, ok, err := lastEvent(j, listClosed, eventClosed)
	if err != nil || !ok || json.Unmarshal(e.Data(), &c) != nil {
		return closing{}, false, err
	}
	return c, true, nil
}

// lastEvent is the last event on a list.
func lastEvent(j records, list, name string) (e Entry, ok bool, err error) {
	pos, ok, err := lastOn(j, list)
	if err != nil || !ok {
		return Entry{}, false, err
	}
	entries, err := entriesAt(j, pos)
	if err != nil {
		return Entry{}, false, err
	}
	for _, e := range entries {
		if isEvent(name)(&e) {
			return e, true, nil
		}
	}
	return Entry{}, false, nil
}

// addLinked adds the parts of other tapes that a linked fork begins with.
func (s *Store) addLinked(v *view, j records) error {
	f, ok, err := forkOf(j)
	if err != nil || !ok {
		return err
	}
	for _, l := range f.Links {
		linked, release, err := s.linked(l)
		if err != nil {
			return fmt.Errorf("tape %s continues from %s: %w", f.Tape, l.Tape, err)
		}
		v.release = append(v.release, release)
		v.segments = append(v.segments, segment{j: linked, source: l.Tape, first: l.First, last: l.Last})
	}
	return nil
}

// linked finds the file that a link means: that of the tape, or one that was
// archived.
func (s *Store) linked(l link) (j records, release func(), err error) {
	paths, err := s.filesOf(l.Tape)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		j, release, err := s.snapshot(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		digest, err := digestAt(j, l.Last)
		if err == nil && digest == l.SHA256 {
			return j, release, nil
		}
		if release(); err != nil && !errors.Is(err, journal.ErrNoRecord) {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("its entries %d to %d are neither in the tape nor in %s: %w", l.First, l.Last, filepath.Join(tapeFolder, archived), fs.ErrNotExist)
}

func digestAt(j records, pos uint64) (string, error) {
	rec, err := j.Get(pos)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(rec.Line)
	return hex.EncodeToString(sum[:]), nil
}

// links are the parts of a view from one spot to the end, or to another.
func (v *view) links(name string, from, before *spot) (links []link, err error) {
	for i, seg := range v.segments {
		first, last := seg.first, seg.last
		if from != nil && i < from.segment || before != nil && i > before.segment {
			continue
		}
		if from != nil && i == from.segment {
			first = from.pos
		}
		if before != nil && i == before.segment {
			last = before.pos - 1
		}
		if last < first {
			continue
		}
		digest, err := digestAt(seg.j, last)
		if err != nil {
			return nil, err
		}
		links = append(links, link{or(seg.source, name), first, last, digest})
	}
	return links, nil
}
