// Package kept stores a value in a file that any number of processes read and change: small
// JSON, written as a whole. A change is made under a lock to what the file has then, and is on
// the disk before it is reported. A file that cannot be parsed is never overwritten.
//
// The package does not know what the value is, nor how much of it is kept: the caller prunes it
// as a part of its change.
package kept

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
)

// File is a file with a value.
type File[T any] struct {
	Root nofollow.Root // trusted; the file is below it
	Path string        // absolute
	Max  int64         // bytes that are read at most
	Mode fs.FileMode
	Dir  fs.FileMode // of the folder, if it is missing; 0 for 0o755
	// Fix is what to do about a file that cannot be parsed, for the error.
	Fix string
	// Aside has Change rename a file that cannot be parsed to NAME.aside-N and begin again, for
	// what must be recorded at any time.
	Aside bool
	// Unsynced leaves out the fsync of the folder: after a power failure the file may be the one
	// before.
	Unsynced bool
	// Decode and Encode are for a form other than JSON on one line; nil for that.
	Decode func([]byte) (T, error)
	Encode func(T) ([]byte, error)
}

// ErrDamaged: the file cannot be parsed.
var ErrDamaged = errors.New("damaged file")

// damaged is the error for a file that cannot be parsed.
type damaged struct {
	path, fix string
	err       error
}

func (d *damaged) Error() string { return fmt.Sprintf("%s: %v: %s", d.path, d.err, d.fix) }

// Unwrap makes it ErrDamaged, and the error of the parser.
func (d *damaged) Unwrap() []error { return []error{ErrDamaged, d.err} }

// Read returns the value; the zero value if there is no file.
func (f File[T]) Read() (v T, err error) {
	src, err := f.Root.ReadUnlinked(f.Path, f.Max)
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err != nil {
		return v, err
	}
	if f.Decode != nil {
		v, err = f.Decode(src)
	} else {
		err = json.Unmarshal(src, &v)
	}
	if err != nil {
		var zero T
		return zero, f.Damaged(err)
	}
	return v, nil
}

// Damaged returns the error for a file of which a part cannot be parsed.
func (f File[T]) Damaged(err error) error { return &damaged{f.Path, f.Fix, err} }

// Change has change change the value, and writes it unless change reports false. change is
// first asked without a lock, because most calls change nothing, and again with the lock: it may
// be called twice, and the last call counts. Of several processes, done is true for the one
// whose change is on the disk.
func (f File[T]) Change(ctx context.Context, change func(*T) bool) (done bool, err error) {
	v, err := f.Read()
	switch {
	case f.Aside && errors.Is(err, ErrDamaged):
	case err != nil:
		return false, err
	case !change(&v):
		return false, nil
	}
	if err := f.folder(); err != nil {
		return false, err
	}
	unlock, err := lockfile.Lock(ctx, f.Root, f.Path+".lock")
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if v, err = f.Read(); f.Aside && errors.Is(err, ErrDamaged) {
		err = f.setAside()
	}
	if err != nil || !change(&v) {
		return false, err
	}
	return true, f.put(v)
}

// Write replaces the value, for a caller that is the only one who writes. It refuses to
// overwrite a file that cannot be parsed.
func (f File[T]) Write(v T) error {
	if _, err := f.Read(); err != nil {
		return err
	}
	return f.Replace(v)
}

// Replace is Write for what is derived, or was read just before: it does not look at what it
// overwrites.
func (f File[T]) Replace(v T) error {
	if err := f.folder(); err != nil {
		return err
	}
	return f.put(v)
}

func (f File[T]) folder() error {
	return atomicfile.MkdirAll(f.Root, filepath.Dir(f.Path), cmp.Or(f.Dir, 0o755))
}

// put writes the value. The folder exists.
func (f File[T]) put(v T) error {
	src, err := f.encode(v)
	if err != nil {
		return err
	}
	if !f.Unsynced {
		return atomicfile.Write(f.Root, f.Path, src, f.Mode)
	}
	dir, name, err := f.Root.Parent(f.Path)
	if err != nil {
		return err
	}
	defer dir.Close()
	if _, err := dir.Regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err // such as a symlink
	}
	return atomicfile.PlaceIn(f.Root, dir, name, src, f.Mode)
}

func (f File[T]) encode(v T) ([]byte, error) {
	if f.Encode != nil {
		return f.Encode(v)
	}
	src, err := json.Marshal(v)
	return append(src, '\n'), err
}

// Remove deletes the file. It may be missing.
func (f File[T]) Remove() error {
	if err := f.Root.Remove(f.Path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// setAside renames a damaged file to a name that is free. The lock must be held.
func (f File[T]) setAside() error {
	dir, name, err := f.Root.Parent(f.Path)
	if err != nil {
		return err
	}
	defer dir.Close()
	for n := 1; ; n++ {
		aside := name + ".aside-" + strconv.Itoa(n)
		if _, err := dir.Regular(aside); errors.Is(err, fs.ErrNotExist) {
			return dir.RenameTo(name, dir, aside)
		}
	}
}

// Lines is the Encode of JSON for people, with a value a line.
func Lines[T any](v T) ([]byte, error) {
	src, err := json.MarshalIndent(v, "", " ")
	return append(src, '\n'), err
}
