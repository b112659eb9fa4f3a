package journal

import "math"

// tend lets the index catch up if appends have left it far behind, so that who
// asks next does not wait long. No append waits for it, only Close does.
func (j *Journal) tend() {
	x, end := &j.index, j.tail.guard.end
	if end-x.covered.Load() < tendBytes || !x.tending.CompareAndSwap(false, true) {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return
	}
	j.tending.Go(func() {
		defer x.tending.Store(false)
		x.covered.Store(x.tend(end))
	})
}

// tend returns how many bytes the disk covers, or how many there are if that
// cannot be changed.
func (x *index) tend(end int64) int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	log, size, err := x.journal.current()
	if err != nil {
		return end
	}
	if x.size = size; x.log != log {
		x.restart(log)
	}
	lag := size - x.base.Bytes
	if lag > tendMost { // not left by appends: whoever asks will see the progress
		return end
	}
	if lag >= tendBytes {
		err = x.catchUp()
	}
	switch {
	case x.unsaved || x.distrust:
		return math.MaxInt64
	case err != nil:
		return end
	}
	return x.base.Bytes
}
