package handoff

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// PinnedSections are those whose items are pinned: a successor keeps them, or says why not.
// See package pinned.
var PinnedSections = [...]Kind{DeadEnds, Context}

// Moved is a line of a section that replaces items that did not fit on the screen:
// they are in an artifact.
//
//	And 7 more: `handoff chain 259` (artifact 3f2a…)
type Moved struct {
	Section Kind
	Count   int
	Blob    string // SHA-256 of the artifact, in hex
	Line    int
}

const (
	movedBegin = "And "
	movedMore  = " more: "
	movedBlob  = " (artifact "
)

// MovedLine is the line for items that were moved. command shows them.
func MovedLine(count int, command, blob string) string {
	return fmt.Sprintf("%s%d%s`%s`%s%s)", movedBegin, count, movedMore, command, movedBlob, blob)
}

// MovedFrom returns the lines of a document that replace moved items.
func MovedFrom(d *Document) (list []Moved) {
	if d == nil {
		return nil
	}
	for _, kind := range PinnedSections {
		for i := range d.Sections {
			s := &d.Sections[i]
			if s.Kind != kind || s.Body.First == 0 {
				continue
			}
			for n := s.Body.First; n <= s.Body.Last; n++ {
				if m, ok := movedIn(d.Line(n)); ok {
					m.Section, m.Line = kind, n
					list = append(list, m)
				}
			}
		}
	}
	return list
}

func movedIn(line string) (m Moved, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), movedBegin)
	count, rest, more := strings.Cut(rest, movedMore)
	_, rest, blob := strings.Cut(rest, movedBlob)
	m.Blob = strings.TrimSuffix(rest, ")")
	n, err := strconv.Atoi(count)
	_, bad := hex.DecodeString(m.Blob)
	if m.Count = n; !ok || !more || !blob || err != nil || n < 1 || bad != nil || len(m.Blob) != 2*sha256.Size || m.Blob == rest {
		return Moved{}, false
	}
	return m, true
}
