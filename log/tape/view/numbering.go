package view

import (
	"fmt"

	"handoff/internal/state/names"
	"handoff/log/tape/entry"
)

// Numbering gives entries their ids, and a date if they have none.
type Numbering struct {
	Path    string
	Tape    string // which the first entry of its file names if that is too long for the file's name; "" for another file
	Next    uint64
	Now     string
	Longest int // bytes of a line
}

// Line encodes the next entry, and turns it into the entry that a reader will read.
func (n *Numbering) Line(e *entry.Entry) ([]byte, error) {
	if n.Next > MaxID {
		return nil, fmt.Errorf("%s: no ids are left", n.Path)
	}
	if e.ID = int64(n.Next); e.Date == "" {
		e.Date = n.Now
	}
	line, err := e.Line()
	if err == nil && n.Next == Format.First && n.Tape != "" {
		line = names.Signed(n.Tape, line)
	}
	if err == nil && len(line) > n.Longest {
		err = entry.Invalid("%s: an entry of %d bytes, at most %d are allowed: store it as an artifact instead", e.Kind, len(line), n.Longest)
	}
	if err != nil {
		return nil, err
	}
	read, err := entry.Parse(line)
	if err != nil {
		return nil, err
	}
	*e = read[0]
	n.Next++
	return line, nil
}

// writer writes lines one by one.
type writer = func(add func(line []byte) error) error

// Signed is write for the file of a tape: its first line names the tape if the file's name is too short for that.
func Signed(tape string, write writer) writer {
	return func(add func(line []byte) error) error {
		begun := false
		return write(func(line []byte) error {
			if !begun {
				line, begun = names.Signed(tape, line), true
			}
			return add(line)
		})
	}
}
