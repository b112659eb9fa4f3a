package tape

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/lineage"
	"handoff/log/tape/view"
)

// closed is an error if the tape is a fork that is over, errSealed if the file is of a
// generation that is over.
func (t *Tape) closed(r view.Records) error {
	if t.bare {
		return nil
	}
	c, ok, err := lineage.ClosingOf(r)
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
	f, _, err := lineage.EventOf(r)
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
func (s *Store) linked(l lineage.Link) (r view.Records, release func(), err error) {
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
		same, err := l.In(snap)
		if same {
			return snap, release, nil
		}
		if release(); err != nil && !errors.Is(err, journal.ErrNoRecord) {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("its entries %d to %d are neither in the tape nor in %s: %w", l.First, l.Last, filepath.Join(tapeFolder, archived), fs.ErrNotExist)
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
			f, _, err := lineage.EventOf(snap)
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
