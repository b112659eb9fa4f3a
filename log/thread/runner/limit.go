package runner

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"os"

	"handoff/internal/file/atomicfile"
	"handoff/internal/text/visible"
	"handoff/log/thread"
)

const (
	endBytes  = 1 << 20 // of the end that is always stored, at most half of the limit
	noteBytes = 1 << 10 // more than both notes have
)

// limit stores the output of a run up to a limit. Of what is beyond it, the end is kept in memory and in a file, and
// stored when the run ends: by this process, or by [Reap] if it was killed.
type limit struct {
	run  *Run
	most int64 // bytes that are stored in all
	left int64 // of them, what is stored at once
	over int64 // bytes that were not
	end  []byte
	file *os.File // nil before it is needed
	size int64    // of the file
}

func newLimit(r *Run) *limit {
	most := cmp.Or(r.options.Output, math.MaxInt64)
	return &limit{run: r, most: most, left: most - endOf(most) - noteBytes}
}

func endOf(most int64) int64 { return min(endBytes, most/2) }

// add stores a text, or keeps it for the end.
func (l *limit) add(text string) error {
	if l.over == 0 {
		n := len(text)
		if int64(n) > l.left {
			n = visible.Whole([]byte(text[:l.left]))
		}
		l.left -= int64(n)
		if err := l.run.store(text[:n]); err != nil || n == len(text) {
			return err
		}
		text = text[n:]
		if err := l.run.store(fmt.Sprintf("\n[handoff: the limit of a run's output, %d bytes, is reached (runs.output): of what follows only the end is stored, when the run ends]\n", l.most)); err != nil {
			return err
		}
	}
	l.over += int64(len(text))
	l.end = append(l.end, text...)
	if most := int(endOf(l.most)); len(l.end) > 4*most { // not each time: it copies
		l.end = append(l.end[:0], l.end[len(l.end)-most:]...)
	}
	l.keep(text)
	return nil
}

// keep adds a text to the file, of which only the end counts. The file matters only if this process is killed, so it
// does not matter if it cannot be written.
func (l *limit) keep(text string) {
	f := l.run.hold.files
	if l.file == nil || l.size > 4*endOf(l.most) {
		if l.file != nil {
			l.file.Close()
		}
		if atomicfile.Write(f.root, f.end(), l.end, 0o644) == nil {
			l.file, _ = f.root.OpenFile(f.end(), os.O_WRONLY|os.O_APPEND, 0)
		}
		l.size = int64(len(l.end))
		return
	}
	n, _ := l.file.WriteString(text)
	l.size += int64(n)
}

// close stores the end.
func (l *limit) close() error {
	if l.file != nil {
		l.file.Close()
	}
	if l.over == 0 {
		return nil
	}
	end := lastLines(l.end, endOf(l.most))
	note := fmt.Sprintf("[handoff: %d bytes of output are left out here]\n", l.over-int64(len(end)))
	if err := l.run.store(note + string(end)); err != nil {
		return err
	}
	return l.run.hold.files.remove(l.run.hold.files.end()) // so that Reap does not store it again
}

// lastLines is the end of a text, of at most so many bytes and without a part of a line before it, if it has lines.
func lastLines(text []byte, most int64) []byte {
	if int64(len(text)) <= most {
		return text
	}
	text = text[int64(len(text))-most:]
	if _, whole, ok := bytes.Cut(text, []byte("\n")); ok && len(whole) > 0 {
		return whole
	}
	return bytes.ToValidUTF8(text, nil)
}

// storeEnd stores the end of the output of a run that was killed while its output was beyond the limit.
func storeEnd(ctx context.Context, store *thread.Store, f files, r Record) error {
	end, err := f.root.ReadUnlinked(f.end(), 8*endBytes)
	if isMissing(err) {
		return nil
	}
	if _, over, bad := store.SessionEnded(r.RunID); err != nil || bad != nil || over {
		return err // a run that lacks its session, or has ended, gets nothing more
	}
	note := "[handoff: output is left out here]\n"
	if err := storeOutput(ctx, store, r.RunID, note+string(lastLines(bytes.ToValidUTF8(end, nil), endOf(r.Output)))); err != nil {
		return err
	}
	return f.remove(f.end())
}

// store appends output as frames.
func (r *Run) store(text string) error {
	return storeOutput(context.Background(), r.options.Store, r.ID, text)
}

func storeOutput(ctx context.Context, store *thread.Store, runID, text string) error {
	for len(text) > 0 {
		size := visible.Whole([]byte(text[:min(len(text), deltaBytes)]))
		if _, err := store.AppendSession(ctx, runID, &thread.OutputDelta{Delta: text[:size]}); err != nil {
			return err
		}
		text = text[size:]
	}
	return nil
}
