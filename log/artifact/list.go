package artifact

import (
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/regular"
)

// Info describes a blob.
type Info struct {
	ID       ID        `json:"id"`
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified"`
}

// List yields the blobs in the order of their ids. An entry that is not a readable
// blob is yielded with an error, and the list continues: a name that is not an id
// (the zero Info, [ErrInvalidID]), something that is not a regular file
// ([ErrNotRegular]). Leftovers and hidden files are left out, and so is a blob that
// is removed meanwhile.
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

// IDs returns the ids of all blobs, sorted, without looking at their files.
func (s *Store) IDs() (ids []string, err error) {
	names, err := s.names(Blobs)
	return slices.DeleteFunc(names, func(name string) bool { return !isID(name) }), err
}

// Missing returns those of the ids for which the store has no regular file. Sizes and
// contents are not checked.
func (s *Store) Missing(ids []ID) []ID {
	missing, _ := s.Lacks(ids)
	return missing
}

// Lacks is [Store.Missing] with an error if the folder of the blobs exists but cannot
// be opened.
func (s *Store) Lacks(ids []ID) (missing []ID, err error) {
	blobs, err := s.root.OpenRoot(Blobs) // resolves the path once for all ids
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

// Opened is the open folder of the blobs, for callers that check ids very often:
// opening it takes longer than a check. It does not notice that the folder is
// replaced. Any number of goroutines may use it.
type Opened struct {
	store *Store
	blobs *os.Root // nil if there was none
}

// Opened opens the folder of the blobs. The caller must close it.
func (s *Store) Opened() *Opened {
	blobs, err := s.root.OpenRoot(Blobs)
	if err != nil {
		blobs = nil
	}
	return &Opened{s, blobs}
}

// Close closes the folder.
func (o *Opened) Close() {
	if o.blobs != nil {
		o.blobs.Close()
	}
}

// Missing is [Store.Missing].
func (o *Opened) Missing(ids []ID) []ID {
	if o.blobs == nil {
		return o.store.Missing(ids) // another process may have created the folder
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

// names lists a folder, sorted; a missing one is empty.
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

// Remove removes a blob that was put at notAfter or before. If it was put again since
// then, it stays, and removed is false. A missing blob is fs.ErrNotExist. The package
// does not know which blobs are referenced: a caller looks for references first and
// passes the time when it began.
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

// Leftover is an unfinished file: its writer was killed, or is still writing it. Only
// its age shows which.
type Leftover struct {
	Path     string // below the workspace, with forward slashes
	Size     int64  // bytes
	Modified time.Time
}

// Leftovers yields the leftovers of RIP, of this package, and of other writers that put
// their temporary files in the same scratch folder.
func (s *Store) Leftovers() iter.Seq2[Leftover, error] {
	return func(yield func(Leftover, error) bool) {
		for _, dir := range []string{Blobs, ripTemp, atomicfile.Scratch} {
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
					continue // removed meanwhile, or not a file of a writer
				}
				if !yield(Leftover{path.Join(dir, name), st.Size(), st.ModTime()}, nil) {
					return
				}
			}
		}
	}
}

// RemoveLeftover removes the file at the path of a [Leftover]. Any other path is
// fs.ErrInvalid.
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
	case atomicfile.Scratch:
		return atomicfile.IsTemp(base)
	case ripTemp:
		return isTmp && stem != ""
	}
	return false
}
