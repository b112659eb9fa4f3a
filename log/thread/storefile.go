package thread

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"handoff/internal/journal"
)

// storeFile is a journal of the whole store, in its folder. It is created with
// its first records, so a store without any has no such file.
type storeFile struct {
	store  *Store
	name   string
	format journal.Format
	most   int // max bytes of a line
}

func (f *storeFile) options() (path string, o journal.Options) {
	path = filepath.Join(f.store.folder, f.name)
	o = f.store.journalOptions(path)
	o.MaxLine = f.most
	return path, o
}

// open returns the journal, to be released; fs.ErrNotExist if it does not exist.
func (f *storeFile) open(ctx context.Context) (j *journal.Journal, release func(), err error) {
	path, o := f.options()
	return f.store.journals.Take(path, func() (*journal.Journal, error) { return journal.Open(ctx, path, f.format, o) })
}

// onFile answers a query with the journal, the zero value if it does not exist.
func onFile[T any](f *storeFile, query func(*journal.Journal) (T, error)) (answer T, err error) {
	j, release, err := f.open(context.Background())
	if errors.Is(err, fs.ErrNotExist) {
		return answer, nil
	}
	if err != nil {
		return answer, err
	}
	defer release()
	return query(j)
}

// append adds records, also if the file was deleted since it was opened.
func (f *storeFile) append(ctx context.Context, build func(next uint64) ([]journal.Line, error)) error {
	for {
		j, release, err := f.open(ctx)
		if err == nil {
			_, err = j.Append(ctx, journal.Any(), build)
			release()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err = f.create(ctx, build); !errors.Is(err, fs.ErrExist) {
			return err
		} // another was faster
	}
}

func (f *storeFile) create(ctx context.Context, build func(next uint64) ([]journal.Line, error)) error {
	if err := f.store.root().MkdirAll(f.store.folder, 0o755); err != nil {
		return err
	}
	lines, err := build(f.format.First)
	if err != nil {
		return err
	}
	path, o := f.options()
	j, err := journal.Create(ctx, path, f.format, o, lines)
	if err != nil {
		return err
	}
	return j.Close()
}
