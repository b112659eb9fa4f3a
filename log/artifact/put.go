package artifact

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// Outcome is what Put found and did.
type Outcome int

const (
	// Created: the blob did not exist.
	Created Outcome = iota + 1
	// Kept: the blob existed with the same bytes and was not written.
	Kept
	// Healed: the blob existed but was damaged, and was replaced.
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

// Put stores data under its hash. When it returns, the blob and its name are on the
// disk. If it fails, or the process is killed, the store has whole blobs only and at
// most one more leftover (see [Store.Leftovers]).
//
// If several processes put the same data at once, more than one may return Created:
// each wrote the same bytes under the same name.
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

// putsAtOnce is the number of concurrent writers: the disk fsyncs several small files
// at once in the time of one.
const putsAtOnce = 8

// PutAll is Put for many blobs with fewer fsyncs, in two steps. When it returns, all
// processes see the blobs, and their bytes are on the disk, but a power failure can
// lose their names until flush returns; the caller must call flush once. If PutAll
// fails, some blobs may be stored. A kill leaves up to putsAtOnce leftovers.
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
		return blobs.Sync() // also if another process stored some of them just now
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
				if failed[i] = err; !errors.As(err, new(*fs.PathError)) { // which names the blob
					failed[i] = fmt.Errorf("%s: %w", Sum(all[i]), err)
				}
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

// place stores a blob without fsync of the folder.
func (s *Store) place(blobs *nofollow.Dir, data []byte) (ID, Outcome, error) {
	id, outcome := Sum(data), Created
	if err := s.send(id, data); err != nil {
		return ID{}, 0, err
	}
	switch same, err := holds(blobs, id, data); {
	case same && err == nil:
		freshen(blobs, id.hex)
		return id, Kept, nil
	case err == nil:
		outcome = Healed
	case !errors.Is(err, fs.ErrNotExist):
		return ID{}, 0, err
	}
	// A rename, because it needs no hard links. It can only replace the same content
	// or a damaged blob.
	if err := atomicfile.PlaceIn(s.trusted, blobs, id.hex, data, 0o644); err != nil {
		return ID{}, 0, err
	}
	return id, outcome, nil
}

// freshAge is the age up to which a blob counts as one that is about to be
// referenced. Garbage collection waits much longer.
const freshAge = time.Minute

// freshen sets the time of a blob that is put again to now: like a new blob it may not
// be referenced yet, and an old blob without references is garbage. Errors do not
// matter: in a read-only tree no garbage is removed either.
func freshen(blobs *nofollow.Dir, name string) {
	if st, err := blobs.Regular(name); err == nil && time.Since(st.ModTime()) > freshAge {
		blobs.Chtimes(name, time.Now()) // compared with the times of other files
	}
}

// fits returns an error for a blob that is too large.
func (s *Store) fits(data []byte) error {
	if int64(len(data)) > s.Max {
		return s.tooLarge(Sum(data), int64(len(data)))
	}
	return nil
}

// Ignore is the .gitignore of the artifacts' top folder. Contexts of runs repeat what agents
// printed, and bundles of documents can be rebuilt, so git need not have them.
const Ignore = "# created by handoff: artifacts repeat outputs of agents; `share:` in .handoff.yaml lists what git gets\n*\n"

// blobs opens the folder of the blobs, and creates it if necessary.
func (s *Store) blobs() (*nofollow.Dir, error) {
	d, err := s.trusted.Dir(s.full(Blobs))
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	top := s.full(path.Dir(path.Dir(Blobs)))
	fresh := regular.KindOf(top) == regular.Nothing
	if err := atomicfile.MkdirAll(s.trusted, s.full(Blobs), 0o755); err != nil {
		return nil, err
	}
	if fresh { // not the user's own list, nor one that was removed to share artifacts
		if err := atomicfile.Create(s.trusted, filepath.Join(top, ".gitignore"), []byte(Ignore), 0o644); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	return s.trusted.Dir(s.full(Blobs))
}

// full is the absolute path of a file or folder of the store.
func (s *Store) full(name string) string {
	return filepath.Join(string(s.trusted), filepath.FromSlash(name))
}

// holds compares the stored blob with data, whatever the blob's size.
func holds(blobs *nofollow.Dir, id ID, data []byte) (bool, error) {
	f, err := blobs.OpenFile(id.hex, os.O_RDONLY, 0)
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

// Verify reads the blob and compares its hash with its id. Errors are fs.ErrNotExist,
// [ErrNotRegular], [*DamagedError], and [ErrNotHashed] for another hash if the id has
// the form of RIP's random ids. One SHA-256 in 4,096 has that form, so one damaged
// blob in 4,096 is ErrNotHashed, too.
func (s *Store) Verify(id ID) error {
	b, err := s.Open(id)
	if err != nil {
		return err
	}
	defer b.Close()
	if !id.MadeUp() {
		return nil // opening it has compared them
	}
	switch sum, err := sumOf(b.file); {
	case err != nil:
		return fmt.Errorf("%s/%s: %w", Blobs, id, err)
	case sum != id:
		return fmt.Errorf("%s/%s: %w", Blobs, id, ErrNotHashed)
	}
	return nil
}

// holdsHash reports whether the blob that is here has exactly the hash that its id is.
func (s *Store) holdsHash(id ID) error {
	b, err := s.OpenUnverified(id)
	if err != nil {
		return err
	}
	defer b.Close()
	sum, err := sumOf(b.file)
	if err == nil && sum != id {
		err = &DamagedError{Want: id, Got: sum}
	}
	return err
}

func idOf(h hash.Hash) ID { return ID{hex.EncodeToString(h.Sum(nil))} }
