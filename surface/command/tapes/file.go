package tapes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"handoff/log/tape"
	"handoff/surface/command"
)

// entriesFrom reads entries, one per line; they get new IDs. All lines are
// checked before the first entry is returned, so that nothing is written if one
// is bad. A file is read twice for that, as it may not fit into memory.
func entriesFrom(w *command.Process, name string) (iter.Seq2[tape.Entry, error], error) {
	open, shown, err := rereadable(w, name)
	if err != nil {
		return nil, err
	}
	entries := func(yield func(tape.Entry, error) bool) {
		in, err := open()
		if err != nil {
			yield(tape.Entry{}, fmt.Errorf("%s: %w", shown, command.Bare(err)))
			return
		}
		defer in.Close()
		entriesIn(in, shown, yield)
	}
	n := 0
	for e, err := range entries {
		if err == nil {
			_, err = e.Line()
		}
		if err != nil {
			return nil, err
		}
		n++
	}
	if n == 0 {
		return nil, fmt.Errorf("%s contains no entries", shown)
	}
	return entries, nil
}

// rereadable is a file that can be opened again, or the content of a pipe, up to
// maxEntries.
func rereadable(w *command.Process, name string) (open func() (io.ReadCloser, error), shown string, err error) {
	if name != "-" {
		if st, err := os.Stat(w.Path(name)); err == nil && st.Mode().IsRegular() {
			return func() (io.ReadCloser, error) { return os.Open(w.Path(name)) }, name, nil
		}
	}
	src, shown, err := w.Read(name, maxEntries)
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }, shown, err
}

func entriesIn(in io.Reader, shown string, yield func(tape.Entry, error) bool) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), tape.MaxRequest)
	n := 0
	for lines.Scan() {
		if n++; strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		e, err := entryFrom(bytes.Clone(lines.Bytes()))
		if err != nil {
			yield(tape.Entry{}, fmt.Errorf("%s:%d: %w", shown, n, err))
			return
		}
		if !yield(e, nil) {
			return
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		yield(tape.Entry{}, fmt.Errorf("%s:%d: longer than %d bytes", shown, n+1, tape.MaxRequest))
	} else if err != nil {
		yield(tape.Entry{}, fmt.Errorf("%s: %w", shown, command.Bare(err)))
	}
}
