package appendlog

import (
	"bytes"
	"errors"
	"fmt"
)

// written is data that was written to the end of a file and is not flushed yet.
type written struct {
	file       *File // nil for nothing
	start, end int64
	requests   []*request // whose lines it has
}

// put writes a block to the end of the file. The log is locked.
func (l *Log) put(w *written, t tail, requests []*request, b block) {
	if err := l.flusher.failure(); err != nil {
		fail(requests, err)
		return
	}
	data, start := b.data, t.guard.End
	if t.open { // in the same write: another program may be appending too
		data = append([]byte{'\n'}, data...)
	}
	if err := l.alone(); err != nil { // nothing is written yet
		fail(requests, err)
		return
	}
	if n, err := t.file.Write(data); err != nil {
		fail(requests, l.undo(t.file, start, start+int64(n), err))
		return
	}
	if err := l.placed(t.file, start, data); err != nil {
		l.tail = tail{}
		fail(requests, err)
		return
	}
	l.tail = tail{t.file, t.guard.after(data), b.next, false}
	l.last = l.tail
	if l.index.Appended != nil {
		l.index.Appended(Appended{t.file, l.tail.guard.End - int64(len(b.data)), b.records, l.tail.guard})
	}
	if w.file == nil {
		w.file, w.start = t.file, start
	}
	w.end = l.tail.guard.End
	w.requests = append(w.requests, requests...)
}

// commit flushes the written data.
func (l *Log) commit(w *written) {
	if w.file == nil {
		return
	}
	if l.options.Batch != 0 {
		l.flusher.flushLater(l, w.file)
	} else if err := l.options.Sync(w.file.File); err != nil {
		// The bytes are in memory and may never reach the disk, and flushing
		// again would not retry. So they must be cut off, and it is unknown
		// whether they are on the disk.
		fail(w.requests, fmt.Errorf("%w: %w", ErrUnknown, l.undo(w.file, w.start, w.end, err)))
	}
	if err := l.alone(); err != nil {
		// Nothing is undone: the other process may have read it and appended
		// after it.
		l.tail = tail{}
		fail(w.requests, fmt.Errorf("%w: %w", ErrUnknown, err))
	}
	*w = written{}
	l.changes.send()
}

// alone fails if another process holds the lock as well: see
// [lockfile.NotSharedError].
func (l *Log) alone() error {
	if err := l.lock.Check(); err != nil {
		return l.wrap(err)
	}
	return nil
}

// placed fails if the data is not where a strict log ended: a program that
// ignores the lock appended in between. The misplaced data would be damage; it
// is removed if it is the end of the file.
func (l *Log) placed(f *File, start int64, data []byte) error {
	if l.format.Tolerant { // other programs may append to it without the lock
		return nil
	}
	st, err := f.Stat()
	if err == nil && st.Size() == start+int64(len(data)) || err == nil && hasAt(f, start, data) {
		return nil
	}
	if err == nil {
		err = errMisplaced
		if own := st.Size() - int64(len(data)); own >= start && hasAt(f, own, data) {
			if l.cut(f, own) == nil {
				return l.wrap(err)
			}
		}
	}
	return fmt.Errorf("%s: %w: %w", l.path, ErrUnknown, err)
}

// hasAt reports whether a file has the data at an offset.
func hasAt(f *File, offset int64, data []byte) bool {
	found := make([]byte, len(data))
	_, err := f.ReadAt(found, offset)
	return err == nil && bytes.Equal(found, data)
}

// errMisplaced: see [Log.placed].
var errMisplaced = errors.New("another process appended at the same time without the lock: the folder may be in use through two mounts or machines " +
	"that do not share file locks")

// undo cuts off what a failed write left between two offsets, unless another program
// has written after it. If that succeeds, cause is returned without ErrUnknown.
func (l *Log) undo(f *File, start, end int64, cause error) error {
	l.tail = tail{}
	cause = l.wrap(cause)
	st, err := f.Stat()
	switch {
	case err == nil && st.Size() == start:
		return cause
	case err == nil && st.Size() == end:
		err = l.cut(f, start)
	case err == nil:
		err = errors.New("another program has written to the file")
	}
	if err != nil {
		return fmt.Errorf("%w: %w (and it could not be undone: %v)", ErrUnknown, cause, err)
	}
	return cause
}
