//go:build !linux

package regular

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a folder that is read.
type Folder struct{ path string }

// OpenFolder opens a folder. A symbolic link is [ErrLink], be it one to a
// folder; what lies above may be links.
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

// Close lets go of the folder.
func (f *Folder) Close() error { return nil }

// List returns the entries whose names keep wants, in no order; it is for one
// call. The bytes that keep is given are good during that only.
func (f *Folder) List(keep func(name []byte) bool) ([]Entry, error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, err
	}
	var found []Entry
	for _, e := range entries {
		if keep([]byte(e.Name())) {
			found = append(found, Entry{e.Name(), kindOf(e.Type())})
		}
	}
	return found, nil
}

// Read hands on the content of a file that [Folder.List] said is one; it is
// good during the call only.
func (f *Folder) Read(name string, maxSize int64, use func(src []byte)) error {
	src, err := ReadUnlinked(filepath.Join(f.path, name), maxSize)
	if err == nil {
		use(src)
	}
	return err
}

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

// Stamp is what a regular file of the folder looks like. ok is false where the
// system does not tell all of it.
func (f *Folder) Stamp(string) (s Stamp, ok bool, err error) { return Stamp{}, false, nil }
