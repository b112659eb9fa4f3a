package artifact

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// DamagedError reports that a blob's bytes do not have the hash of its id.
type DamagedError struct{ Want, Got ID }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("damaged: the id is %s, but its bytes hash to %s (restore the file, or store the original again: `handoff artifact put FILE`)", e.Want, e.Got)
}

// Lost reports whether err means that a blob cannot be had any longer: it is missing, or
// damaged.
func Lost(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.As(err, new(*DamagedError))
}

// Get returns the whole blob, at most [Store.Max] bytes. Its bytes have the hash of its
// id, else the error is [*DamagedError].
func (s *Store) Get(id ID) ([]byte, error) {
	return healing(s, id, func() ([]byte, error) {
		f, st, err := s.openHere(id)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if st.Size() > s.Max {
			return nil, s.tooLarge(id, st.Size())
		}
		data := make([]byte, st.Size())
		if _, err = io.ReadFull(f, data); err == nil {
			err = id.matches(Sum(data))
		}
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", Blobs, id, err)
		}
		return data, nil
	})
}

func (s *Store) tooLarge(id ID, size int64) error {
	return fmt.Errorf("%s/%s: %w", Blobs, id, &TooLargeError{Size: size, Max: s.Max})
}

// Range returns up to max bytes of the blob from offset on, at most [Store.Max] at
// once, and the size of the whole blob in bytes. The blob may be larger than
// [Store.Max]. At or after the end it returns no bytes. Each call compares the whole blob
// with its id: to read all of a large one, [Store.Open] it once.
func (s *Store) Range(id ID, offset, max int64) (data []byte, total int64, err error) {
	if offset < 0 || max < 0 {
		return nil, 0, fmt.Errorf("%d bytes from %d: %w", max, offset, fs.ErrInvalid)
	}
	b, err := s.Open(id)
	if err != nil {
		return nil, 0, err
	}
	defer b.Close()
	if offset >= b.Size {
		return nil, b.Size, nil
	}
	data = make([]byte, min(max, s.Max, b.Size-offset))
	if _, err := io.ReadFull(io.NewSectionReader(b.file, offset, int64(len(data))), data); err != nil {
		return nil, b.Size, fmt.Errorf("%s/%s: %w", Blobs, id, err)
	}
	return data, b.Size, nil
}

// Blob is an open blob, whose bytes had the hash of its id when it was opened.
type Blob struct {
	io.ReadSeeker
	Size int64 // bytes

	file *os.File
}

// Close closes the blob.
func (b *Blob) Close() error { return b.file.Close() }

// Open opens a blob of any size for reading, after comparing its bytes with its id.
// Errors are fs.ErrNotExist, [ErrNotRegular] and [*DamagedError].
func (s *Store) Open(id ID) (*Blob, error) {
	return healing(s, id, func() (*Blob, error) {
		b, err := s.OpenUnverified(id)
		if err != nil {
			return nil, err
		}
		if err := s.verify(id, b.file); err != nil {
			b.Close()
			return nil, err
		}
		return b, nil
	})
}

// OpenUnverified opens the blob that is here, without comparing its bytes with its id:
// for what must see a damaged blob, such as a search for the ids that it names.
func (s *Store) OpenUnverified(id ID) (*Blob, error) {
	f, st, err := s.openHere(id)
	if err != nil {
		return nil, err
	}
	return &Blob{io.NewSectionReader(f, 0, st.Size()), st.Size(), f}, nil
}

// verify compares the bytes of an open blob with its id. RIP's random ids match any.
func (s *Store) verify(id ID, f *os.File) error {
	sum, err := sumOf(f)
	if err == nil {
		err = id.matches(sum)
	}
	if err != nil {
		return fmt.Errorf("%s/%s: %w", Blobs, id, err)
	}
	return nil
}

// sumOf is the id of a file's bytes, wherever the file is read next.
func sumOf(f *os.File) (ID, error) {
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(f, 0, 1<<63-1)); err != nil {
		return ID{}, err
	}
	return idOf(h), nil
}

// matches returns a [*DamagedError] unless the id is that of the sum, or one of RIP's
// random ids, which no bytes can be compared with.
func (id ID) matches(sum ID) error {
	if sum == id || id.MadeUp() {
		return nil
	}
	return &DamagedError{Want: id, Got: sum}
}

// healing reads a blob. One that is missing or damaged here is fetched from the remote,
// which is authoritative, and read again.
func healing[T any](s *Store, id ID, read func() (T, error)) (T, error) {
	v, err := read()
	if s.Remote == nil || !Lost(err) {
		return v, err
	}
	switch fetched := s.fetch(id); {
	case fetched == nil:
		return read()
	case errors.As(err, new(*DamagedError)) && !errors.Is(fetched, fs.ErrNotExist):
		return v, errors.Join(err, fetched)
	case errors.Is(err, fs.ErrNotExist):
		return v, fetched
	}
	return v, err
}
