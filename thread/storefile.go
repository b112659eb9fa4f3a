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

// storeFile is a journal of the whole store, in its folder. It is created with
// its first records, so a store without any has no such file.
type storeFile struct {
	store  *Store
	name   string
	format journal.Format
	most   int // max bytes of a line

	mu   sync.Mutex
	file *journal.Journal
}

func (f *storeFile) options() (path string, o journal.Options) {
	path = filepath.Join(f.store.folder, f.name)
	o = f.store.journalOptions(path)
	o.MaxLine = f.most
	return path, o
}

// journal is nil if it does not exist yet.
func (f *storeFile) journal() (*journal.Journal, error) {
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

func (f *storeFile) close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	return f.file.Close()
}

// append adds records, also if the file was deleted since it was opened.
func (f *storeFile) append(ctx context.Context, build func(next uint64) ([]journal.Line, error)) error {
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

func (f *storeFile) create(build func(next uint64) ([]journal.Line, error)) error {
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
