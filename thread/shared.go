package thread

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"handoff/internal/file/regular"
	"handoff/internal/journal"
)

// shared is a journal of the whole store, in its folder. It is created with its
// first records: a store in which nothing happened has no such file.
type shared struct {
	store  *Store
	name   string
	format journal.Format
	most   int // bytes of a line

	mu   sync.Mutex
	file *journal.Journal
}

func (f *shared) options() (path string, o journal.Options) {
	path = filepath.Join(f.store.folder, f.name)
	o = f.store.journalOptions(path)
	o.MaxLine = f.most
	return path, o
}

// journal is nil where there is none yet.
func (f *shared) journal() (*journal.Journal, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil {
		return f.file, nil
	}
	path, o := f.options()
	j, err := journal.Open(path, f.format, o)
	for regular.Exhausted(err) && f.store.journals.Relieve() {
		j, err = journal.Open(path, f.format, o)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	f.file = j
	return j, err
}

func (f *shared) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// append adds records, also where the file was deleted since it was opened.
func (f *shared) append(ctx context.Context, build func(next uint64) ([]journal.Line, error)) error {
	for {
		j, err := f.journal()
		if err != nil {
			return err
		}
		err = fs.ErrNotExist
		if j != nil {
			_, err = j.Append(ctx, journal.Any(), build)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err = f.create(build); !errors.Is(err, fs.ErrExist) {
			return err
		} // another was faster
	}
}

func (f *shared) create(build func(next uint64) ([]journal.Line, error)) error {
	if err := f.store.root().MkdirAll(f.store.folder, 0o755); err != nil {
		return err
	}
	lines, err := build(f.format.First)
	if err != nil {
		return err
	}
	path, o := f.options()
	j, err := journal.Create(path, f.format, o, lines)
	if err != nil {
		return err
	}
	return j.Close()
}
