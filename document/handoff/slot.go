package handoff

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Slot is the place of a document in the order of its task: a second and, if many
// documents were written at once, hundredths that count them. Readers take the second
// for the time; the hundredths only order the documents of that second.
type Slot struct {
	At    time.Time // a whole second, in UTC
	Count int       // 1 to [MaxCount]; 0 for a name with only a second
}

// MaxCount is the largest Count, so that it always has two digits.
const MaxCount = 99

// slotsAhead is how far in the future a new slot may be. Two documents of one second,
// the usual case, still get names that every reader of the schema understands.
const slotsAhead = 2 * time.Second

// ErrCrowded reports that all slots that a new document may have now are taken.
var ErrCrowded = errors.New("all file names of this second are taken: try again")

// SlotAt is the first slot of a time.
func SlotAt(t time.Time) Slot { return Slot{At: t.UTC().Truncate(time.Second)} }

// Compare orders slots.
func (s Slot) Compare(o Slot) int {
	return cmp.Or(s.At.Compare(o.At), cmp.Compare(s.Count, o.Count))
}

// Near reports whether a document in the slot may have been written now. Later slots were
// not chosen by the clock, and do not matter for new ones.
func (s Slot) Near(now time.Time) bool {
	first := SlotAt(now).At
	return !s.At.Before(first) && !s.At.After(first.Add(slotsAhead))
}

// Next is the slot of a document that is written now, after those that are taken; last is
// the last one that is near. A second either has one slot without hundredths or only
// slots with them, so that names sort the same as text. [ErrCrowded] lasts a second at
// most.
func (last Slot) Next(now time.Time) (Slot, error) {
	first := SlotAt(now).At
	limit := first.Add(slotsAhead)
	switch {
	case last.At.Before(first):
		return Slot{At: first}, nil
	case last.At.Equal(first):
		return Slot{At: first.Add(time.Second)}, nil
	case last.Count > 0 && last.Count < MaxCount, last.Count == 0 && last.At.Equal(limit):
		return Slot{last.At, last.Count + 1}, nil
	case last.At.Before(limit):
		return Slot{limit, 1}, nil
	}
	return last, ErrCrowded
}

// LastSlot is the last slot in the names of a task's documents that is near, whatever
// their phase and form: two phases do not end in one second.
func LastSlot(names []string, now time.Time) (last Slot) {
	for at, n := SlotAt(now).At.Add(slotsAhead), slotsAhead; n >= 0; at, n = at.Add(-time.Second), n-time.Second {
		stamp, found := strings.TrimSuffix(at.Format(Stamp), "Z"), false
		for _, name := range names {
			if _, after, ok := strings.Cut(name, stamp); ok {
				count, _ := CutCount(after)
				last, found = Slot{at, max(last.Count, count)}, true
			}
		}
		if found {
			return last
		}
	}
	return last
}

// CutCount reads the hundredths after a second in a name, ".02"; 0 and the whole text if
// there are none.
func CutCount(s string) (count int, rest string) {
	if len(s) < 3 || s[0] != '.' || digits(s[1:]) != 2 {
		return 0, s
	}
	if count = int(s[1]-'0')*10 + int(s[2]-'0'); count == 0 {
		return 0, s
	}
	return count, s[3:]
}

// Hundredths is how names have the Count: ".02", or nothing.
func (s Slot) Hundredths() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf(".%02d", s.Count)
}

// Base is the file name of a document in the slot. [BaseFor] is that of one without
// hundredths.
func (s Slot) Base(phase int) string {
	stamp := strings.TrimSuffix(s.At.UTC().Format(Stamp), "Z") + s.Hundredths() + "Z"
	return fmt.Sprintf("phase-%d-handoff-%s.md", phase, stamp)
}
