package tape

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"handoff/internal/file/regular"
	"handoff/log/tape/lineage"
)

// Trees are all tapes, each below the tape that it was forked from: see
// [lineage.Trees].
func (s *Store) Trees(ctx context.Context, name string) ([]*Node, error) {
	forks, err := s.Forks(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.List()
	if err != nil {
		return nil, err
	}
	return lineage.Trees(forks, names, name)
}

// Forks is all forks, in the order in which they were added to the file. Forks
// that it lacks are found among the tapes and added.
func (s *Store) Forks(ctx context.Context) ([]lineage.Fork, error) {
	forks, err := s.graph().Forks()
	if err != nil {
		return nil, err
	}
	paths, err := filepath.Glob(s.inTapes("*" + suffix))
	if err == nil && len(forks) == 0 { // else archived forks are in the file
		var archives []string
		archives, err = filepath.Glob(s.inTapes(archived, "*"+suffix))
		paths = append(archives, paths...)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return regular.KindOf(path) != regular.File })
	var lost, ended []lineage.Fork
	for snap, err := range s.snapshots(paths, err) {
		var f lineage.Event
		ok := false
		if err == nil {
			f, ok, err = lineage.EventOf(snap)
		}
		if err != nil {
			return nil, err
		}
		l := f.Fork()
		known := func(other lineage.Fork) bool { return other.SessionID == l.SessionID }
		if !ok || slices.ContainsFunc(lost, known) {
			continue
		}
		c, closed, err := lineage.ClosingOf(snap)
		if err != nil {
			return nil, err
		}
		if closed && (c.As == lineage.Merged || c.As == lineage.Discarded) {
			l.Status = c.As
		}
		if i := slices.IndexFunc(forks, known); i >= 0 {
			if c.Sealed && l.Over() && !forks[i].Over() { // another machine has ended it
				forks[i] = l
				ended = append(ended, l)
			}
			continue
		}
		lost = append(lost, l)
	}
	if len(lost)+len(ended) == 0 {
		return forks, nil
	}
	return append(forks, lost...), s.graph().Add(ctx, append(ended, lost...)...)
}

// mayBegin prevents that an append creates the tape of a fork that is over: its
// writer does not know that.
func (s *Store) mayBegin(name string) error {
	t, err := s.Tape(name)
	if err == nil {
		err = t.wasFork()
	}
	if err != nil {
		return err
	}
	f, _, err := s.graph().Tape(name)
	if err != nil || !f.Over() {
		return err
	}
	return fmt.Errorf("tape %s was forked from %s and is %s: create a new fork to continue: %w", name, f.ParentTape, f.Status, fs.ErrNotExist)
}
