package workspace

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"handoff/internal/file/nofollow"
)

// Reason returns an error in plain words and without its path, because callers print
// the path before it.
func Reason(err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	var link *nofollow.LinkError
	if errors.As(err, &link) {
		return errors.New(link.What())
	}
	if errors.As(err, &pe) {
		err = pe.Err
	} else if errors.As(err, &le) {
		err = le.Err
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("no such file or folder")
	case errors.Is(err, fs.ErrPermission):
		return errors.New("permission denied")
	case strings.Contains(err.Error(), "too many levels of symbolic links"):
		return errors.New("a symbolic link that leads back to itself")
	}
	return err
}
