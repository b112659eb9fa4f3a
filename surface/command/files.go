package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/internal/file/regular"
	"handoff/workspace"
)

// Shown returns a path of the workspace relative to the working directory, with forward slashes.
func (w *Process) Shown(ws *workspace.Workspace, path string) string {
	if full := filepath.FromSlash(path); !filepath.IsAbs(full) {
		if rel, err := filepath.Rel(w.Dir, filepath.Join(ws.Root, full)); err == nil {
			return filepath.ToSlash(rel)
		}
	}
	return path
}

// Path resolves a path that the user typed.
func (w *Process) Path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(w.Dir, p)
}

// Opened opens a file that the user named, "-" for standard input. shown is its
// name in messages.
func (w *Process) Opened(name string) (in io.ReadCloser, shown string, err error) {
	if name == "-" {
		return io.NopCloser(w.Stdin), "<stdin>", nil
	}
	f, err := os.Open(w.Path(name))
	if err != nil {
		return nil, name, fmt.Errorf("%s: %w", name, Bare(err))
	}
	return f, name, nil
}

// Read reads a file that the user named, "-" for standard input. It may be a
// pipe (--from <(jq … values.json)), so an endless one fails: then src is longer
// than max bytes.
func (w *Process) Read(name string, max int64) (src []byte, shown string, err error) {
	in, shown, err := w.Opened(name)
	if err != nil {
		return nil, shown, err
	}
	defer in.Close()
	src, err = io.ReadAll(io.LimitReader(in, max+1))
	if err == nil && int64(len(src)) > max {
		err = &regular.TooLargeError{Size: int64(len(src)), Max: max}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", shown, Bare(err))
	}
	return src, shown, err
}

// Bare returns the error without its path, which the message already contains.
func Bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
