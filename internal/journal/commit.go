package journal

import (
	"bytes"
	"errors"
	"fmt"
)

// written is what stands at the end of a file and is not flushed yet.
type written struct {
	log        *logFile // nil for nothing
	start, end int64
	requests   []*request // that it is of
}

// put writes the lines to the end of the file, for the holder of the lock.
func (j *Journal) put(w *written, t tail, requests []*request, data []byte, next uint64) {
	if err := j.flusher.failure(); err != nil {
		fail(requests, err)
		return
	}
	if t.open { // in the same write: another program may be appending too
		data = append([]byte{'\n'}, data...)
	}
	if err := j.alone(); err != nil { // nothing is written yet
		fail(requests, err)
		return
	}
	start := t.guard.end
	if n, err := t.log.Write(data); err != nil {
		fail(requests, j.takeBack(t.log, start, start+int64(n), err))
		return
	}
	if err := j.placed(t.log, start, data); err != nil {
		j.tail = tail{}
		fail(requests, err)
		return
	}
	j.tail = tail{t.log, guardAfter(t.guard, data), next, false}
	if w.log == nil {
		w.log, w.start = t.log, start
	}
	w.end = start + int64(len(data))
	w.requests = append(w.requests, requests...)
}

// commit flushes what was written.
func (j *Journal) commit(w *written) {
	if w.log == nil {
		return
	}
	if j.options.Batch != 0 {
		j.flusher.owe(j, w.log)
	} else if err := j.syncFile(w.log); err != nil {
		// The bytes are in memory and may never reach the disk, and
		// flushing again would not try again. So they have to go, and
		// whether they have gone from the disk nobody knows.
		fail(w.requests, fmt.Errorf("%w: %w", ErrUnknown, j.takeBack(w.log, w.start, w.end, err)))
	}
	if err := j.alone(); err != nil {
		// Nothing is taken back: the other process may have seen it, and go on
		// after it.
		j.tail = tail{}
		fail(w.requests, fmt.Errorf("%w: %w", ErrUnknown, err))
	}
	*w = written{}
	j.changes.send()
}

// alone is an error if another process holds the lock as well: see
// [lockfile.NotSharedError].
func (j *Journal) alone() error {
	if err := j.locked.Check(); err != nil {
		return fmt.Errorf("%s: %w", j.path, err)
	}
	return nil
}

// placed is an error if the data is not where the end of a strict journal was:
// somebody appended in between, who does not keep to the lock. What is
// misplaced would be damage, and goes if it is the last of the file.
func (j *Journal) placed(log *logFile, start int64, data []byte) error {
	if j.format.Tolerant { // others may append to it without the lock
		return nil
	}
	st, err := log.Stat()
	if err == nil && st.Size() == start+int64(len(data)) || err == nil && hasAt(log, start, data) {
		return nil
	}
	if err == nil {
		err = errMisplaced
		if own := st.Size() - int64(len(data)); own >= start && hasAt(log, own, data) {
			if cut(log, j.options.Root, j.path, own) == nil {
				return fmt.Errorf("%s: %w", j.path, err)
			}
		}
	}
	return fmt.Errorf("%s: %w: %w", j.path, ErrUnknown, err)
}

// hasAt reports whether a file has the data at a place.
func hasAt(log *logFile, offset int64, data []byte) bool {
	found := make([]byte, len(data))
	_, err := log.ReadAt(found, offset)
	return err == nil && bytes.Equal(found, data)
}

// errMisplaced: see [Journal.placed].
var errMisplaced = errors.New("another process appended at the same time without the lock: the folder may be in use through two mounts or machines " +
	"that do not share file locks")

// guardAfter is the guard at the end of data that follows g.
func guardAfter(g guard, data []byte) guard {
	end := g.end + int64(len(data))
	if len(data) < guardBytes {
		data = append(append(make([]byte, 0, 2*guardBytes), g.bytes...), data...)
	}
	return guard{end, append([]byte(nil), data[max(0, len(data)-guardBytes):]...)}
}

// takeBack cuts off what a failed write left between two places, unless someone
// has written after it. If that works the failure is a plain one.
func (j *Journal) takeBack(log *logFile, start, end int64, cause error) error {
	j.tail = tail{}
	cause = fmt.Errorf("%s: %w", j.path, cause)
	st, err := log.Stat()
	switch {
	case err == nil && st.Size() == start:
		return cause
	case err == nil && st.Size() == end:
		err = cut(log, j.options.Root, j.path, start)
	case err == nil:
		err = errors.New("another program has written to the file")
	}
	if err != nil {
		return fmt.Errorf("%w: %w (and it could not be undone: %v)", ErrUnknown, cause, err)
	}
	return cause
}
