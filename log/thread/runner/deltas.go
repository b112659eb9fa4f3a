package runner

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"handoff/internal/text/secret"
	"handoff/internal/text/visible"
)

// deltas stores the output of a command as frames of the run, and copies it to a
// writer. A frame has the output of 50 ms, so followers see it soon, and a program
// that writes single bytes does not create a frame for each.
//
// Secrets are not stored: other programs read the frames, and git may get them. So a line
// waits for its end, for a moment. The copy has them, because it is for the caller.
type deltas struct {
	limit *limit
	out   io.Writer // nil for none

	mu      sync.Mutex
	pending []byte
	timer   *time.Timer
	keepErr error // frames could not be appended
	outErr  error // of writing to out
}

const (
	deltaBytes = 32 << 10 // of a frame
	deltaWait  = 50 * time.Millisecond
	lineWait   = time.Second // for the end of a line, or of a private key
	lineBytes  = 1 << 20     // of pending output, after which it is stored without the end
)

// Write stores output of the command. It fails, which ends the command's output,
// only if frames cannot be stored; a failing copy does not matter. If the run was
// deleted, the command works on: see [LostError].
func (d *deltas) Write(p []byte) (int, error) {
	if d.out != nil && d.outErr == nil {
		_, d.outErr = d.out.Write(p)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for rest := p; len(rest) > 0 && d.keepErr == nil; {
		n := min(len(rest), deltaBytes)
		d.pending, rest = append(d.pending, rest[:n]...), rest[n:]
		if len(d.pending) >= lineBytes {
			d.keep(visible.Whole(d.pending))
		} else if len(d.pending) >= deltaBytes {
			d.keep(whole(d.pending))
		}
	}
	if d.timer == nil && len(d.pending) > 0 {
		d.timer = time.AfterFunc(deltaWait, d.flush)
	}
	if isMissing(d.keepErr) {
		d.pending = nil
		return len(p), nil
	}
	return len(p), d.keepErr
}

// flush stores the complete lines, and the next time what has got no end since.
func (d *deltas) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.keep(whole(d.pending))
	d.timer = nil
	if len(d.pending) > 0 {
		var late *time.Timer
		before := len(d.pending)
		late = time.AfterFunc(lineWait, func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.timer != late {
				return // it was stopped
			}
			if d.timer = nil; len(d.pending) == before {
				d.keep(visible.Whole(d.pending))
			} else {
				d.timer = time.AfterFunc(deltaWait, d.flush)
			}
		})
		d.timer = late
	}
}

// The lines around a private key.
var keyBegin, keyEnd = []byte("-----BEGIN "), []byte("-----END ")

// whole is the length of the complete lines, without a private key that has no end yet.
func whole(p []byte) int {
	n := bytes.LastIndexAny(p, "\r\n") + 1 // programs show progress with \r
	if at := bytes.LastIndex(p[:n], keyBegin); at >= 0 && !bytes.Contains(p[at:n], keyEnd) {
		n = bytes.LastIndexByte(p[:at], '\n') + 1
	}
	return n
}

// keep stores the first n bytes without secrets: see [limit]. Invalid UTF-8, which a frame
// cannot contain, becomes U+FFFD.
func (d *deltas) keep(n int) {
	if n == 0 || d.keepErr != nil {
		return
	}
	text := secret.HideOutput(strings.ToValidUTF8(string(d.pending[:n]), string(utf8.RuneError)))
	d.pending = append(d.pending[:0], d.pending[n:]...)
	d.keepErr = d.limit.add(text)
}

// close stores the rest.
func (d *deltas) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
	d.keep(len(d.pending))
	if d.keepErr == nil {
		d.keepErr = d.limit.close()
	}
	return d.keepErr
}
