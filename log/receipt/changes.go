package receipt

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
)

// Seen remembers which receipts [Store.Changed] has read. It is empty at first.
type Seen map[string]fs.FileInfo // by key

// Changed yields the histories that may have changed since they were last read with the
// same Seen, in no particular order. An error is about one of them; it is yielded again
// when the file changes.
func (s *Store) Changed(seen Seen) iter.Seq2[Life, error] {
	return func(yield func(Life, error) bool) {
		names, err := s.names()
		if err != nil {
			yield(Life{}, err)
			return
		}
		for _, name := range names {
			key, ok := strings.CutSuffix(name, extension)
			if !ok || len(key) != 2*keyBytes || !s.changed(seen, key) {
				continue
			}
			all, err := s.readAll(key)
			if err == nil && all.name != "" && keyOf(all.name) != key {
				err = fmt.Errorf("%s: is about %q, which has another file", s.file(key), all.name)
			}
			if err != nil {
				all = logged{}
			}
			for _, l := range all.lives() {
				if !yield(l, err) {
					return
				}
			}
		}
	}
}

// names are the names of all files, in no order: most calls find no change, and sorting
// would take most of their time.
func (s *Store) names() ([]string, error) {
	dir, err := os.Open(s.place.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.Readdirnames(-1)
}

// changed reports whether a file is not the one that was seen, and remembers it. It
// checks before the file is read, so later appends are a change at the next check.
func (s *Store) changed(seen Seen, key string) bool {
	before := seen[key]
	now, err := os.Lstat(s.file(key))
	if err != nil {
		delete(seen, key)
		return false
	}
	seen[key] = now
	return before == nil || before.Size() != now.Size() || !before.ModTime().Equal(now.ModTime()) || !os.SameFile(before, now)
}
