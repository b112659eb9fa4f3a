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
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
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
	if err := s.fits(data); err != nil {
		return ID{}, 0, err
	}
	blobs, err := s.blobs()
	if err != nil {
		return ID{}, 0, err
	}
	defer blobs.Close()
	id, outcome, err := s.place(blobs, data)
	if err == nil && outcome != Kept {
		err = blobs.Sync()
	}
	if err != nil {
		return ID{}, 0, err
	}
	return id, outcome, nil
}

// putsAtOnce is how many writers wait for the disk together: it takes in many
// small files in the time of a few.
const putsAtOnce = 8

// PutAll is Put for each of many, which waits for the disk less often, in two
// steps: the blobs are there for everybody when it returns, and their bytes are
// on the disk, but a machine that loses its power can forget their names until
// flush returns, which must be called, once. When PutAll fails some of them may
// be stored; a kill leaves up to putsAtOnce leftovers.
func (s *Store) PutAll(all [][]byte) (flush func() error, err error) {
	if len(all) == 0 {
		return func() error { return nil }, nil
	}
	for _, data := range all {
		if err := s.fits(data); err != nil {
			return nil, err
		}
	}
	blobs, err := s.blobs()
	if err != nil {
		return nil, err
	}
	if err := s.placeAll(blobs, all); err != nil {
		blobs.Close()
		return nil, err
	}
	return func() error {
		defer blobs.Close()
		return blobs.Sync() // also where another process placed some of them just now
	}, nil
}

func (s *Store) placeAll(blobs *nofollow.Dir, all [][]byte) error {
	var (
		next    atomic.Int64
		writers sync.WaitGroup
		failed  = make([]error, len(all))
	)
	writer := func() {
		for i := next.Add(1) - 1; i < int64(len(all)); i = next.Add(1) - 1 {
			if _, _, err := s.place(blobs, all[i]); err != nil {
				failed[i] = fmt.Errorf("%s: %w", Sum(all[i]), err)
			}
		}
	}
	for range min(putsAtOnce, len(all)) - 1 {
		writers.Go(writer)
	}
	writer()
	writers.Wait()
	return errors.Join(failed...)
}

// place stores a blob without flushing the folder.
func (s *Store) place(blobs *nofollow.Dir, data []byte) (ID, Outcome, error) {
	id, outcome := Sum(data), Created
	switch same, err := holds(blobs, id, data); {
	case same && err == nil:
		freshen(blobs, id.hex)
		return id, Kept, nil
	case err == nil:
		outcome = Healed
	case !errors.Is(err, fs.ErrNotExist):
		return ID{}, 0, err
	}
	// A rename, where a link would tell who was first: it needs no hard links,
	// and what it may replace is the same content or damage.
	if err := atomicfile.PlaceIn(blobs, id.hex, data, 0o644); err != nil {
		return ID{}, 0, err
	}
	return id, outcome, nil
}

// freshAge is how old a blob may be and still count as one that somebody is
// about to name. Whoever collects garbage waits much longer.
const freshAge = time.Minute

// freshen makes a blob that is put again as young as a new one: nothing need
// name it yet, as nothing names a new one yet, and what is old and unnamed is
// garbage. In a tree that may not be written nobody removes garbage either.
func freshen(blobs *nofollow.Dir, name string) {
	if st, err := blobs.Regular(name); err == nil && time.Since(st.ModTime()) > freshAge {
		blobs.Chtimes(name, time.Now()) // the disk's clock: it is compared with other times of files
	}
}

// fits refuses a blob that is too large to be stored.
func (s *Store) fits(data []byte) error {
	if int64(len(data)) > s.Max {
		return s.tooLarge(Sum(data), int64(len(data)))
	}
	return nil
}

// blobs opens the folder of the blobs, which it makes if need be: to find the
// way there once, not for each step.
func (s *Store) blobs() (*nofollow.Dir, error) {
	d, err := s.trusted.Dir(s.full(Blobs))
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	if err := atomicfile.MkdirAll(s.trusted, s.full(Blobs), 0o755); err != nil {
		return nil, err
	}
	return s.trusted.Dir(s.full(Blobs))
}

// full is the path of a file or folder of the store.
func (s *Store) full(name string) string {
	return filepath.Join(string(s.trusted), filepath.FromSlash(name))
}

// holds compares the stored blob with data, whatever the blob's size.
func holds(blobs *nofollow.Dir, id ID, data []byte) (bool, error) {
	if _, err := blobs.Regular(id.hex); err != nil {
		return false, err
	}
	f, err := blobs.OpenFile(id.hex, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a FIFO
	if err != nil {
		return false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return false, err
	}
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
