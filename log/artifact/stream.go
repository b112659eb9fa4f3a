package artifact

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"handoff/internal/file/atomicfile"
)

// MismatchError reports that received bytes do not have the hash of their id.
type MismatchError struct{ Want, Got ID }

func (e *MismatchError) Error() string {
	return fmt.Sprintf("its bytes hash to %s, not %s", e.Got, e.Want)
}

// PutFrom is [Store.Put] of all bytes of r. They are written to the disk as they
// come, through one buffer. If want is not the zero ID and not their hash, the error
// is [*MismatchError] and nothing is stored. More than [Store.Max] bytes are a
// [*TooLargeError].
func (s *Store) PutFrom(r io.Reader, want ID) (id ID, size int64, outcome Outcome, err error) {
	blobs, err := s.blobs()
	if err != nil {
		return ID{}, 0, 0, err
	}
	defer blobs.Close()
	err = atomicfile.StreamIn(s.trusted, blobs, 0o644, func(w io.Writer) (string, error) {
		hash, sent := sha256.New(), bytes.Buffer{}
		to := io.MultiWriter(w, hash)
		if s.Remote != nil {
			to = io.MultiWriter(w, hash, &sent)
		}
		if size, err = io.Copy(to, io.LimitReader(r, s.Max+1)); err != nil {
			return "", err
		}
		if size > s.Max {
			return "", &TooLargeError{Size: size, Max: s.Max}
		}
		id = idOf(hash)
		if !want.IsZero() && id != want {
			return "", &MismatchError{want, id}
		}
		if err := s.send(id, sent.Bytes()); err != nil {
			return "", err
		}
		switch err := s.holdsHash(id); {
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
