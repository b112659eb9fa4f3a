package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/log/engine"
)

// maxRecord is the longest line that package journal reads, in bytes.
const maxRecord = 256<<20 - 1

// Append implements [engine.Logs], for one log.
func (e *Engine) Append(ctx context.Context, batches ...engine.Batch) error {
	if err := engine.Check(batches...); err != nil {
		return err
	}
	if len(batches) > 1 {
		return fmt.Errorf("an append to %d logs: %w", len(batches), engine.ErrUnsupported)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b := batches[0]
	root, path, err := e.file(b.Log)
	if err != nil {
		return err
	}
	var data bytes.Buffer
	for _, record := range b.Records {
		if len(record) > maxRecord {
			return fmt.Errorf("%s: a record of %d bytes, at most %d are allowed: %w", b.Log, len(record), maxRecord, engine.ErrTooLarge)
		}
		data.Write(record)
		data.WriteByte('\n')
	}
	if b.Expected == 0 {
		if err = create(root, path, data.Bytes()); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return e.appendTo(ctx, root, path, b, data.Bytes())
}

// create makes a log with its first records: all of them, on the disk, or no file.
func create(root nofollow.Root, path string, data []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	if err := atomicfile.MkdirAll(root, filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return atomicfile.Create(root, path, data, 0o644)
}

// appendTo appends to a log that exists, while it is locked.
func (e *Engine) appendTo(ctx context.Context, root nofollow.Root, path string, b engine.Batch, data []byte) (err error) {
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) { // and leave no lock file
		return &engine.ConflictError{Log: b.Log, Expected: b.Expected}
	}
	unlock, err := lockfile.Lock(ctx, root, path+".lock")
	if err != nil {
		return err
	}
	written := false
	defer func() {
		if unlockErr := unlock(); unlockErr != nil && written && err == nil { // the lock was not shared
			err = fmt.Errorf("%w: %w", engine.ErrUnknown, unlockErr)
		}
	}()
	f, err := root.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return &engine.ConflictError{Log: b.Log, Expected: b.Expected}
	}
	if err != nil {
		return err
	}
	defer f.Close()
	l := e.lines(b.Log)
	end, err := l.read(ctx, f)
	if err != nil {
		return err
	}
	if end.number != b.Expected {
		return &engine.ConflictError{Log: b.Log, Expected: b.Expected, Len: end.number}
	}
	w := writer{root, path, f}
	if err := e.heal(w, end.offset); err != nil {
		return fmt.Errorf("%s: repairing a torn last line: %w", path, err)
	}
	written = true
	return w.write(data, end.offset)
}

// writer appends to the file of a log, which is locked.
type writer struct {
	root nofollow.Root
	path string
	file *os.File
}

// write writes at the end and flushes.
func (w writer) write(data []byte, end int64) error {
	if _, err := w.file.Write(data); err != nil {
		if cutErr := w.cut(end); cutErr != nil {
			return fmt.Errorf("%w: %s: %w (and it could not be undone: %v)", engine.ErrUnknown, w.path, err, cutErr)
		}
		return fmt.Errorf("%s: %w", w.path, err)
	}
	if err := w.file.Sync(); err != nil {
		// The bytes are in memory and may never reach the disk. After the file is
		// truncated, it is unknown whether they are on the disk.
		return errors.Join(fmt.Errorf("%w: %s: %w", engine.ErrUnknown, w.path, err), w.cut(end))
	}
	return nil
}

// cut truncates the file. It opens it again, because Windows cannot truncate a file
// that is open for appending.
func (w writer) cut(size int64) error {
	f, err := w.root.OpenFile(w.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(size)
}

// heal moves everything after the last whole line to a separate file.
func (e *Engine) heal(w writer, end int64) error {
	st, err := w.file.Stat()
	if err != nil || st.Size() == end {
		return err
	}
	aside, err := w.save(end, st.Size())
	if err == nil {
		err = w.cut(end)
	}
	if err == nil && e.options.Say != nil {
		e.options.Say(fmt.Sprintf("%s: moved a torn last line of %d bytes to %s", w.path, st.Size()-end, filepath.Base(aside)))
	}
	return err
}

// save copies a part of the file to a new file beside it.
func (w writer) save(from, to int64) (path string, err error) {
	var f *os.File
	for n := 1; f == nil; n++ {
		path = w.path + ".torn-" + strconv.FormatInt(from, 10) + "-" + strconv.Itoa(n)
		f, err = w.root.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	_, err = io.Copy(f, io.NewSectionReader(w.file, from, to-from))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		w.root.Remove(path)
		return "", err
	}
	return path, w.root.Sync(filepath.Dir(path))
}
