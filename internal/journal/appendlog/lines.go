package appendlog

import (
	"bytes"
	"cmp"
	"io"
)

const (
	chunkBytes = 64 << 10
	// mostBytes is the longest line that is read, whatever was allowed when it
	// was written; a longer one is not a record.
	mostBytes = 256 << 20
)

// line is a part of a file up to a newline, or up to the size that is read: then
// it is a fragment.
type line struct {
	start, end int64 // with the newline
	text       []byte
	fragment   bool
	tooLong    bool // has no text
}

// lines reads the lines of a file up to a given size.
//
// Every line comes from a single read. A line put together from two reads could
// begin with the bytes of a torn line and continue with those of the record
// that replaced it in between, and might even look valid.
type lines struct {
	file  io.ReaderAt
	next  int64  // where the next line begins
	size  int64  // nothing is read from here on
	chunk []byte // read at next
	first int64  // if not 0, how much to read at first
	most  int64  // if not 0, instead of mostBytes
	reuse bool   // the chunk may be overwritten: the caller keeps no text
	whole []byte // the buffer of chunk, for reuse
}

// read returns the next line, ok false at the end.
func (r *lines) read() (l line, ok bool, err error) {
	for {
		// All of the chunk is searched each time: what was read before may have been replaced.
		if i := bytes.IndexByte(r.chunk, '\n'); i >= 0 {
			return r.take(i), true, nil
		}
		left := r.size - r.next
		switch {
		case left == 0:
			return line{}, false, nil
		case int64(len(r.chunk)) == left:
			return line{start: r.next, end: r.size, text: r.chunk, fragment: true}, true, nil
		case int64(len(r.chunk)) >= cmp.Or(r.most, mostBytes):
			l, err := r.skip()
			return l, true, err
		}
		want := max(chunkBytes, 2*int64(len(r.chunk)))
		if r.first > 0 {
			want, r.first = r.first, 0
		}
		if err := r.fill(min(left, want)); err != nil {
			return line{}, false, err
		}
	}
}

// take splits off the line that ends at i of the chunk.
func (r *lines) take(i int) line {
	l := line{start: r.next, end: r.next + int64(i) + 1, text: r.chunk[:i:i]}
	r.next, r.chunk = l.end, r.chunk[i+1:]
	return l
}

// fill reads so many bytes from the start of the next line.
func (r *lines) fill(want int64) error {
	if !r.reuse || int64(cap(r.whole)) < want {
		r.whole = make([]byte, want)
	}
	n, err := r.file.ReadAt(r.whole[:want], r.next)
	if err == io.EOF { // truncated in the meantime
		r.size, err = r.next+int64(n), nil
	}
	r.chunk = r.whole[:n:n]
	return err
}

// skip skips a line that is too long to be held in memory.
func (r *lines) skip() (line, error) {
	l := line{start: r.next, tooLong: true}
	end, found, err := findLineEnd(r.file, r.next+int64(len(r.chunk)), r.size)
	l.end, l.fragment = end, !found
	r.next, r.chunk = end, nil
	return l, err
}

// findLineEnd returns the offset after the next newline; without one before
// size, size and false.
func findLineEnd(f io.ReaderAt, from, size int64) (end int64, found bool, err error) {
	buf := make([]byte, chunkBytes)
	for from < size {
		n, err := f.ReadAt(buf[:min(size-from, chunkBytes)], from)
		if i := bytes.IndexByte(buf[:n], '\n'); i >= 0 {
			return from + int64(i) + 1, true, nil
		}
		if err != nil && err != io.EOF || n == 0 {
			return size, false, err
		}
		from += int64(n)
	}
	return size, false, nil
}

// lineStart returns where the line begins that ends at end, not counting its
// newline: after the newline before it, or at 0. It reads backwards, one chunk at
// a time.
func lineStart(f io.ReaderAt, end int64) (int64, error) {
	buf := make([]byte, min(end, 4<<10))
	for end > 0 {
		n := min(end, int64(len(buf)))
		if _, err := f.ReadAt(buf[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
		if len(buf) < chunkBytes {
			buf = make([]byte, chunkBytes)
		}
	}
	return 0, nil
}

// readLine reads the line between two offsets, without its newline.
func readLine(f io.ReaderAt, start, end int64) ([]byte, error) {
	b := make([]byte, end-start)
	_, err := f.ReadAt(b, start)
	return bytes.TrimSuffix(b, []byte{'\n'}), err
}

// countLines counts the newlines before an offset, for error messages.
func countLines(f io.ReaderAt, before int64) (n int64) {
	r := lines{file: f, size: before, reuse: true}
	for {
		if _, ok, err := r.read(); !ok || err != nil {
			return n
		}
		n++
	}
}
