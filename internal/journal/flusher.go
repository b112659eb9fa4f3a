package journal

import (
	"fmt"
	"sync"
	"time"
)

// flusher puts on the disk, a moment later, what appends did not wait for.
type flusher struct {
	mu    sync.Mutex
	log   *logFile // that something is owed to
	timer *time.Timer
	err   error // of a flush that nobody waited for: the journal takes no more records
}

func (f *flusher) failure() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// owe notes that the file has to be flushed.
func (f *flusher) owe(j *Journal, log *logFile) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log != nil && f.log != log { // replaced in the meantime
		f.settle(j)
	}
	if f.log == nil {
		f.log = log
		f.timer = time.AfterFunc(j.options.Batch, func() { j.flush() })
	}
}

// settle flushes what is owed.
func (f *flusher) settle(j *Journal) {
	if f.log == nil {
		return
	}
	f.timer.Stop()
	if err := j.syncFile(f.log); err != nil && f.err == nil {
		f.err = fmt.Errorf("%s: %w: %w", j.path, ErrUnknown, err)
	}
	f.log = nil
}

// Flush waits until all that was appended is on the disk. Without
// [Options.Batch] it is there already.
func (j *Journal) Flush() error { return j.flush() }

func (j *Journal) flush() error {
	f := &j.flusher
	f.mu.Lock()
	defer f.mu.Unlock()
	f.settle(j)
	return f.err
}
