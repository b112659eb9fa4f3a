package files

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"handoff/log/engine"
)

// place is the beginning of a line.
type place struct {
	number uint64 // of the line, from 0
	offset int64
}

// between is the distance of the places that are remembered, in lines.
const between = 1024

// guarded is how many bytes before the end are compared, to notice a file that was
// replaced by a longer one in place.
const guarded = 64

// lines remembers where the lines of a log are, so that an append to a long one does
// not read all of it.
type lines struct {
	mu     sync.Mutex
	info   fs.FileInfo // of the file that was read; nil for none
	end    place       // after the last newline
	tail   []byte      // the bytes before that
	places []place     // of each line whose number is a multiple of between
}

// read brings the cached lines up to date with a file, and returns the end of its
// last whole line.
func (l *lines) read(ctx context.Context, f *os.File) (end place, err error) {
	st, err := f.Stat()
	if err != nil {
		return place{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if same, err := l.holds(f, st); err != nil {
		return place{}, err
	} else if !same {
		l.end, l.tail, l.places = place{}, nil, nil
	}
	l.info = st
	if l.end.offset == st.Size() {
		return l.end, ctx.Err()
	}
	return l.count(ctx, f, st.Size())
}

// holds reports whether a file still begins with the lines that were counted.
func (l *lines) holds(f *os.File, st fs.FileInfo) (bool, error) {
	if l.info == nil || !os.SameFile(l.info, st) || st.Size() < l.end.offset {
		return false, nil
	}
	tail := make([]byte, len(l.tail))
	if _, err := f.ReadAt(tail, l.end.offset-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	return bytes.Equal(tail, l.tail), nil
}

// count counts the lines from the end of those that are known up to a size.
func (l *lines) count(ctx context.Context, f *os.File, size int64) (place, error) {
	chunk := make([]byte, min(256<<10, size-l.end.offset))
	for at := l.end.offset; at < size; {
		n, err := f.ReadAt(chunk[:min(int64(len(chunk)), size-at)], at)
		if n == 0 && err != nil {
			return place{}, fmt.Errorf("%s: %w", f.Name(), err)
		}
		if err := ctx.Err(); err != nil {
			return place{}, err
		}
		l.found(chunk[:n], at)
		at += int64(n)
	}
	tail := make([]byte, min(guarded, l.end.offset))
	_, err := f.ReadAt(tail, l.end.offset-int64(len(tail)))
	l.tail = tail
	return l.end, err
}

// found adds the lines that end in bytes which begin at an offset.
func (l *lines) found(data []byte, at int64) {
	for from := 0; ; {
		i := bytes.IndexByte(data[from:], '\n')
		if i < 0 {
			return
		}
		if l.end.number%between == 0 {
			l.places = append(l.places, l.end)
		}
		from += i + 1
		l.end = place{l.end.number + 1, at + int64(from)}
	}
}

// before returns a place at or before a line.
func (l *lines) before(number uint64) place {
	l.mu.Lock()
	defer l.mu.Unlock()
	if number == l.end.number {
		return l.end
	}
	if i := int(number / between); i < len(l.places) {
		return l.places[i]
	}
	return place{}
}

// errEmpty: an engine has no empty records.
var errEmpty = errors.New("the line is empty: delete it")

// records yields the lines from a number up to an end.
func (l *lines) records(ctx context.Context, f *os.File, from uint64, end place, yield func(engine.Record, error) bool) {
	at := l.before(from)
	if at.number > from || at.offset > end.offset { // the file was replaced meanwhile
		at = place{}
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, at.offset, end.offset-at.offset), 64<<10)
	for ; at.number < end.number; at.number++ {
		line, err := in.ReadBytes('\n')
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && len(line) == 1 {
			err = errEmpty
		}
		if err != nil {
			yield(engine.Record{}, fmt.Errorf("%s:%d: %w", f.Name(), at.number+1, err))
			return
		}
		if at.number >= from && !yield(engine.Record{Number: at.number, Data: line[: len(line)-1 : len(line)-1]}, nil) {
			return
		}
	}
}
