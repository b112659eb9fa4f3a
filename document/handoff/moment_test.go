package handoff

import (
	"testing"
	"time"
)

// TestMoment formats the times of names as in the names, and checks the range
// of times that each can mean.
func TestMoment(t *testing.T) {
	for _, c := range []struct{ base, want, earliest, latest string }{
		{"phase-3-handoff-20260212T143022Z.md", "2026-02-12T14:30:22Z", "2026-02-12T14:30:22Z", "2026-02-12T14:30:22Z"},
		{"phase-3-handoff-20260212T143022.md", "2026-02-12T14:30:22", "2026-02-12T00:30:22Z", "2026-02-13T02:30:22Z"},
		{"phase-3-handoff-20260212143022.md", "2026-02-12T14:30:22", "2026-02-12T00:30:22Z", "2026-02-13T02:30:22Z"},
		{"phase-3-handoff-20260212T1430.md", "2026-02-12T14:30", "2026-02-12T00:30:00Z", "2026-02-13T02:30:59Z"},
		{"phase-3-handoff-20260212T1430Z.md", "2026-02-12T14:30Z", "2026-02-12T14:30:00Z", "2026-02-12T14:30:59Z"},
		{"phase-3-handoff-1770906622.md", "2026-02-12T14:30:22Z", "2026-02-12T14:30:22Z", "2026-02-12T14:30:22Z"},
		{"phase-3-handoff-20260212.md", "2026-02-12", "2026-02-11T10:00:00Z", "2026-02-13T11:59:59Z"},
		{"phase-3-handoff-20260212-v2Z.md", "2026-02-12", "2026-02-11T10:00:00Z", "2026-02-13T11:59:59Z"},
	} {
		m, ok := ParseName(c.base).Moment()
		if got := m.String(); !ok || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.base, got, ok, c.want)
		}
		if got := m.Earliest().Format(time.RFC3339); got != c.earliest {
			t.Errorf("%s: earliest %s, want %s", c.base, got, c.earliest)
		}
		if got := m.Latest().Format(time.RFC3339); got != c.latest {
			t.Errorf("%s: latest %s, want %s", c.base, got, c.latest)
		}
	}
	if _, ok := ParseName("phase-3-handoff.md").Moment(); ok {
		t.Error("a name without a time has a moment")
	}
}

// TestMomentText: a time is read as it was written, with its precision.
func TestMomentText(t *testing.T) {
	for _, text := range []string{"2026-02-12T14:30:22Z", "2026-02-12T14:30:22", "2026-02-12T14:30", "2026-02-12", "2026-02-12Z"} {
		var m Moment
		if err := m.UnmarshalText([]byte(text)); err != nil || m.String() != text {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "2026", "2026-02-30", "2026-02-12T14:30:22.5", "2026-02-12T14:30:22+01:00", "soon"} {
		if err := new(Moment).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is a time", text)
		}
	}
}
