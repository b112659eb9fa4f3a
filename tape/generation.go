package tape

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"slices"

	"handoff/internal/journal"
)

// A tape that was reset begins with an anchor that names the archive of what it
// was before. By that the order of archives is known; their names have the time
// of a clock, which may have been set back.

// opening are the entries of the first two lines of a file: the anchor of a
// reset is among them. The file's index is not asked for, as that of an archive
// would have to be made.
func (s *Store) opening(path string) (lines [][]Entry, err error) {
	file, err := s.rootOf(path).OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	for r := bufio.NewReader(file); len(lines) < 2; {
		line, err := r.ReadBytes('\n')
		entries, unreadable := entriesOf(journal.Record{Pos: lineFormat.First + uint64(len(lines)), Line: trimEnd(line)})
		if unreadable == nil {
			lines = append(lines, entries)
		}
		if err != nil {
			break
		}
	}
	return lines, nil
}

func trimEnd(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		return line[:n-1]
	}
	return line
}

// before is the archive of what a file goes on from that begins so, "" for
// none.
func (s *Store) before(lines [][]Entry) string {
	for _, entries := range lines {
		for _, e := range entries {
			name, ok := memberText(e.State(), "archived")
			if !ok || e.Name() != bootstrap {
				continue
			}
			if t, err := s.OpenArchive(name); err == nil {
				return t.path
			}
		}
	}
	return ""
}

// since are the files from the one that has the entry of a mark up to the one
// that begins with the given lines, which is not among them. There are none if
// nobody knows the entry.
func (s *Store) since(t *Tape, m Mark, now [][]Entry) (paths []string, err error) {
	for path := s.before(now); path != "" && !slices.Contains(paths, path); path = s.before(now) {
		paths = append(paths, path)
		there, err := s.has(path, m)
		if there || err != nil {
			slices.Reverse(paths)
			return paths, err
		}
		if now, err = s.opening(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	apart, err := s.apart(t, m)
	if len(apart) == 0 || err != nil {
		return nil, err
	}
	slices.Reverse(paths)
	return append(apart, paths...), nil
}

// apart are the archives from the one that has the entry of a mark on, when the
// tape that is there now does not go on from them: one was destroyed, or it was
// a fork that is over.
func (s *Store) apart(t *Tape, m Mark) (paths []string, err error) {
	archives, _, err := s.archivesOf(t)
	if err != nil {
		return nil, err
	}
	first, next := "", map[string]string{}
	for _, path := range archives {
		there, err := s.has(path, m)
		if err != nil {
			return nil, err
		}
		if there {
			first = path
		}
		lines, err := s.opening(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if before := s.before(lines); before != "" {
			next[before] = path
		}
	}
	for path := first; path != "" && !slices.Contains(paths, path); path = next[path] {
		paths = append(paths, path)
	}
	return paths, nil
}

// has reports whether the entry of a mark stands in a file.
func (s *Store) has(path string, m Mark) (bool, error) {
	j, release, err := s.journal(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer release()
	_, _, err = m.in(j)
	if errors.Is(err, errElsewhere) {
		return false, nil
	}
	return err == nil, err
}
