package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/surface/command"
)

// baseline is a file of known findings.
type baseline struct {
	*lint.Baseline
	path, dir  string
	counted    *lint.Baseline // the current findings, to be written; nil without an update
	prune      bool
	workingDir string
}

// baselineOf reads the baseline that the flags name; nil if they name none.
func baselineOf(w *command.Process, o *lintOptions) (*baseline, error) {
	name := o.baseline
	if name == "" {
		return nil, nil
	}
	b := &baseline{path: w.Path(name), prune: o.prune, workingDir: w.Dir}
	b.dir = filepath.Dir(b.path)
	if o.updateBaseline {
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

// filter removes known findings. Paths in the baseline are relative to its
// file, so it applies wherever lint is called.
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
		b.Filter(path, nil) // marks the entries of this file as checked
		b.counted.Add(path, list)
		return nil, len(list)
	}
	return b.Filter(path, list)
}

// write saves an updated or pruned baseline, and reports a baseline that counts
// findings that no longer exist.
func (b *baseline) write(l *linting) error {
	if b == nil {
		return nil
	}
	b.missGone()
	switch {
	case b.counted != nil:
		b.counted.Adopt(b.Pruned()) // entries of files that were not checked this time
		return atomicfile.Write(nofollow.Named, b.path, b.counted.Bytes(), 0o644)
	case b.prune:
		return atomicfile.Write(nofollow.Named, b.path, b.Pruned().Bytes(), 0o644)
	}
	if len(b.Stale()) > 0 && l.o.only == nil && l.o.disable == nil {
		l.Say("the baseline contains findings that are gone: --prune removes them")
	}
	return nil
}

// missGone marks the entries of deleted files as checked, without findings.
// Entries of other files that were not checked this time are kept.
func (b *baseline) missGone() {
	for _, path := range b.Unchecked() {
		if _, err := os.Lstat(filepath.Join(b.dir, filepath.FromSlash(path))); errors.Is(err, fs.ErrNotExist) {
			b.Filter(path, nil)
		}
	}
}
