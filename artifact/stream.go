package artifact

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"handoff/internal/file/atomicfile"
)

// MismatchError says that bytes that came under an id are not those it names.
type MismatchError struct{ Want, Got ID }

func (e *MismatchError) Error() string {
	return fmt.Sprintf("its bytes hash to %s, not %s", e.Got, e.Want)
}

// PutFrom is [Store.Put] of what r holds, in the memory of one buffer: the
// bytes go to the disk as they come. Unless want is the zero ID they must hash
// to it, else the error is [*MismatchError] and nothing is stored. More than
// [Store.Max] bytes are a [*TooLargeError] as soon as that is known.
func (s *Store) PutFrom(r io.Reader, want ID) (id ID, size int64, outcome Outcome, err error) {
	blobs, err := s.blobs()
	if err != nil {
		return ID{}, 0, 0, err
	}
	defer blobs.Close()
	err = atomicfile.StreamIn(blobs, 0o644, func(w io.Writer) (string, error) {
		hash := sha256.New()
		if size, err = io.Copy(io.MultiWriter(w, hash), io.LimitReader(r, s.Max+1)); err != nil {
			return "", err
		}
		if size > s.Max {
			return "", &TooLargeError{Size: size, Max: s.Max}
		}
		id = ID{hex.EncodeToString(hash.Sum(nil))}
		if !want.IsZero() && id != want {
			return "", &MismatchError{want, id}
		}
		switch err := s.same(id); {
		case err == nil:
			outcome = Kept
			freshen(blobs, id.hex)
			return "", nil
		case errors.Is(err, fs.ErrNotExist):
			outcome = Created
		default:
			outcome = Healed
		}
		return id.hex, nil
	})
	if err != nil {
		return ID{}, 0, 0, err
	}
	return id, size, outcome, nil
}

// same returns nil when the blob is there and hashes to its id, also to one
// that has the form of those that RIP makes up.
func (s *Store) same(id ID) error {
	f, _, err := s.open(id)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := (ID{hex.EncodeToString(h.Sum(nil))}); got != id {
		return &DamagedError{Want: id, Got: got}
	}
	return nil
}

// Blob is a blob that is open for reading. Its bytes are not compared with its
// id: see [Store.Verify].
type Blob struct {
	io.ReadSeeker
	Size int64 // bytes

	file *os.File
}

// Close ends the reading.
func (b *Blob) Close() error { return b.file.Close() }

// Open opens a blob of any size. The error is that of [Store.Verify].
func (s *Store) Open(id ID) (*Blob, error) {
	f, st, err := s.open(id)
	if err != nil {
		return nil, err
	}
	return &Blob{io.NewSectionReader(f, 0, st.Size()), st.Size(), f}, nil
}
