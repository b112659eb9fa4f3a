package workspace

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"handoff/internal/file/nofollow"
)

// Reason is an error without its path, which callers print before it, in plain
// words.
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
