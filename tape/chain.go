package tape

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"handoff/internal/journal"
	"handoff/tape/entry"
	"handoff/tape/view"
)

// A tape that was reset starts with an anchor that names the archive of its
// previous file. That gives the order of archives; the times in their names are
// of a clock that may have been set back.

// firstLines is the entries of the first two lines of a file, one of which has
// the anchor of a reset. It does not build an index, as an archive may be long.
func (s *Store) firstLines(path string) (lines [][]Entry, err error) {
	file, err := s.rootOf(path).OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for r := bufio.NewReader(file); len(lines) < 2; {
		line, err := r.ReadBytes('\n')
		rec := journal.Record{Pos: view.Format.First + uint64(len(lines)), Line: bytes.TrimSuffix(line, []byte("\n"))}
		if entries, unreadable := view.EntriesOf(rec); unreadable == nil {
			lines = append(lines, entries)
		}
		if err != nil {
			break
		}
	}
	return lines, nil
}

// previous is the archive that a file with these first lines continues, "" if
// there is none.
func (s *Store) previous(lines [][]Entry) string {
	for _, entries := range lines {
		for _, e := range entries {
			name, ok := entry.Text(e.State(), "archived")
			if !ok || e.Name() != entry.AnchorStart {
				continue
			}
			if t, err := s.OpenArchive(name); err == nil {
				return t.path
			}
		}
	}
	return ""
}

// archivesSince is the archives from the one with the entry of a cursor up to
// the file that starts with the given lines, in the order in which they were
// written; none if the entry is not found.
func (t *Tape) archivesSince(c Cursor, present [][]Entry) ([]string, error) {
	// Usually the present file continues, over some archives, that of the entry.
	var latest []string // the newest first
	for path := t.store.previous(present); path != "" && !slices.Contains(latest, path); {
		latest = append(latest, path)
		found, err := t.store.has(path, c)
		if found || err != nil {
			slices.Reverse(latest)
			return latest, err
		}
		lines, err := t.store.firstLines(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		path = t.store.previous(lines)
	}
	// It does not if a tape between them was destroyed, or if it is a fork that
	// is over: then the archives are followed from that of the entry on.
	archives, err := t.archives()
	if err != nil {
		return nil, err
	}
	first, next := "", map[string]string{}
	for _, path := range archives {
		found, err := t.store.has(path, c)
		if err != nil {
			return nil, err
		}
		if found {
			first = path
		}
		lines, err := t.store.firstLines(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		next[t.store.previous(lines)] = path
	}
	if first == "" {
		return nil, nil
	}
	delete(next, "")
	var paths []string
	for path := first; path != "" && !slices.Contains(paths, path); path = next[path] {
		paths = append(paths, path)
	}
	slices.Reverse(latest)
	return append(paths, latest...), nil
}

// has reports whether the entry of a cursor is in a file.
func (s *Store) has(path string, c Cursor) (found bool, err error) {
	err = s.read(path, func(snap *journal.Snapshot) error {
		_, _, err := find(snap, c)
		found = err == nil
		if errors.Is(err, errElsewhere) {
			err = nil
		}
		return err
	})
	return found, err
}
