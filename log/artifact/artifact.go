// Package artifact stores immutable blobs in a workspace, named by the SHA-256 of
// their bytes: `.rip/artifacts/blobs/<64 hex>`, the layout of RIP.
//
// [Open] opens the store of a workspace; [Store.Put] keeps bytes, [Store.Get] reads and verifies them.
//
// It does not know what the blobs mean or which are still needed. RIP writes blobs
// there under ids that are not hashes; they are read like all others but cannot be
// verified.
package artifact

import (
	"errors"
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
			err = &MissingError{id}
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

// MissingError is the error for a blob that does not exist, an fs.ErrNotExist.
type MissingError struct{ ID ID }

func (e *MissingError) Error() string        { return "no artifact " + e.ID.hex + " in " + Blobs }
func (e *MissingError) Is(target error) bool { return target == fs.ErrNotExist }

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
