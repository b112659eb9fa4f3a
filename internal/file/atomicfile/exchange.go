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

// How an exchange keeps what other processes write, even if it is killed:
//
// Before the exchange, the temporary file gets a name with the path of the file and
// digests of its old and new content (see held). From then on a file with such a
// name is deleted only if it has one of these two contents: the old one was read,
// the new one can be written again. Any other content was written by another
// process: the file gets its old name back, or a name that a person notices.

// attempts is how often an exchange is tried with a file that other processes keep
// writing.
const attempts = 100

// patience is how long to wait for a writer that may have the displaced file open,
// if the system cannot report whether there is one.
const patience = 5 * time.Millisecond

// SavedError reports that content of another writer could not be put back, because
// the file has changed since, and was saved beside it.
type SavedError struct {
	Path string // of the file
	As   string // the name of the saved file in the same folder
}

func (e *SavedError) Error() string {
	return fmt.Sprintf("another process wrote to it at the same time; its version is saved as %s", e.As)
}

var (
	errOpen = errors.New("another process has it open for writing: left unchanged")
	errBusy = errors.New("other processes keep writing it")
)

// steps is called before each step. It is for tests, which kill the process there;
// otherwise it is nil.
type steps func(name string)

func (s steps) at(name string) {
	if s != nil {
		s(name)
	}
}

// exchange gives the new content the file's name and checks the displaced file.
func (s *Swapping) exchange() error {
	p := s.pending
	s.steps.at("mark")
	x, err := s.mark()
	if errors.Is(err, syscall.ENAMETOOLONG) {
		return p.replace(s.old)
	} else if err != nil {
		return err
	}
	s.steps.at("check")
	err = holds(p.path, s.old) // again: writing the new content to disk took time
	if err == nil {
		s.steps.at("exchange")
		err = x.exchange()
	}
	if p.at != p.dir && errors.Is(err, syscall.EXDEV) {
		if p.name = x.mark; p.moveBeside() == nil {
			return s.exchange()
		}
	}
	if errors.Is(err, errors.ErrUnsupported) {
		p.name = x.mark
		return p.replace(s.old)
	}
	if err != nil {
		x.drop() // it is the new content
		return changedIfGone(err)
	}
	s.steps.at("look")
	displaced, quiet, err := settled(x.at, x.mark)
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

// mark gives the new content the name of an exchange: in the scratch folder, or beside
// the file if the path is too long for a name.
func (s *Swapping) mark() (exchanging, error) {
	p, now := s.pending, time.Now()
	if p.at != p.dir {
		x := exchanging{p.at, p.dir, heldName(escaped.Replace(s.below), s.old, s.data, now), p.base}
		if err := p.at.Rename(p.name, x.mark); !errors.Is(err, syscall.ENAMETOOLONG) {
			return x, err
		}
		if err := p.moveBeside(); err != nil {
			return exchanging{}, err
		}
	}
	x := exchanging{p.dir, p.dir, heldName(p.base, s.old, s.data, now), p.base}
	return x, p.dir.Rename(p.name, x.mark)
}

// replace is the exchange for systems that cannot exchange names.
func (p *Pending) replace(old []byte) error {
	if err := holds(p.path, old); err != nil {
		return err
	}
	return changedIfGone(p.rename())
}

// exchanging is an exchange of two files: mark in one folder, base in another or the
// same.
type exchanging struct {
	at, dir    *nofollow.Dir
	mark, base string
}

func (x exchanging) exchange() error { return x.at.Exchange(x.mark, x.dir, x.base) }
func (x exchanging) drop() error     { return x.at.Remove(x.mark) }
func (x exchanging) path() string    { return filepath.Join(x.dir.Path(), x.base) }

// marked describes the file that has the name of the exchange now.
func (x exchanging) marked() (fs.FileInfo, error) {
	return os.Lstat(filepath.Join(x.at.Path(), x.mark))
}

// putBack gives the displaced file its name back. The file that this displaces
// should be ours. If not, another process wrote it meanwhile. It is newer, so it is
// exchanged in turn, and the file that was put back is saved.
func (x exchanging) putBack(ours func([]byte) bool, steps steps) error {
	var before fs.FileInfo // the file that the last exchange put back
	for range attempts {
		placed, err := x.marked()
		if err != nil {
			return err
		}
		steps.at("put-back")
		if err := x.exchange(); err != nil { // perhaps the file was removed
			return x.save()
		}
		steps.at("look-again")
		out, _, err := settled(x.at, x.mark)
		if err == nil && ours(out) {
			steps.at("drop-ours")
			return x.dropBack()
		}
		if st, err := x.marked(); err != nil || before != nil && unchanged(before, st) {
			return x.save()
		}
		before = placed
	}
	return errors.Join(errBusy, x.save())
}

// dropBack is drop after the displaced file was put back. Its name is fsynced first: after
// a crash, one folder could be as it was before and the other as it is now.
func (x exchanging) dropBack() error {
	if err := x.dir.Sync(); err != nil {
		return err
	}
	return x.drop()
}

// unchanged reports whether both are the same file, not written in between.
func unchanged(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// savedMark is part of the names of saved files.
const savedMark = ".handoff-saved-"

// SavedOf returns the name of the file that a saved file is a version of, cut if it
// is long; "" for other files.
func SavedOf(base string) string {
	i := strings.LastIndex(base, savedMark)
	return base[:max(i, 0)]
}

// save gives the displaced file a name that a person notices and no program reads.
// An existing file with that name has the same content.
func (x exchanging) save() error {
	name := "x" // a file that cannot be read is saved, too
	if data, err := readIn(x.at, x.mark); err == nil {
		name = digest(data)
	}
	name = x.base[:min(len(x.base), 200)] + savedMark + name
	if err := x.at.RenameTo(x.mark, x.dir, name); err != nil {
		return err
	}
	return errors.Join(&SavedError{x.path(), name}, x.dir.Sync())
}

// readIn reads a file of a folder, of any size.
func readIn(dir *nofollow.Dir, name string) ([]byte, error) {
	f, err := dir.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
