package tape

import (
	"bytes"
	"io"
	"os"
	"slices"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
	"handoff/log/tape/view"
)

// The entries of one append are one write, but a kill or a power failure may keep only
// the first of them. This file finds the lost entries, so that the next write can add
// them.

// completed is an anchor whose lost event was appended again.
type completed struct {
	pos  uint64 // of the anchor
	next uint64 // the number of the event
}

// lostEvent is the event of a handoff whose write was interrupted after the
// anchor, nil if there is none: the last entry is an anchor, followed by the
// start of exactly the line of its event. The next append adds the event.
//
// Other anchors at the end are left alone: Bub appends anchor and event one
// after the other, so the event may still follow. The same holds for the copy
// of an anchor, which a merge completes, and for files outside a store.
//
// Several appends may be built before any of them is written. All of them see
// the same last entry, and only the first, whose number is the next one, adds
// the event; for the others done is true.
func (t *Tape) lostEvent(j *journal.Journal, next uint64) (event *Entry, done bool, err error) {
	if t.bare {
		return nil, false, nil
	}
	anchor, rec, err := lastAnchor(j)
	if anchor == nil || err != nil || anchor.IsCopy() {
		return nil, false, err
	}
	lost := anchor.Event()
	lost.ID, lost.Date = anchor.ID+1, anchor.Date
	torn, err := t.endsWithin(rec, lost)
	if err != nil || !torn {
		return nil, false, err
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	if c := t.store.completed[t.path]; c.pos == rec.Pos && next > c.next {
		done = true
	} else {
		t.store.completed[t.path] = completed{rec.Pos, next}
	}
	lost.Date = "" // the current one
	return &lost, done, nil
}

// lastAnchor is the last entry if it is an anchor, else nil.
func lastAnchor(j *journal.Journal) (*Entry, journal.Record, error) {
	rec, ok, err := j.Last()
	if err != nil || !ok || !bytes.Contains(rec.Line, []byte(`"anchor"`)) { // checked first, as every append does this
		return nil, rec, err
	}
	entries, err := view.EntriesOf(rec)
	if err != nil || len(entries) != 1 || entries[0].Kind != entry.KindAnchor {
		return nil, rec, err
	}
	return &entries[0], rec, nil
}

// endsWithin reports whether all that follows a record in the file is the start
// of an entry's line.
func (t *Tape) endsWithin(rec journal.Record, e Entry) (bool, error) {
	line, err := e.Line()
	if err != nil {
		return false, err
	}
	file, err := t.store.rootOf(t.path).OpenFile(t.path, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.NewSectionReader(file, rec.Offset+int64(len(rec.Line))+1, int64(len(line))+1))
	if err != nil {
		return false, err
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	return len(text) > 0 && len(text) < len(line) && bytes.HasPrefix(line, text), nil
}

// sameEvent reports whether an entry is the event, ignoring its id and date.
func sameEvent(e, event Entry) bool {
	event.Date = ""
	return e.Same(event)
}

// alreadyWritten is the first of some entries, if the tape ends with them: an
// interrupted write lost the others. j is nil if the tape does not exist.
func alreadyWritten(j *journal.Journal, entries []Entry) (written []Entry, err error) {
	if j == nil {
		return nil, nil
	}
	n, err := j.Len()
	if err != nil {
		return nil, err
	}
	end := view.Format.First + n // the last line may lack its line end
	for of, err := range view.Lines(j, end-min(n, uint64(len(entries)-1)), end) {
		if err != nil {
			return nil, err
		}
		written = append(written, of...)
	}
	for len(written) > 0 && !(len(written) < len(entries) && slices.EqualFunc(written, entries[:len(written)], Entry.Same)) {
		written = written[1:]
	}
	return written, nil
}

// tornBefore reports whether there is more than a line end between a record and
// the one before it: the rest of an interrupted write.
func tornBefore(r view.Records, pos uint64) bool {
	before, err := r.Get(pos - 1)
	if err != nil {
		return false
	}
	rec, err := r.Get(pos)
	return err == nil && rec.Offset > before.Offset+int64(len(before.Line))+1
}
