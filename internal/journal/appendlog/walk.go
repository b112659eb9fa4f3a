package appendlog

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// Place is how far a log was read.
type Place struct {
	Guard   Guard
	Lines   int64  // before it
	Records uint64 // before it
}

// Walk reads the records of a log one by one and checks them against the
// format.
type Walk struct {
	// First, if not 0, is how many bytes to read at first.
	First int64
	// Reuse allows the walk to reuse its buffer, because the caller keeps no line.
	Reuse bool
	// Skipped, if not nil, is called for each line of a tolerant log that cannot
	// be read and is not blank.
	Skipped func(line, offset int64)

	lines   lines
	file    *File
	path    string
	format  *Format
	records uint64 // before the next one
	line    int64  // lines before the next one
}

// Step is one record as a walk finds it.
type Step struct {
	Record
	Facts    Facts
	End      int64 // offset after its newline
	Fragment bool  // the last line, which has no newline
}

// Walk reads a file from an offset up to a size; so many records and lines are
// before the offset.
func (l *Log) Walk(f *File, offset, size int64, records uint64, line int64) *Walk {
	return &Walk{lines: lines{file: f, next: offset, size: size}, file: f, path: l.path, format: &l.format, records: records, line: line}
}

// Next is the offset of the next line.
func (w *Walk) Next() int64 { return w.lines.next }

// Place is how far the walk has come.
func (w *Walk) Place() (Place, error) {
	g, err := GuardAt(w.file, w.lines.next)
	return Place{g, w.line, w.records}, err
}

// Read returns the next record. ok is false at the end, and before a torn last
// line, which is not a record: it will be completed or removed.
//
// A tolerant log's last line may have no newline and be valid: it is returned
// as a fragment, and again if Read is called once more.
func (w *Walk) Read() (s Step, ok bool, err error) {
	w.lines.first, w.lines.reuse, w.First = w.First, w.Reuse, 0
	for {
		l, ok, err := w.lines.read()
		if err != nil {
			return Step{}, false, fmt.Errorf("%s: %w", w.path, err)
		}
		if !ok || l.fragment && !w.format.Tolerant {
			return Step{}, false, nil
		}
		pos := w.format.First + w.records
		facts, err := w.format.readAt(l, pos)
		if err == nil {
			if !l.fragment {
				w.line++
				w.records++
			}
			return Step{Record{pos, facts.Number, l.start, l.text}, facts, l.end, l.fragment}, true, nil
		}
		if done, err := w.unreadable(l, err); done {
			return Step{}, false, err
		}
	}
}

// unreadable decides what to do with a line that is not a record: skip it, or
// stop there, with an error or without.
func (w *Walk) unreadable(l line, err error) (stop bool, damage error) {
	switch {
	case l.fragment:
		return true, nil
	case w.format.Tolerant:
		w.line++
		if w.Skipped != nil && (l.tooLong || len(bytes.TrimSpace(l.text)) > 0) {
			w.Skipped(w.line, l.start)
		}
		return false, nil
	}
	w.lines.next, w.lines.chunk = l.start, nil
	if l.end == w.lines.size && w.format.looksTorn(l, err) {
		return true, nil
	}
	return true, &DamageError{Path: w.path, Line: w.line + 1, Offset: l.start, Err: err, Repair: w.format.Repair}
}

// StartsLine reports whether a line of a tolerant log starts at the offset. In a
// strict log the record's number has proved it.
func (w *Walk) StartsLine(offset int64) bool {
	if !w.format.Tolerant || offset == 0 {
		return true
	}
	var b [1]byte
	_, err := w.file.ReadAt(b[:], offset-1)
	return err == nil && b[0] == '\n'
}

// readAt reads the line at a position.
func (f *Format) readAt(l line, pos uint64) (Facts, error) {
	facts, err := f.factsOf(l)
	switch {
	case err != nil:
		return Facts{}, err
	case facts.Number == Unnumbered && f.Tolerant:
		facts.Number = pos
	case facts.Number != pos && !f.Tolerant:
		return Facts{}, &misnumberedError{facts.Number, pos}
	}
	return facts, nil
}

func (f *Format) factsOf(l line) (Facts, error) {
	if l.tooLong {
		return Facts{}, &lineTooLongError{l.end - l.start, mostBytes}
	}
	if !f.AnyBytes && !utf8.Valid(l.text) {
		return Facts{}, errNotUTF8
	}
	return f.Read(l.text)
}
