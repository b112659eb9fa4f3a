package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"handoff/internal/atomicfile"
)

// Outcome says what Put found and did.
type Outcome int

const (
	// Created: there was no such blob.
	Created Outcome = iota + 1
	// Kept: the blob was there, the same byte for byte, and was not touched.
	Kept
	// Healed: the blob was there but damaged, and was replaced.
	Healed
)

func (o Outcome) String() string {
	switch o {
	case Created:
		return "created"
	case Kept:
		return "kept"
	case Healed:
		return "healed"
	}
	return "none"
}

// Put stores data under its hash. When it returns, the blob is on the disk,
// name included; when it fails, or the process is killed, the store holds
// whole blobs only and at most one more leftover (see [Store.Leftovers]).
//
// Of several processes that put the same data at once, more than one may say
// Created: each put the same bytes under the same name.
func (s *Store) Put(data []byte) (ID, Outcome, error) {
	id := Sum(data)
	if err := s.fits(id, int64(len(data))); err != nil {
		return ID{}, 0, err
	}
	blobs, err := s.blobs()
	if err != nil {
		return ID{}, 0, err
	}
	defer blobs.Close()
	outcome := Created
	switch same, err := holds(blobs, id, data); {
	case same && err == nil:
		return id, Kept, nil
	case err == nil:
		outcome = Healed
	case !errors.Is(err, fs.ErrNotExist):
		return ID{}, 0, err
	}
	// A rename, where a link would tell who was first: it needs no hard links,
	// and what it may replace is the same content or damage.
	if err := atomicfile.WriteIn(blobs, id.hex, data, 0o644); err != nil {
		return ID{}, 0, err
	}
	return id, outcome, nil
}

// blobs opens the folder of the blobs, which it makes if need be: to find the
// way there once, not for each step.
func (s *Store) blobs() (*os.Root, error) {
	r, err := s.root.OpenRoot(Blobs)
	if !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	if err := atomicfile.MkdirAllIn(s.root, Blobs, 0o755); err != nil {
		return nil, err
	}
	return s.root.OpenRoot(Blobs)
}

// holds compares the stored blob with data, whatever the blob's size.
func holds(blobs *os.Root, id ID, data []byte) (bool, error) {
	f, st, err := openIn(blobs, id.hex)
	if err != nil {
		return false, err
	}
	defer f.Close()
	if st.Size() != int64(len(data)) {
		return false, nil
	}
	stored := make([]byte, len(data))
	if _, err := io.ReadFull(f, stored); err != nil {
		return false, err
	}
	return bytes.Equal(stored, data), nil
}

// Verify reads the blob and compares its hash with its id. It returns nil; or
// fs.ErrNotExist for a blob that is missing; [*DamagedError]; [ErrNotHashed]
// where id has the form that RIP makes up; [ErrNotRegular]. A damaged blob
// whose hash happens to have RIP's form, one in 4,096, is ErrNotHashed too.
func (s *Store) Verify(id ID) error {
	f, _, err := s.open(id)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return fmt.Errorf("%s/%s: %w", Blobs, id, err)
	}
	switch got := (ID{hex.EncodeToString(h.Sum(nil))}); {
	case got == id:
		return nil
	case id.MadeUp():
		return fmt.Errorf("%s/%s: %w", Blobs, id, ErrNotHashed)
	default:
		return fmt.Errorf("%s/%s: %w", Blobs, id, &DamagedError{Want: id, Got: got})
	}
}
