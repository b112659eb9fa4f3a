package main

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

// shown returns a path of the workspace relative to the working directory.
func (w *process) shown(ws *workspace.Workspace, path string) string {
	if full := filepath.FromSlash(path); !filepath.IsAbs(full) {
		if rel, err := filepath.Rel(w.dir, filepath.Join(ws.Root, full)); err == nil {
			return rel
		}
	}
	return path
}

// path resolves a path that the user typed.
func (w *process) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(w.dir, p)
}

// opened opens a file that the user named, "-" for standard input. shown is its
// name in messages.
func (w *process) opened(name string) (in io.ReadCloser, shown string, err error) {
	if name == "-" {
		return io.NopCloser(w.stdin), "<stdin>", nil
	}
	f, err := os.Open(w.path(name))
	if err != nil {
		return nil, name, fmt.Errorf("%s: %w", name, bare(err))
	}
	return f, name, nil
}

// read reads a file that the user named, "-" for standard input. It may be a
// pipe (--from <(jq … values.json)), so an endless one fails: then src is longer
// than max bytes.
func (w *process) read(name string, max int64) (src []byte, shown string, err error) {
	in, shown, err := w.opened(name)
	if err != nil {
		return nil, shown, err
	}
	defer in.Close()
	src, err = io.ReadAll(io.LimitReader(in, max+1))
	if err == nil && int64(len(src)) > max {
		err = &regular.TooLargeError{Size: int64(len(src)), Max: max}
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", shown, bare(err))
	}
	return src, shown, err
}

// bare returns the error without its path, which the message already contains.
func bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
