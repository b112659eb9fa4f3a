package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"handoff/internal/file/nofollow"
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
	return fmt.Sprintf("another process wrote to it at the same time; its version is kept as %s", e.As)
}

var (
	errOpen = errors.New("another process has it open for writing: left unchanged")
	errBusy = errors.New("other processes keep writing it")
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
func (s *Swapping) exchange() error {
	p := s.pending
	s.steps.at("mark")
	x := exchanging{p.dir, heldName(p.base, s.old, s.data, time.Now()), p.base}
	if err := p.dir.Rename(p.name, x.mark); errors.Is(err, syscall.ENAMETOOLONG) {
		return x.replace(p.name, s.old)
	} else if err != nil {
		return err
	}
	s.steps.at("check")
	err := x.holds(s.old) // again: until here it had to wait for the disk
	if err == nil {
		s.steps.at("exchange")
		err = x.exchange()
	}
	if errors.Is(err, errors.ErrUnsupported) {
		err = x.replace(x.mark, s.old)
		if err == nil {
			return nil
		}
	}
	if err != nil {
		x.drop() // it is ours
		return changedIfGone(err)
	}
	s.steps.at("look")
	displaced, quiet, err := settled(x.dir, x.mark)
	if err == nil && quiet && bytes.Equal(displaced, s.old) {
		s.steps.at("drop")
		return x.drop()
	}
	saved := x.putBack(func(b []byte) bool { return bytes.Equal(b, s.data) }, s.steps)
	if err == nil && bytes.Equal(displaced, s.old) {
		return errors.Join(errOpen, saved)
	}
	return errors.Join(ErrChanged, saved)
}

// exchanging is a file that changes places with another in its folder, which
// has a name that says so.
type exchanging struct {
	dir        *nofollow.Dir
	mark, base string
}

func (x exchanging) exchange() error { return x.dir.Exchange(x.mark, x.base) }
func (x exchanging) drop() error     { return x.dir.Remove(x.mark) }
func (x exchanging) path() string    { return filepath.Join(x.dir.Path(), x.base) }

// marked is what has the name of the exchange now.
func (x exchanging) marked() (fs.FileInfo, error) {
	return os.Lstat(filepath.Join(x.dir.Path(), x.mark))
}

// holds returns ErrChanged unless the file holds old.
func (x exchanging) holds(old []byte) error { return holds(x.path(), old) }

// replace is the exchange of systems that have none.
func (x exchanging) replace(temp string, old []byte) error {
	if err := x.holds(old); err != nil {
		return err
	}
	return x.dir.Rename(temp, x.base)
}

// putBack gives what an exchange displaced its name back. What comes out
// should be ours. Anything else was written meanwhile, is newer still, and
// changes places in its turn; then what was put back before is kept aside.
func (x exchanging) putBack(ours func([]byte) bool, steps steps) error {
	var before fs.FileInfo // what the last exchange put in the place
	for range attempts {
		placed, err := x.marked()
		if err != nil {
			return err
		}
		steps.at("put-back")
		switch err := x.exchange(); {
		case errors.Is(err, errors.ErrUnsupported):
			return x.renameBack(ours)
		case err != nil: // taken away, perhaps
			return x.save()
		}
		steps.at("look-again")
		out, _, err := settled(x.dir, x.mark)
		if err == nil && ours(out) {
			steps.at("drop-ours")
			return x.drop()
		}
		if st, err := x.marked(); err != nil || before != nil && unchanged(before, st) {
			return x.save()
		}
		before = placed
	}
	return errors.Join(errBusy, x.save())
}

// unchanged reports whether it is the same file, and nobody wrote to it.
func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// renameBack is putBack where names cannot be exchanged.
func (x exchanging) renameBack(ours func([]byte) bool) error {
	if got, err := readIn(x.dir, x.base); err != nil || !ours(got) {
		return x.save()
	}
	return x.dir.Rename(x.mark, x.base)
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
func (x exchanging) save() error {
	name := "x" // what cannot be read is kept, too
	if data, err := readIn(x.dir, x.mark); err == nil {
		name = digest(data)
	}
	name = x.base[:min(len(x.base), 200)] + savedMark + name
	if err := x.dir.Rename(x.mark, name); err != nil {
		return err
	}
	return errors.Join(&SavedError{x.path(), name}, x.dir.Sync())
}

// readIn reads a file of a folder that nobody has bounded.
func readIn(dir *nofollow.Dir, name string) ([]byte, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
