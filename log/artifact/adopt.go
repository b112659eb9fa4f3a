package artifact

import (
	"errors"
	"fmt"
	"io/fs"

	"handoff/internal/file/atomicfile"
)

// Adopt stores a blob under the id that it has in another store. The id need not be
// its hash, because RIP also uses random ids. A blob that exists under that id must
// have the same bytes; it is never replaced. If the id must be a hash and is not the
// hash of data, the error is [*DamagedError].
func (s *Store) Adopt(id ID, data []byte) (Outcome, error) {
	if sum := Sum(data); sum != id && !id.MadeUp() {
		return 0, fmt.Errorf("%s/%s: %w", Blobs, id, &DamagedError{Want: id, Got: sum})
	}
	if size := int64(len(data)); size > s.Max {
		return 0, s.tooLarge(id, size)
	}
	switch {
	case s.Remote == nil:
	case Sum(data) != id:
		return 0, fmt.Errorf("%s/%s: %w, and the workspace's store has only blobs whose ids are hashes", Blobs, id, ErrNotHashed)
	default:
		if err := s.send(id, data); err != nil {
			return 0, err
		}
	}
	blobs, err := s.blobs()
	if err != nil {
		return 0, err
	}
	defer blobs.Close()
	switch same, err := holds(blobs, id, data); {
	case same && err == nil:
		return Kept, nil
	case err == nil:
		return 0, fmt.Errorf("%s/%s: another blob has this id: %w", Blobs, id, fs.ErrExist)
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	}
	return Created, atomicfile.WriteIn(s.trusted, blobs, id.hex, data, 0o644)
}
