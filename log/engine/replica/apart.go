package replica

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"handoff/log/engine"
)

// compare sets the files apart that are not the beginning of their logs, and those whose
// logs are damaged in the store. Nothing is appended to such a log, nor fetched, because a
// record that only the file has would be lost without a word: it waits for a person. All
// other logs are used. related reports that the store has the first records of one of the
// files, so it is not the store of another workspace.
func (r *Replica) compare(ctx context.Context, files []*file) (related bool, err error) {
	for _, f := range files {
		same, err := f.begins(ctx)
		related = related || same
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // it was moved away
		}
		if err != nil && !AboutLogs(err) {
			return related, r.about(err)
		}
		r.setApart(f.log, err)
	}
	return related, nil
}

func (r *Replica) setApart(log string, why error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if why == nil {
		if _, apart := r.apart[log]; apart {
			delete(r.apart, log)
			r.stale, r.saved = r.stale+1, false // the next process need not compare it
			r.revision = ""                     // what it got meanwhile is not in a list of changes
		}
		return
	}
	r.apart[log] = why
}

func (r *Replica) isApart(log string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.apart[log] != nil
}

// Adopted reports whether the folder is known to be a copy of the store, but for files that are set apart.
func (r *Replica) Adopted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ready
}

// recompare looks at the files that are set apart again, and returns why they still are.
func (r *Replica) recompare(ctx context.Context) error {
	r.mu.Lock()
	logs := slices.Sorted(maps.Keys(r.apart))
	r.mu.Unlock()
	if _, err := r.compare(ctx, r.files(logs)); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var why []error
	for _, log := range logs {
		why = append(why, r.apart[log])
	}
	return errors.Join(why...)
}

// usable returns an error if the folder cannot be used, or this file is set apart.
func (f *file) usable(ctx context.Context) error {
	err := f.r.adopt(ctx)
	if err == nil {
		err = f.r.verify(ctx)
	}
	if err != nil || !f.r.isApart(f.log) {
		return err
	}
	if _, err := f.r.compare(ctx, []*file{f}); err != nil {
		return err
	}
	f.r.mu.Lock()
	defer f.r.mu.Unlock()
	return f.r.apart[f.log]
}

// AboutLogs reports whether an error is only about some logs, each of which is left alone
// while all others are used.
func AboutLogs(err error) bool {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range all.Unwrap() {
			if !AboutLogs(one) {
				return false
			}
		}
		return true
	}
	return errors.As(err, new(*NotCopyError)) || errors.As(err, new(*AheadError)) || engine.Foreign(err) != nil
}

// all are the files of the folder that are, or should be, copies of logs.
func (r *Replica) all() (files []*file, err error) {
	err = filepath.WalkDir(r.folder.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if f, owned := r.Upstream(path).(*file); owned {
			files = append(files, f)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, err
}

// files are the files of logs.
func (r *Replica) files(logs []string) (files []*file) {
	for _, log := range logs {
		if f := r.of(log); f != nil {
			files = append(files, f)
		}
	}
	return files
}

// begins returns a [NotCopyError] unless the file is the beginning of its log. same
// reports that the log has its first records.
func (f *file) begins(ctx context.Context) (same bool, err error) {
	open, err := f.r.folder.Root.OpenFile(f.path, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer open.Close()
	c, err := f.count(open, count{})
	if err != nil {
		return false, err
	}
	there, same, err := f.compare(ctx, open)
	if err == nil && (!same || there < c.Lines) {
		err = &NotCopyError{Path: f.path, Store: f.r.store}
	}
	return same && there > 0, err
}
