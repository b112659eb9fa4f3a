// Package artifact stores immutable blobs in a workspace, named by the SHA-256 of
// their bytes: `.rip/artifacts/blobs/<64 hex>`, the layout of RIP.
//
// It does not know what the blobs mean or which are still needed. RIP writes blobs
// there under ids that are not hashes; they are read like all others but cannot be
// verified.
package artifact

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// Blobs is the folder of the blobs below a workspace.
const Blobs = ".rip/artifacts/blobs"

// ripTemp is where RIP writes the output of commands before it has an id.
const ripTemp = ".rip/artifacts/tmp"

// DefaultMax is the default of [Store.Max], in bytes: RIP's own limit.
const DefaultMax = 16 << 20

// ErrNotRegular reports a folder, a symbolic link, a FIFO or the like instead of a
// blob. It is never opened, followed or removed.
var ErrNotRegular = regular.ErrNotRegular

// TooLargeError reports that a blob is larger than [Store.Max].
type TooLargeError = regular.TooLargeError

// ErrNotHashed reports that a blob cannot be verified: its id has the form of RIP's
// random ids, which do not depend on the bytes.
var ErrNotHashed = errors.New("the id is not a hash, so the bytes cannot be verified")

// DamagedError reports that a blob's bytes do not have the hash of its id.
type DamagedError struct{ Want, Got ID }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("damaged: the id is %s, but its bytes hash to %s", e.Want, e.Got)
}

// Store is the blobs of one workspace. Any number of goroutines and processes may use
// the same one. No id and no symbolic link leads out of the workspace, and nothing is
// written through a link.
type Store struct {
	// Max is the size of the largest blob that Put accepts and Get reads, in bytes.
	// Set it before the first use.
	Max int64

	// Remote, if not nil, gets each blob before it is stored here, and has those that are
	// missing here. Set it before the first use.
	Remote Remote

	root    *os.Root      // for reading: links that stay in the workspace are followed
	trusted nofollow.Root // for writing: no link is followed
}

// Open opens the store of the workspace at root, an existing folder. The first Put
// creates the store's own folders; until then it is empty.
func Open(root string) (*Store, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	r, err := os.OpenRoot(abs)
	if err != nil {
		return nil, err
	}
	return &Store{Max: DefaultMax, root: r, trusted: nofollow.Root(abs)}, nil
}

// Close closes the workspace's folder.
func (s *Store) Close() error { return s.root.Close() }

func blobPath(id ID) (string, error) {
	if id.IsZero() {
		return "", ErrInvalidID
	}
	return path.Join(Blobs, id.hex), nil
}

// open is openHere for a blob that may be only at the remote: it is fetched.
func (s *Store) open(id ID) (*os.File, fs.FileInfo, error) {
	f, st, err := s.openHere(id)
	if s.Remote == nil || !errors.Is(err, fs.ErrNotExist) {
		return f, st, err
	}
	if err := s.fetch(id); err != nil {
		return nil, nil, err
	}
	return s.openHere(id)
}

// openHere opens a blob for reading if it is a regular file. A missing blob is
// fs.ErrNotExist.
func (s *Store) openHere(id ID) (*os.File, fs.FileInfo, error) {
	name, err := blobPath(id)
	if err != nil {
		return nil, nil, err
	}
	// The file may be replaced between Lstat and opening: by writers of the same
	// blob, which end soon, by a link to another file, or by a FIFO, for whose writer
	// opening must not wait.
	for range 100 {
		listed, err := s.regular(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = missing(id)
		}
		if err != nil {
			return nil, nil, err
		}
		f, err := s.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, nil, err
		}
		if opened, err := f.Stat(); err == nil && os.SameFile(listed, opened) {
			return f, opened, nil
		}
		f.Close()
	}
	return nil, nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("replaced every time it was opened")}
}

// missing is the error for a blob that does not exist, an fs.ErrNotExist.
type missing ID

func (e missing) Error() string        { return "no artifact " + e.hex + " in " + Blobs }
func (e missing) Is(target error) bool { return target == fs.ErrNotExist }

// regular describes a regular file of the workspace; anything else is an error.
func (s *Store) regular(name string) (fs.FileInfo, error) {
	st, err := s.root.Lstat(name)
	switch {
	case err != nil:
	case st.Mode()&fs.ModeSymlink != 0:
		to, _ := s.root.Readlink(name) // for the message
		err = &nofollow.LinkError{Path: name, To: to}
	case !st.Mode().IsRegular():
		err = &fs.PathError{Op: "read", Path: name, Err: ErrNotRegular}
	}
	return st, err
}

// Get returns the whole blob, at most [Store.Max] bytes. It does not compare the bytes
// with the id, because RIP's ids are not hashes: see [Store.Verify].
func (s *Store) Get(id ID) ([]byte, error) {
	f, st, err := s.open(id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st.Size() > s.Max {
		return nil, s.tooLarge(id, st.Size())
	}
	data := make([]byte, st.Size())
	if _, err := io.ReadFull(f, data); err != nil {
		return nil, fmt.Errorf("%s/%s: %w", Blobs, id, err)
	}
	return data, nil
}

func (s *Store) tooLarge(id ID, size int64) error {
	return fmt.Errorf("%s/%s: %w", Blobs, id, &TooLargeError{Size: size, Max: s.Max})
}

// Range returns up to max bytes of the blob from offset on, at most [Store.Max] at
// once, and the size of the whole blob in bytes. The blob may be larger than
// [Store.Max]. At or after the end it returns no bytes.
func (s *Store) Range(id ID, offset, max int64) (data []byte, total int64, err error) {
	if offset < 0 || max < 0 {
		return nil, 0, fmt.Errorf("%d bytes from %d: %w", max, offset, fs.ErrInvalid)
	}
	f, st, err := s.open(id)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	total = st.Size()
	if offset >= total {
		return nil, total, nil
	}
	data = make([]byte, min(max, s.Max, total-offset))
	if _, err := io.ReadFull(io.NewSectionReader(f, offset, int64(len(data))), data); err != nil {
		return nil, total, fmt.Errorf("%s/%s: %w", Blobs, id, err)
	}
	return data, total, nil
}
