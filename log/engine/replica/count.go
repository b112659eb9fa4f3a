package replica

import (
	"bufio"
	"bytes"
	"io"
	"os"
)

// count is the length of a file up to the end of its last whole line.
type count struct {
	Bytes int64  `json:"bytes"`
	Lines uint64 `json:"lines"`
}

// known is the count of a log's file that was learned last.
func (r *Replica) known(log string) count {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lengths[log]
}

func (r *Replica) learn(log string, c count) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lengths[log] != c {
		r.lengths[log] = c
		r.stale++
	}
}

// count counts the lines of a file. Those that a former count covers are not read.
func (f *file) count(open *os.File, former count) (count, error) {
	st, err := open.Stat()
	if err != nil {
		return count{}, err
	}
	c := former
	if c.Bytes > st.Size() {
		c = count{}
	}
	buf := make([]byte, min(st.Size()-c.Bytes, 256<<10))
	for at := c.Bytes; at < st.Size(); {
		n, err := open.ReadAt(buf[:min(int64(len(buf)), st.Size()-at)], at)
		if n == 0 && err != nil {
			return c, err
		}
		if end := bytes.LastIndexByte(buf[:n], '\n'); end >= 0 {
			c.Lines += uint64(bytes.Count(buf[:end+1], []byte{'\n'}))
			c.Bytes = at + int64(end) + 1
		}
		at += int64(n)
	}
	return c, nil
}

// lastLine is the line that ends at an offset, without its newline.
func lastLine(open io.ReaderAt, end int64) ([]byte, error) {
	for size := int64(4 << 10); ; size *= 4 {
		from := max(0, end-size)
		text := make([]byte, end-from)
		if _, err := open.ReadAt(text, from); err != nil && err != io.EOF {
			return nil, err
		}
		text = bytes.TrimSuffix(text, []byte{'\n'})
		if start := bytes.LastIndexByte(text, '\n'); start >= 0 || from == 0 {
			return text[start+1:], nil
		}
	}
}

// lineReader reads the whole lines of a file from its start.
type lineReader struct{ in *bufio.Reader }

func linesOf(open io.ReaderAt) lineReader {
	return lineReader{bufio.NewReaderSize(io.NewSectionReader(open, 0, 1<<62), 64<<10)}
}

// next is the next line without its newline, io.EOF after the last whole one.
func (l lineReader) next() ([]byte, error) {
	line, err := l.in.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	return line[:len(line)-1], nil
}
