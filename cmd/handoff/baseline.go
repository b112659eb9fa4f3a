package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/lint"
)

// baseline is a file of findings that are known.
type baseline struct {
	*lint.Baseline
	path, dir  string
	counted    *lint.Baseline // what there is now, to be written; nil when nobody asked
	prune      bool
	workingDir string
}

// baseline reads the flags' baseline; nil when there is none.
func (w *world) baseline(c *cli.Context) (*baseline, error) {
	name := c.String("baseline")
	if name == "" {
		return nil, nil
	}
	b := &baseline{path: w.path(name), prune: c.Bool("prune"), workingDir: w.dir}
	b.dir = filepath.Dir(b.path)
	if c.Bool("update-baseline") {
		b.counted = new(lint.Baseline)
	}
	src, err := regular.Read(b.path, nil, 64<<20)
	switch {
	case b.counted != nil && errors.Is(err, fs.ErrNotExist):
		b.Baseline = new(lint.Baseline)
		return b, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such baseline (--update-baseline creates it)", name)
	case err != nil:
		return nil, err
	}
	b.Baseline, err = lint.ParseBaseline(name, src)
	return b, err
}

// filter leaves out what is known. Paths in the file are relative to it, so
// that it holds wherever lint is called.
func (b *baseline) filter(path string, list []lint.Finding) (kept []lint.Finding, hidden int) {
	if b == nil {
		return list, 0
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(b.workingDir, path)
	}
	if rel, err := filepath.Rel(b.dir, full); err == nil {
		path = filepath.ToSlash(rel)
	}
	if b.counted != nil {
		b.Filter(path, nil) // what it says of this file is done with
		b.counted.Add(path, list)
		return nil, len(list)
	}
	return b.Filter(path, list)
}

// write saves a baseline that was to be updated or pruned, and says when one
// counts what is no longer there.
func (b *baseline) write(l *linting) error {
	if b == nil {
		return nil
	}
	b.missGone()
	switch {
	case b.counted != nil:
		b.counted.Adopt(b.Pruned()) // of files that were not checked this time
		return atomicfile.Write(nofollow.Named, b.path, b.counted.Bytes(), 0o644)
	case b.prune:
		return atomicfile.Write(nofollow.Named, b.path, b.Pruned().Bytes(), 0o644)
	}
	if len(b.Stale()) > 0 && !l.c.IsSet("only") && !l.c.IsSet("disable") {
		l.say("the baseline contains findings that are gone: --prune removes them")
	}
	return nil
}

// missGone tells the baseline of the files that are gone: nothing was found in
// them. Others that were not checked this time may still be as they were.
func (b *baseline) missGone() {
	for _, path := range b.Unchecked() {
		if _, err := os.Lstat(filepath.Join(b.dir, filepath.FromSlash(path))); errors.Is(err, fs.ErrNotExist) {
			b.Filter(path, nil)
		}
	}
}
