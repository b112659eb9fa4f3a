//go:build !unix

package regular

import (
	"errors"
	"io/fs"
	"os"
)

const (
	safe     = 0
	noFollow = 1 << 30 // not for the system: open looks at the path first
)

// descriptor is an open file.
type descriptor struct{ *os.File }

var workingFolder descriptor

func (descriptor) open(path string, flags int) (descriptor, error) {
	if flags&noFollow != 0 && KindOf(path) == Link {
		return descriptor{}, ErrLink
	}
	f, err := os.Open(path)
	return descriptor{f}, err
}

func (d descriptor) size() (bytes int64, isRegular bool, err error) {
	st, err := d.Stat()
	if err != nil {
		return 0, false, err
	}
	return st.Size(), st.Mode().IsRegular(), nil
}

// Look reports whether something exists at a path, and whether it is a folder.
func Look(path string) (exists, folder bool) {
	st, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist), err == nil && st.IsDir()
}

// KindOf returns the kind of the entry at a path, without following a symbolic
// link. It is Nothing if that is unknown.
func KindOf(path string) Kind {
	st, err := os.Lstat(path)
	if err != nil {
		return Nothing
	}
	return kindOf(st.Mode())
}
