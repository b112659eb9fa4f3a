//go:build !linux

package regular

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a folder that is read.
type Folder struct{ path string }

// OpenFolder opens a folder. A symbolic link is [ErrLink], also one to a folder;
// the folders above it may be links.
func OpenFolder(path string) (*Folder, error) {
	st, err := os.Lstat(path)
	if err == nil && st.Mode()&fs.ModeSymlink != 0 {
		err = &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	if err != nil {
		return nil, err
	}
	return &Folder{path}, nil
}

// Close does nothing.
func (f *Folder) Close() error { return nil }

// List returns the entries whose names keep accepts, in no order; it may be called
// once. The bytes that keep gets are valid during the call only.
func (f *Folder) List(keep func(name []byte) bool) ([]Entry, error) {
	entries, err := os.ReadDir(f.path)
	var found []Entry
	for _, e := range entries {
		if keep([]byte(e.Name())) {
			found = append(found, Entry{e.Name(), kindOf(e.Type())})
		}
	}
	return found, err
}

// Read passes the content of a regular file to use; it is valid during the call
// only. A symbolic link is [ErrLink].
func (f *Folder) Read(name string, maxSize int64, use func(src []byte)) error {
	src, err := ReadUnlinked(filepath.Join(f.path, name), nil, maxSize)
	if err == nil {
		use(src)
	}
	return err
}

// Look is known on Linux only: known is false.
func (f *Folder) Look(string) (s Stamp, k Kind, known bool) { return Stamp{}, Nothing, false }

// LookBelow is known on Linux only.
func (f *Folder) LookBelow(_, _ string) (s Stamp, k Kind, known bool) { return Stamp{}, Nothing, false }

// Local is known on Linux only.
func (f *Folder) Local() bool { return false }

// Stamp is known on Linux only: ok is false.
func (f *Folder) Stamp(string) (s Stamp, ok bool, err error) { return Stamp{}, false, nil }

func kindOf(mode fs.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return File
	case mode.IsDir():
		return Dir
	case mode&fs.ModeSymlink != 0:
		return Link
	}
	return Other
}
