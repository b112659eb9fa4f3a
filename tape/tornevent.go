package tape

import (
	"bytes"
	"io"
	"os"

	"handoff/internal/journal"
)

// tornEvent is the event of a handoff whose writer was killed, or lost its
// power, within the one write of anchor and event: the anchor is the last entry,
// and after it is the beginning of just the line that the event would have
// been. The next append writes the event.
//
// An anchor that is merely the last entry is left alone. Bub appends anchor and
// event one after the other, here over HTTP or in its own homes, and the event
// may be on its way. In files that are of no store nothing is completed.
//
// Several appends may be put together before any of them is written. Then the
// last entry on the disk is the same for all of them, and only the first,
// which has the number that comes next, completes the handoff; for the others
// done is true.
func (t *Tape) tornEvent(j *journal.Journal, next uint64) (event *Entry, done bool, err error) {
	if t.bare {
		return nil, false, nil
	}
	anchor, rec, err := lastAnchor(j)
	if anchor == nil || err != nil {
		return nil, false, err
	}
	whole := eventOf(*anchor)
	whole.ID, whole.Date = anchor.ID+1, anchor.Date
	torn, err := t.endsWithin(rec, whole)
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
	whole.Date = "" // that of now
	return &whole, done, nil
}

// lastAnchor is the last entry if that is an anchor, else nil.
func lastAnchor(j *journal.Journal) (*Entry, journal.Record, error) {
	none := journal.Record{}
	n, err := j.Len()
	if err != nil || n == 0 {
		return nil, none, err
	}
	pos, ok, err := lastOn(j, listAnchors)
	if err != nil || !ok || pos != lineFormat.First+n-1 {
		return nil, none, err
	}
	rec, err := j.Get(pos)
	if err != nil {
		return nil, none, err
	}
	entries, err := entriesOf(rec)
	if err != nil || len(entries) != 1 || entries[0].Kind != KindAnchor {
		return nil, none, err
	}
	return &entries[0], rec, nil
}

// completed is an anchor whose torn event was written again.
type completed struct {
	pos  uint64 // of the anchor
	next uint64 // the number of the event
}

// endsWithin reports whether the file has, after a record, the beginning of an
// entry's line and nothing else.
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
	text = trimEnd(text)
	return len(text) > 0 && len(text) < len(line) && bytes.HasPrefix(line, text), nil
}

// isEventOf reports whether an entry is the event that tells of a stored anchor.
func isEventOf(e, anchor Entry) bool {
	return anchor.Kind == KindAnchor && sameEvent(e, eventOf(anchor))
}

// sameEvent reports whether an entry is the event, whatever its id and date.
func sameEvent(e, event Entry) bool {
	e.ID, e.Date = event.ID, event.Date
	a, err := e.Line()
	if err != nil {
		return false
	}
	b, err := event.Line()
	return err == nil && bytes.Equal(a, b)
}
