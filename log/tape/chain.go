package tape

import (
	"bufio"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"slices"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/view"
)

// A tape that was reset starts with an anchor that names the archive of its
// previous file. That gives the order of archives; the times in their names are
// unreliable, because the clock may have been set back.

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

// previous returns the archive that a file with these first lines continues, ""
// if there is none.
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

// archivesSince returns the archives from the one with a cursor's entry on, in the
// order in which they were written; none if the entry is not found. past reports
// whether they include the file that started with the given lines, because a reset
// has archived it since.
func (t *Tape) archivesSince(c Cursor, present [][]Entry) (paths []string, past bool, err error) {
	archives, err := t.archives()
	if err != nil {
		return nil, false, err
	}
	first, own, before, next := "", "", map[string]string{}, map[string]string{}
	for _, path := range archives {
		lines, err := t.store.firstLines(path)
		if sameStart(lines, present) {
			own = path
		}
		if err == nil && first == "" {
			var found bool
			if found, err = t.store.has(path, c); found {
				first = path
			}
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, false, err
		}
		previous := t.store.previous(lines)
		before[path], next[previous] = previous, path
	}
	if first == "" {
		return nil, false, nil
	}
	next[""] = ""
	for path := first; path != "" && !slices.Contains(paths, path); path = next[path] {
		paths = append(paths, path)
	}
	// If a tape between them was destroyed, the present file does not continue
	// these archives, but may continue later ones.
	var later []string
	for path := t.store.previous(present); path != "" && !slices.Contains(append(paths, later...), path); path = before[path] {
		later = append(later, path)
	}
	slices.Reverse(later)
	paths = append(paths, later...)
	return paths, slices.Contains(paths, own), nil
}

// sameStart reports whether two files have the same first line.
func sameStart(a, b [][]Entry) bool {
	return len(a) > 0 && len(b) > 0 && a[0][0].Cursor() == b[0][0].Cursor()
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
