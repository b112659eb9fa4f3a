package appendlog

import (
	"fmt"
	"sync"
	"time"
)

// flusher flushes to the disk, a moment later, what appends did not wait for.
type flusher struct {
	mu    sync.Mutex
	file  *File // that has to be flushed, or nil
	timer *time.Timer
	err   error // of a flush that no append waited for: the log accepts no more records
}

func (f *flusher) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// flushLater flushes the file within [Options.Batch].
func (f *flusher) flushLater(l *Log, file *File) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file != nil && f.file != file { // replaced in the meantime
		f.flush(l)
	}
	if f.file == nil {
		f.file = file
		f.timer = time.AfterFunc(l.options.Batch, func() { l.Flush() })
	}
}

func (f *flusher) flush(l *Log) {
	if f.file == nil {
		return
	}
	f.timer.Stop()
	if err := l.options.Sync(f.file.File); err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w: %w", l.path, ErrUnknown, err)
	}
	f.file = nil
}

// Flush waits until all appended records are flushed to the disk. Without
// [Options.Batch] they already are.
func (l *Log) Flush() error {
	f := &l.flusher
	f.mu.Lock()
	defer f.mu.Unlock()
	f.flush(l)
	return f.err
}
