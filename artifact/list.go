package artifact

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"strings"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/regular"
)

// Info is a blob as the folder lists it.
type Info struct {
	ID       ID
	Size     int64 // bytes
	Modified time.Time
}

// List yields the blobs, ordered by id. What is no blob, or no blob that can
// be read, comes with an error, and the list goes on: a name that is no id
// (the zero Info, [ErrInvalidID]), something that is not a regular file
// ([ErrNotRegular]). Leftovers and hidden files are left out. A blob that goes
// away meanwhile is not listed.
func (s *Store) List() iter.Seq2[Info, error] {
	return func(yield func(Info, error) bool) {
		names, err := s.names(Blobs)
		if err != nil {
			yield(Info{}, err)
			return
		}
		for _, name := range names {
			if strings.HasPrefix(name, ".") || isLeftover(Blobs, name) {
				continue
			}
			info, err := s.info(name)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// Missing is those of the ids that the store has no blob for: none that is a
// regular file. Sizes and contents are not looked at.
func (s *Store) Missing(ids []ID) []ID {
	missing, _ := s.Lacks(ids)
	return missing
}

// Lacks is [Store.Missing]. The error says why that could not be found out: the
// folder of the blobs could not be opened, though it is there.
func (s *Store) Lacks(ids []ID) (missing []ID, err error) {
	blobs, err := s.root.OpenRoot(Blobs) // one way there for all of them
	if err != nil {
		if !regular.Unavailable(err) {
			err = nil
		}
		return ids, err
	}
	defer blobs.Close()
	return missingIn(blobs, ids), nil
}

func missingIn(blobs *os.Root, ids []ID) (missing []ID) {
	for _, id := range ids {
		if st, err := blobs.Lstat(id.hex); err != nil || !st.Mode().IsRegular() {
			missing = append(missing, id)
		}
	}
	return missing
}

// Opened is the folder of the blobs, for those who ask again and again: finding
// the way there takes longer than asking. What becomes of the folder as a whole
// is not seen. Any number of goroutines may use it.
type Opened struct {
	store *Store
	blobs *os.Root // nil where there was none
}

// Opened opens the folder of the blobs. It must be closed.
func (s *Store) Opened() *Opened {
	blobs, err := s.root.OpenRoot(Blobs)
	if err != nil {
		blobs = nil
	}
	return &Opened{s, blobs}
}

// Close lets go of the folder.
func (o *Opened) Close() {
	if o.blobs != nil {
		o.blobs.Close()
	}
}

// Missing is [Store.Missing].
func (o *Opened) Missing(ids []ID) []ID {
	if o.blobs == nil {
		return o.store.Missing(ids) // there may be one by now
	}
	return missingIn(o.blobs, ids)
}

func (s *Store) info(name string) (Info, error) {
	if !isID(name) {
		return Info{}, &fs.PathError{Op: "list", Path: path.Join(Blobs, name), Err: ErrInvalidID}
	}
	st, err := s.regular(path.Join(Blobs, name))
	if err != nil {
		return Info{ID: ID{name}}, err
	}
	return Info{ID{name}, st.Size(), st.ModTime()}, nil
}

// names lists a folder, sorted; one that is not there is empty.
func (s *Store) names(dir string) ([]string, error) {
	entries, err := fs.ReadDir(s.root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// Remove takes a blob out of the store that was put at a time or before. One
// that was put again since stays, and the result is false; one that is not
// there is fs.ErrNotExist. The package does not know who names a blob: whoever
// removes one looks for names first, and says when that was.
func (s *Store) Remove(id ID, notAfter time.Time) (removed bool, err error) {
	name, err := blobPath(id)
	if err != nil {
		return false, err
	}
	st, err := s.regular(name)
	if err != nil || st.ModTime().After(notAfter) {
		return false, err
	}
	if err := s.trusted.Remove(s.full(name)); err != nil {
		return false, err
	}
	return true, nil
}

// Leftover is a file that a writer began and did not finish: it was killed, or
// it is still at it, which only the time can tell.
type Leftover struct {
	Path     string // below the workspace, with forward slashes
	Size     int64  // bytes
	Modified time.Time
}

// Leftovers yields those of this package and those of RIP.
func (s *Store) Leftovers() iter.Seq2[Leftover, error] {
	return func(yield func(Leftover, error) bool) {
		for _, dir := range []string{Blobs, ripTemp} {
			names, err := s.names(dir)
			if err != nil && !yield(Leftover{}, err) {
				return
			}
			for _, name := range names {
				if !isLeftover(dir, name) {
					continue
				}
				st, err := s.regular(path.Join(dir, name))
				if err != nil {
					continue // gone meanwhile, or nothing that a writer makes
				}
				if !yield(Leftover{path.Join(dir, name), st.Size(), st.ModTime()}, nil) {
					return
				}
			}
		}
	}
}

// RemoveLeftover removes the file at a [Leftover]'s path, and no other: any
// other path is fs.ErrInvalid.
func (s *Store) RemoveLeftover(name string) error {
	dir, base := path.Split(name)
	if !isLeftover(strings.TrimSuffix(dir, "/"), base) {
		return &fs.PathError{Op: "remove", Path: name, Err: fs.ErrInvalid}
	}
	if _, err := s.regular(name); err != nil {
		return err
	}
	return s.trusted.Remove(s.full(name))
}

func isLeftover(dir, base string) bool {
	stem, isTmp := strings.CutSuffix(base, ".tmp")
	switch dir {
	case Blobs:
		return atomicfile.IsTemp(base) || isTmp && isID(stem)
	case ripTemp:
		return isTmp && stem != ""
	}
	return false
}
