package tape

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"handoff/internal/journal"
	"handoff/internal/state/names"
)

// List is the names of all tapes, sorted.
func (s *Store) List() ([]string, error) { return s.names(fs.FileMode.IsRegular) }

// Linked is the names of tapes whose files are symbolic links, sorted. Links are
// not followed: [Tape.Info] and all other operations fail with the target of the
// link. [Store.List] leaves them out.
func (s *Store) Linked() ([]string, error) {
	return s.names(func(m fs.FileMode) bool { return m&fs.ModeSymlink != 0 })
}

func (s *Store) names(wanted func(fs.FileMode) bool) (found []string, err error) {
	entries, err := os.ReadDir(s.inTapes())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		stem, isTape := strings.CutSuffix(e.Name(), suffix)
		name, ok := names.TapeOf(stem)
		if isTape && ok && name == "" {
			name, ok = s.within(stem)
		}
		if isTape && ok && s.hasTape(name, e.Type(), wanted) {
			found = append(found, name)
		}
	}
	return slices.Sorted(slices.Values(found)), nil
}

// within is the tape whose file has a shortened name; ok is false if the file does not name it.
func (s *Store) within(stem string) (name string, ok bool) {
	err := s.read(s.inTapes(stem+suffix), func(snap *journal.Snapshot) error {
		first, err := snap.Get(0)
		name = names.Within(stem, first.Line)
		return err
	})
	return name, err == nil && name != ""
}

// hasTape reports whether a tape has a file as wanted, by the type of its first one.
func (s *Store) hasTape(name string, first fs.FileMode, wanted func(fs.FileMode) bool) bool {
	t := &Tape{store: s, name: name, path: s.tapePath(name)}
	if path := t.at(); path != t.path {
		st, err := os.Lstat(path)
		return err == nil && wanted(st.Mode().Type())
	}
	return wanted(first)
}
