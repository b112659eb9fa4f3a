package tape

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"

	"handoff/internal/journal"
)

// Mark says how far someone has read a tape: up to one entry, wherever that is
// kept now. Its zero value is the beginning.
type Mark struct {
	place
	digest string // of the entry's line
}

// digestDigits is how much of the SHA-256 a mark has, in hex: enough to tell a
// tape from what it was before a reset.
const digestDigits = 16

// Mark is the entry's; that of one that was not read is the beginning.
func (e Entry) Mark() Mark {
	if e.at.pos == 0 {
		return Mark{}
	}
	sum := sha256.Sum256([]byte(e.line))
	return Mark{e.at, hex.EncodeToString(sum[:])[:digestDigits]}
}

// String is the mark as a text that means nothing to others: 12-9f86d081884c7d65.
func (m Mark) String() string {
	s := strconv.FormatUint(m.pos, 10)
	if m.part > 0 {
		s += "." + strconv.Itoa(m.part)
	}
	return s + "-" + m.digest
}

// ParseMark reads what [Mark.String] has written; the error is
// handoff.ErrInvalid.
func ParseMark(text string) (m Mark, err error) {
	at, digest, _ := strings.Cut(text, "-")
	line, part, glued := strings.Cut(at, ".")
	if m.pos, err = strconv.ParseUint(line, 10, 64); err == nil && glued {
		m.part, err = strconv.Atoi(part)
	}
	if m.digest = digest; err != nil || len(digest) != digestDigits || m.String() != text || m.pos == 0 {
		return Mark{}, invalid("%s is not a position on a tape", clip(text))
	}
	return m, nil
}

// errElsewhere: the entry of a mark does not stand in this file.
var errElsewhere = errors.New("the entry is in another file")

// in finds the line of the mark in a file, and what is glued behind its entry.
func (m Mark) in(j records) (rec journal.Record, rest []Entry, err error) {
	rec, err = j.Get(m.pos)
	if errors.Is(err, journal.ErrNoRecord) {
		err = errElsewhere
	}
	var entries []Entry
	if err == nil {
		entries, err = entriesOf(rec)
	}
	if err != nil {
		return rec, nil, err
	}
	if m.part >= len(entries) || entries[m.part].Mark() != m {
		return rec, nil, errElsewhere
	}
	return rec, entries[m.part+1:], nil
}

// marked is where the entry of a mark stands.
func (v *view) marked(m Mark) (*spot, error) {
	for i, seg := range v.segments {
		if m.pos < seg.first || m.pos > seg.last {
			continue
		}
		_, _, err := m.in(seg.j)
		if err == nil {
			return &spot{i, m.place}, nil
		}
		if !errors.Is(err, errElsewhere) {
			return nil, err
		}
	}
	return nil, errElsewhere
}

// mark is that of the entry at a spot.
func (v *view) mark(at spot) (Mark, error) {
	entries, err := v.at(at.segment, at.pos)
	if err != nil {
		return Mark{}, err
	}
	return entries[at.part].Mark(), nil
}
