package rip

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"handoff/internal/file/regular"
	"handoff/log/thread"
)

// maxLine is the maximum length of a line, in bytes, as in threads.
const maxLine = 16 << 20

// line is a line of RIP's log.
type line struct {
	number int    // from 1
	text   []byte // without the newline; valid until the next line is read
	event  thread.Event
	err    error // why RIP could not read it
	torn   bool  // it is the last one and has no newline
}

// scan reads a log, which may be large, line by line. A missing one is empty.
func scan(path string, each func(line) error) error {
	return scanLines(path, func(l line) error {
		l.parse()
		return each(l)
	})
}

// parse reads the event, unless the line is already in error.
func (l *line) parse() {
	if l.err != nil {
		return
	}
	if l.event, l.err = thread.Parse(l.text); l.err == nil && !l.event.Known() {
		l.err = fmt.Errorf("%q: %w", l.event.Payload.Type(), errUnknownType)
	}
}

// scanLines is scan without parsing the events.
func scanLines(path string, each func(line) error) error {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 256<<10)
	for n := 1; ; n++ {
		text, tooLong, err := readLine(r)
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", path, err)
		}
		if len(text) == 0 && err == io.EOF {
			return nil
		}
		l := line{number: n, text: bytes.TrimSuffix(bytes.TrimSuffix(text, []byte("\n")), []byte("\r")), torn: err == io.EOF}
		if tooLong {
			l.err = fmt.Errorf("a line longer than %d bytes", maxLine)
		}
		if err := each(l); err != nil {
			return err
		}
	}
}

// readLine reads up to a newline, or io.EOF. Only the start of a line that is too
// long is returned.
func readLine(r *bufio.Reader) (text []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(text)+len(part) > maxLine+2 {
			tooLong = true
			part = part[:0]
		}
		if text == nil && !errors.Is(err, bufio.ErrBufferFull) {
			return part, tooLong, err
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, tooLong, err
		}
	}
}
