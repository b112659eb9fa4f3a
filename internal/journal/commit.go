package journal

import (
	"errors"
	"fmt"
)

// commit writes the lines to the end of the file, for the holder of the lock,
// and flushes them.
func (j *Journal) commit(t tail, data []byte, next uint64) error {
	if err := j.flusher.failure(); err != nil {
		return err
	}
	if t.open { // in the same write: another program may be appending too
		data = append([]byte{'\n'}, data...)
	}
	start := t.guard.end
	if n, err := t.log.Write(data); err != nil {
		return j.takeBack(t, start+int64(n), err)
	}
	if j.options.Batch == 0 {
		if err := j.syncFile(t.log); err != nil {
			// The bytes are in memory and may never reach the disk, and
			// flushing again would not try again. So they have to go, and
			// whether they have gone from the disk nobody knows.
			return fmt.Errorf("%w: %w", ErrUnknown, j.takeBack(t, start+int64(len(data)), err))
		}
	} else {
		j.flusher.owe(j, t.log)
	}
	j.tail = tail{t.log, guardAfter(t.guard, data), next, false}
	j.changes.send()
	return nil
}

// guardAfter is the guard at the end of data that follows g.
func guardAfter(g guard, data []byte) guard {
	end := g.end + int64(len(data))
	if len(data) < guardBytes {
		data = append(append(make([]byte, 0, 2*guardBytes), g.bytes...), data...)
	}
	return guard{end, append([]byte(nil), data[max(0, len(data)-guardBytes):]...)}
}

// takeBack cuts off what a failed write left, unless someone has written after
// it. If that works the failure is a plain one.
func (j *Journal) takeBack(t tail, end int64, cause error) error {
	j.tail = tail{}
	cause = fmt.Errorf("%s: %w", j.path, cause)
	st, err := t.log.Stat()
	switch {
	case err == nil && st.Size() == t.guard.end:
		return cause
	case err == nil && st.Size() == end:
		err = cut(t.log, j.options.Root, j.path, t.guard.end)
	case err == nil:
		err = errors.New("another program has written to the file")
	}
	if err != nil {
		return fmt.Errorf("%w: %w (and it could not be taken back: %v)", ErrUnknown, cause, err)
	}
	return cause
}
