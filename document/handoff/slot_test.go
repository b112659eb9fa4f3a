package handoff

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// TestSlots writes 50 documents a second for some seconds, and more than there are names
// in one. Their names are in the order of writing, by their times and as text, none is
// two seconds ahead, and each is a name that lint accepts.
func TestSlots(t *testing.T) {
	now := time.Date(2026, 2, 12, 14, 30, 58, 0, time.UTC)
	var names []string
	write := func() error {
		s, err := LastSlot(names, now).Next(now)
		if err != nil {
			return err
		}
		if ahead := s.At.Sub(now); ahead > slotsAhead {
			t.Errorf("%s is %v ahead", s.Base(3), ahead)
		}
		n := ParseName(s.Base(3))
		if n.Class != Canonical || n.Slot() != s || n.Phase != 3 || !n.Zoned() {
			t.Errorf("%s reads as %+v", s.Base(3), n)
		}
		names = append(names, s.Base(3))
		return nil
	}
	for range 200 {
		if err := write(); err != nil {
			t.Fatal(err)
		}
		now = now.Add(20 * time.Millisecond)
	}
	now = now.Add(time.Minute)
	for range 2 + MaxCount {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	if err := write(); !errors.Is(err, ErrCrowded) {
		t.Errorf("a second with all names taken: %v", err)
	}
	now = now.Add(time.Second)
	if err := write(); err != nil {
		t.Errorf("the next second: %v", err)
	}
	if !slices.IsSorted(names) || !slices.IsSortedFunc(names, func(a, b string) int { return ParseName(a).Compare(ParseName(b)) }) {
		t.Errorf("not in order: %q", names)
	}
	for i := range names[1:] {
		a, b := WrittenBy(ParseName(names[i]), nil), WrittenBy(ParseName(names[i+1]), nil)
		if a.Compare(b) != Older || b.Compare(a) != Newer {
			t.Errorf("%s is not older than %s", names[i], names[i+1])
		}
	}
}

// TestLastSlot finds the time in names of any phase and form, and ignores other times.
func TestLastSlot(t *testing.T) {
	now := time.Date(2026, 2, 12, 14, 30, 22, 999, time.UTC)
	second := now.Truncate(time.Second)
	for _, c := range []struct {
		name string
		want Slot
	}{
		{"phase-3-handoff-20260212T143022Z.md", Slot{second, 0}},
		{"phase-3-handoff-20260212T143024.17Z.md", Slot{second.Add(2 * time.Second), 17}},
		{"phase-5-completion-handoff-20260212T143023Z-v2.md", Slot{second.Add(time.Second), 0}},
		{"phase-3-handoff-20260212T143021Z.md", Slot{}},
		{"phase-3-handoff-20260212T143025Z.md", Slot{}},
		{"phase-3-handoff.md", Slot{}},
	} {
		if got := LastSlot([]string{"01_notes.md", c.name}, now); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
