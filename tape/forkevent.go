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
	"handoff/tape/entry"
	"handoff/tape/lineage"
	"handoff/tape/view"
)

// forkEvent is the data of the event "tape.fork". In a fork it comes after the
// entries of the parent, and before the fork's own. Lineage is derived from it.
type forkEvent struct {
	SessionID       string  `json:"session_id"`
	Tape            string  `json:"tape"`
	Parent          string  `json:"parent"`
	ParentSessionID string  `json:"parent_session_id"`
	FromAnchor      *string `json:"from_anchor,omitempty"`
	FromEntry       *int64  `json:"from_entry,omitempty"` // id in the parent
	Entries         uint64  `json:"entries"`              // copied or linked
	Links           []link  `json:"links,omitempty"`      // of a linked fork
	Request         string  `json:"request,omitempty"`    // SHA-256 of a request with a key
	CreatedAt       string  `json:"created_at"`
}

// link names lines of another tape by their positions. The digest is of the last
// line: it identifies the file, also after that was archived and another has the
// tape's name.
type link struct {
	Tape   string `json:"tape"`
	First  uint64 `json:"first"`
	Last   uint64 `json:"last"`
	SHA256 string `json:"sha256"`
}

func (f *forkEvent) lineage() lineage.Fork {
	return lineage.Fork{SessionID: f.SessionID, ParentSessionID: &f.ParentSessionID, FromAnchor: f.FromAnchor, CreatedAt: f.CreatedAt,
		Status: lineage.Active, Tape: f.Tape, ParentTape: f.Parent, FromEntry: f.FromEntry, Linked: len(f.Links) > 0}
}

func (f *forkEvent) result() ForkResult {
	return ForkResult{Tape: f.Tape, SessionID: f.SessionID, Parent: f.Parent, Entries: f.Entries, Linked: len(f.Links) > 0}
}

// next is the first entry of the parent, by its id, that the fork does not have.
func (f *forkEvent) next() int64 {
	if f.FromEntry == nil {
		return int64(f.Entries) + 1
	}
	return *f.FromEntry + int64(f.Entries)
}

// forkOf is the fork event of a tape: the last one, as those before it were
// copied.
func forkOf(r view.Records) (f forkEvent, ok bool, err error) {
	e, ok, err := view.LastEvent(r, view.Forks, entry.EventFork)
	if err != nil || !ok || json.Unmarshal(e.Data(), &f) != nil || f.SessionID == "" {
		return forkEvent{}, false, err // another program may write events of that name
	}
	return f, true, nil
}

// closing is the data of the event "tape.closed", the last of a fork, and of a file
// that nothing can replace: see generation.go.
type closing struct {
	As     string `json:"as"` // lineage.Merged or lineage.Discarded
	Into   string `json:"into,omitempty"`
	Reason string `json:"reason,omitempty"`
	// KeepAnchors is how the merge was started, and so how it is completed.
	KeepAnchors bool `json:"keep_anchors,omitempty"`
	// Sealed: it is the last record of the file, which is an archive. Then As is also
	// sealedReset or sealedDelete. Key is that of the reset.
	Sealed bool   `json:"sealed,omitempty"`
	Key    string `json:"key,omitempty"`
}

func closingOf(r view.Records) (c closing, ok bool, err error) {
	e, ok, err := view.LastEvent(r, view.Closed, entry.EventClosed)
	if err != nil || !ok || json.Unmarshal(e.Data(), &c) != nil {
		return closing{}, false, err
	}
	return c, true, nil
}

// closed is an error if the tape is a fork that is over, errSealed if the file is of a
// generation that is over.
func (t *Tape) closed(r view.Records) error {
	if t.bare {
		return nil
	}
	c, ok, err := closingOf(r)
	if err != nil || !ok {
		return err
	}
	if c.Sealed {
		return errSealed
	}
	return entry.Invalid("tape %s is %s: create a new fork to continue", t.name, c.As)
}

// linkedSegments are the parts of other tapes that a linked fork starts with;
// release them.
func (s *Store) linkedSegments(r view.Records) (segments []view.Segment, release func(), err error) {
	var releases []func()
	release = func() {
		for _, f := range releases {
			f()
		}
	}
	f, _, err := forkOf(r)
	for _, l := range f.Links {
		linked, releaseOne, err := s.linked(l)
		if err != nil {
			release()
			return nil, nil, fmt.Errorf("tape %s continues from %s: %w", f.Tape, l.Tape, err)
		}
		releases = append(releases, releaseOne)
		segments = append(segments, view.Segment{Records: linked, Tape: l.Tape, First: l.First, Last: l.Last})
	}
	return segments, release, err
}

// linked is the file that a link refers to: that of the tape, or an archive.
func (s *Store) linked(l link) (r view.Records, release func(), err error) {
	paths, err := s.filesOf(l.Tape)
	if err != nil {
		return nil, nil, err
	}
	for _, path := range paths {
		snap, release, err := s.snapshot(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		digest, err := digestAt(snap, l.Last)
		if err == nil && digest == l.SHA256 {
			return snap, release, nil
		}
		if release(); err != nil && !errors.Is(err, journal.ErrNoRecord) {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("its entries %d to %d are neither in the tape nor in %s: %w", l.First, l.Last, filepath.Join(tapeFolder, archived), fs.ErrNotExist)
}

func digestAt(r view.Records, pos uint64) (string, error) {
	rec, err := r.Get(pos)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(rec.Line)
	return hex.EncodeToString(sum[:]), nil
}

// links are the lines of a range of a tape.
func links(v *view.View, tape string, part view.Range) (links []link, err error) {
	part.To.Part = 0 // whole lines
	for _, s := range v.Clip(part) {
		digest, err := digestAt(s.Records, s.Last)
		if err != nil {
			return nil, err
		}
		links = append(links, link{or(s.Tape, tape), s.First, s.Last, digest})
	}
	return links, nil
}

// linkedBy is an error if a fork refers to entries of the tape, which must not
// be destroyed then.
func (t *Tape) linkedBy() error {
	names, err := t.store.List()
	for _, name := range names {
		if err != nil {
			break
		}
		err = t.store.readTape(name, func(snap *journal.Snapshot) error {
			f, _, err := forkOf(snap)
			for _, l := range f.Links {
				if err == nil && l.Tape == t.name {
					err = entry.Invalid("tape %s continues from %s by reference: archive the tape, or merge or discard that fork first", name, t.name)
				}
			}
			return err
		})
	}
	return err
}
