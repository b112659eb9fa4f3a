package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// How an exchange keeps what others write, whenever it is killed:
//
// Before the names change places, the temporary file gets one that says of
// which file, with which content, it takes the place, and with which (see
// held). From then on a file of that name is deleted only if it is one of the
// two, which somebody has read or can make again. Everything else was written
// by another: it gets its name back, or a name that a person sees.

// attempts bounds how often a file that others keep writing is tried.
const attempts = 100

// patience is how long a writer that has the displaced file open is waited for
// where nobody can tell whether there is one.
const patience = 5 * time.Millisecond

// SavedError says that what another writer wrote to a file could not be put
// back, because the file has changed since, and that it was kept beside it.
type SavedError struct {
	Path string // of the file
	As   string // what it is kept as: a name in the same folder
}

func (e *SavedError) Error() string {
	return fmt.Sprintf("what another writer wrote to it is kept as %s", e.As)
}

var (
	errOpen = errors.New("another process has it open for writing: left as it is")
	errBusy = errors.New("others keep writing it")
)

// steps is told of each step just before it is made. It is for tests, which
// die there; nil elsewhere.
type steps func(name string)

func (s steps) at(name string) {
	if s != nil {
		s(name)
	}
}

// exchange gives the file's name to temp and looks at what had it.
func (s *Swapping) exchange(temp string) error {
	path := s.pending.path
	s.steps.at("mark")
	mark := heldName(filepath.Base(path), s.old, s.data, time.Now())
	at := filepath.Join(filepath.Dir(path), mark)
	if err := os.Rename(temp, at); errors.Is(err, syscall.ENAMETOOLONG) {
		return replace(temp, path, s.old)
	} else if err != nil {
		return err
	}
	s.steps.at("check")
	err := holds(path, s.old) // again: until here it had to wait for the disk
	if err == nil {
		s.steps.at("exchange")
		err = exchangeNames(at, path)
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = replace(at, path, s.old)
		if err == nil {
			return nil
		}
	}
	if err != nil {
		os.Remove(at) // it is ours
		return changedIfGone(err)
	}
	s.steps.at("look")
	displaced, quiet, err := settled(at)
	if err == nil && quiet && bytes.Equal(displaced, s.old) {
		s.steps.at("drop")
		return os.Remove(at)
	}
	saved := putBack(at, path, func(b []byte) bool { return bytes.Equal(b, s.data) }, s.steps)
	if err == nil && bytes.Equal(displaced, s.old) {
		return errors.Join(errOpen, saved)
	}
	return errors.Join(ErrChanged, saved)
}

// putBack gives what an exchange displaced its name back. What comes out
// should be ours. Anything else was written meanwhile, is newer still, and
// changes places in its turn; then what was put back before is kept aside.
func putBack(at, path string, ours func([]byte) bool, steps steps) error {
	var before fs.FileInfo // what the last exchange put in the place
	for range attempts {
		placed, err := os.Lstat(at)
		if err != nil {
			return err
		}
		steps.at("put-back")
		switch err := exchangeNames(at, path); {
		case errors.Is(err, errors.ErrUnsupported):
			return renameBack(at, path, ours)
		case err != nil: // taken away, perhaps
			return save(at, path)
		}
		steps.at("look-again")
		out, _, err := settled(at)
		if err == nil && ours(out) {
			steps.at("drop-ours")
			return os.Remove(at)
		}
		if st, err := os.Lstat(at); err != nil || before != nil && unchanged(before, st) {
			return save(at, path)
		}
		before = placed
	}
	return errors.Join(errBusy, save(at, path))
}

// unchanged reports whether it is the same file, and nobody wrote to it.
func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// renameBack is putBack where names cannot be exchanged.
func renameBack(at, path string, ours func([]byte) bool) error {
	if got, err := os.ReadFile(path); err != nil || !ours(got) {
		return save(at, path)
	}
	return os.Rename(at, path)
}

// savedMark stands in the names of files that were kept aside.
const savedMark = ".handoff-saved-"

// SavedOf is the name of the file beside it that a file was kept aside of, ""
// for other files. A long name is cut.
func SavedOf(base string) string {
	i := strings.LastIndex(base, savedMark)
	return base[:max(i, 0)]
}

// save gives a file a name that a person sees and nobody else reads. A file
// that is in its place already has the same content.
func save(at, path string) error {
	base := filepath.Base(path)
	name := "x" // what cannot be read is kept, too
	if data, err := os.ReadFile(at); err == nil {
		name = digest(data)
	}
	name = base[:min(len(base), 200)] + savedMark + name
	if err := os.Rename(at, filepath.Join(filepath.Dir(path), name)); err != nil {
		return err
	}
	return errors.Join(&SavedError{path, name}, SyncDir(filepath.Dir(path)))
}
