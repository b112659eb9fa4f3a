package journal

import (
	"bytes"
	"errors"
	"fmt"
)

// walk goes through the records of a journal from some place on, and holds
// them to the format.
type walk struct {
	lines
	path   string
	format *Format
	pos    uint64 // of the next record
	line   int64  // lines before the next one
	passed func(line int64, l line, err error)
}

// step is one record as a walk finds it.
type step struct {
	line
	facts Facts
	pos   uint64
}

func (s step) record() Record {
	return Record{Pos: s.pos, Number: s.facts.Number, Offset: s.start, Line: s.text}
}

// read returns the next record. ok is false at the end, and before a torn
// tail: what is there is no record, and becomes one or goes away.
//
// A tolerant journal's last line may lack its line end and be sound: it comes
// as a fragment, and comes again if read is called once more.
func (w *walk) read() (s step, ok bool, err error) {
	for {
		l, ok, err := w.lines.read()
		if err != nil {
			return step{}, false, fmt.Errorf("%s: %w", w.path, err)
		}
		if !ok || l.fragment && !w.format.Tolerant {
			return step{}, false, nil
		}
		facts, err := readFacts(w.format, l, w.pos)
		if err == nil {
			s := step{l, facts, w.pos}
			if !l.fragment {
				w.line++
				w.pos++
			}
			return s, true, nil
		}
		if done, err := w.unreadable(l, err); done {
			return step{}, false, err
		}
	}
}

// unreadable decides what to do about a line that is no record: go on after
// it, or stop there, with an error or without.
func (w *walk) unreadable(l line, err error) (stop bool, damage error) {
	switch {
	case l.fragment:
		return true, nil
	case w.format.Tolerant:
		w.line++
		if w.passed != nil && (l.tooLong || len(bytes.TrimSpace(l.text)) > 0) {
			w.passed(w.line, l, err)
		}
		return false, nil
	case l.end == w.size && looksTorn(err):
		w.lines.next, w.lines.chunk = l.start, nil
		return true, nil
	}
	w.lines.next, w.lines.chunk = l.start, nil
	return true, &DamageError{Path: w.path, Line: w.line + 1, Offset: l.start, Err: err}
}

// misnumberedError is the one fault of a strict journal's line that no torn
// write can have made.
type misnumberedError struct{ number, expected uint64 }

func (e *misnumberedError) Error() string {
	return fmt.Sprintf("the record has number %d, expected %d", e.number, e.expected)
}

// looksTorn says whether a strict journal's last line may be so wrong because
// its writing was cut off: a power failure can leave anything before a line end.
func looksTorn(err error) bool { return !errors.As(err, new(*misnumberedError)) }

// readFacts reads a line at a position.
func readFacts(format *Format, l line, pos uint64) (Facts, error) {
	facts, err := factsOf(format, l)
	switch {
	case err != nil:
		return Facts{}, err
	case facts.Number == Unnumbered && format.Tolerant:
		facts.Number = pos
	case facts.Number != pos && !format.Tolerant:
		return Facts{}, &misnumberedError{facts.Number, pos}
	}
	return facts, nil
}

func factsOf(format *Format, l line) (Facts, error) {
	if l.tooLong {
		return Facts{}, &lineTooLongError{l.end - l.start, mostBytes}
	}
	return format.Read(l.text)
}
