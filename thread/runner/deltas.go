package runner

import (
	"context"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"handoff/internal/text/visible"
	"handoff/thread"
)

// deltas stores the output of a command as frames of the run, and copies it to a
// writer. A frame has the output of 50 ms, so followers see it soon, and a program
// that writes single bytes does not create a frame for each.
type deltas struct {
	run *Run
	out io.Writer // nil for none

	mu      sync.Mutex
	pending []byte
	timer   *time.Timer
	keepErr error // frames could not be appended
	outErr  error // of writing to out
}

const (
	deltaBytes = 32 << 10
	deltaWait  = 50 * time.Millisecond
)

// Write stores output of the command. It fails, which ends the command's output,
// only if frames cannot be stored; a failing copy does not matter.
func (d *deltas) Write(p []byte) (int, error) {
	if d.out != nil && d.outErr == nil {
		_, d.outErr = d.out.Write(p)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for rest := p; len(rest) > 0 && d.keepErr == nil; {
		n := min(len(rest), deltaBytes-len(d.pending))
		d.pending, rest = append(d.pending, rest[:n]...), rest[n:]
		if len(d.pending) == deltaBytes {
			d.keep(visible.Whole(d.pending))
		}
	}
	if d.timer == nil && len(d.pending) > 0 {
		d.timer = time.AfterFunc(deltaWait, d.flush)
	}
	return len(p), d.keepErr
}

func (d *deltas) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = nil
	d.keep(visible.Whole(d.pending))
}

// keep appends the first n bytes as a frame. Invalid UTF-8, which a frame cannot
// contain, becomes U+FFFD.
func (d *deltas) keep(n int) {
	if n == 0 || d.keepErr != nil {
		return
	}
	text := strings.ToValidUTF8(string(d.pending[:n]), string(utf8.RuneError))
	d.pending = append(d.pending[:0], d.pending[n:]...)
	_, d.keepErr = d.run.options.Store.AppendSession(context.Background(), d.run.ID, &thread.OutputDelta{Delta: text})
}

// close stores the rest.
func (d *deltas) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
	}
	d.keep(len(d.pending))
	return d.keepErr
}
