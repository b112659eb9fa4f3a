package handoff_test

import (
	"testing"
	"time"

	"handoff/document/handoff"
)

func TestParseMoment(t *testing.T) {
	const minute, day = time.Minute, handoff.Day
	for text, want := range map[string]struct {
		from  string
		exact time.Duration
		zoned bool
	}{
		"2026-02-12T14:30:22Z":           {"2026-02-12T14:30:22Z", time.Second, true},
		"2026-02-12T14:30:22.5Z":         {"2026-02-12T14:30:22.5Z", time.Second, true},
		"2026-02-12T14:30:22-07:00":      {"2026-02-12T21:30:22Z", time.Second, true},
		"2026-02-12T14:30Z":              {"2026-02-12T14:30:00Z", minute, true},
		"2026-02-12T14:30:22":            {"2026-02-12T14:30:22Z", time.Second, false},
		"2026-02-12 14:30":               {"2026-02-12T14:30:00Z", minute, false},
		"2026-02-12 14:30 UTC":           {"2026-02-12T14:30:00Z", minute, true},
		"2026-02-12 14:30:22 (evening)":  {"2026-02-12T14:30:22Z", time.Second, false},
		"2026-02-12":                     {"2026-02-12T00:00:00Z", day, false},
		"2026-02-12, late":               {"2026-02-12T00:00:00Z", day, false},
		"20260212T143022Z":               {"2026-02-12T14:30:22Z", time.Second, true},
		"20260317015115":                 {"2026-03-17T01:51:15Z", time.Second, false},
		"20260212":                       {"2026-02-12T00:00:00Z", day, false},
		"2026-02-12T00:00:00Z":           {"2026-02-12T00:00:00Z", day, false}, // midnight means that only the date is known
		"2026-02-12T00:00:00+01:00 (ok)": {"2026-02-12T00:00:00Z", day, false},
		"":                               {},
		"yesterday":                      {},
		"14:30":                          {},
		"2026-13-40":                     {},
	} {
		m := handoff.ParseMoment(text)
		if want.exact == 0 {
			if m.Known() {
				t.Errorf("%q: %+v, want nothing", text, m)
			}
			continue
		}
		if from := m.Time.Format(time.RFC3339Nano); from != want.from || m.Unit != want.exact || m.Zoned != want.zoned {
			t.Errorf("%q: from %s for %s, zoned %t", text, from, m.Unit, m.Zoned)
		}
	}
}

func TestFindMoment(t *testing.T) {
	const minute, day = time.Minute, handoff.Day
	for text, want := range map[string]struct {
		found, from string
		exact       time.Duration
		zoned       bool
	}{
		"Phase 3 Handoff - 20260212T143022Z":      {"20260212T143022Z", "2026-02-12T14:30:22Z", time.Second, true},
		"at 2026-02-12T14:30:22.25+01:00, late":   {"2026-02-12T14:30:22.25+01:00", "2026-02-12T13:30:22.25Z", time.Second, true},
		"at 2026-02-12T14:30:22-0730":             {"2026-02-12T14:30:22-0730", "2026-02-12T22:00:22Z", time.Second, true},
		"20260601-093032 and 20260602":            {"20260601-093032", "2026-06-01T09:30:32Z", time.Second, false},
		"20260601_0930.":                          {"20260601_0930", "2026-06-01T09:30:00Z", minute, false},
		"2026-02-12 14:30 UTC":                    {"2026-02-12 14:30 UTC", "2026-02-12T14:30:00Z", minute, true},
		"2026-02-12 1430 lines":                   {"2026-02-12", "2026-02-12T00:00:00Z", day, false},
		"20260212143022123":                       {"20260212143022123", "2026-02-12T14:30:22.123Z", time.Second, false},
		"from 2026-02-12T00:00:00Z":               {"2026-02-12T00:00:00Z", "2026-02-12T00:00:00Z", time.Second, true},
		"2099-12-31":                              {"2099-12-31", "2099-12-31T00:00:00Z", day, false},
		"2000-01-01":                              {"2000-01-01", "2000-01-01T00:00:00Z", day, false},
		"2100-01-01, 1999-12-31":                  {},
		"202602121":                               {},
		"2026-02-30, 2026-13-01":                  {},
		"2026-02-12T24:30 2026-02-12T23:59":       {"2026-02-12T23:59", "2026-02-12T23:59:00Z", minute, false},
		"2026-02-12T14:60 or 2026-02-12T14:59:60": {},
		"2026-0212":                               {},
		"no 12 dates 34":                          {},
	} {
		m, found := handoff.FindMoment(text)
		if found != want.found {
			t.Errorf("%q: found %q, want %q", text, found, want.found)
		} else if from := m.Time.Format(time.RFC3339Nano); found != "" && (from != want.from || m.Unit != want.exact || m.Zoned != want.zoned) {
			t.Errorf("%q: from %s for %s, zoned %t", text, from, m.Unit, m.Zoned)
		}
	}
}

func TestCompareMoments(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want handoff.Order
	}{
		{"2026-02-12T14:30:22Z", "2026-02-12T14:30:23Z", handoff.Older},
		{"2026-02-12T14:30:22Z", "2026-02-12T14:30:22Z", handoff.Unordered},
		{"2026-02-12T14:30Z", "2026-02-12T14:30:59Z", handoff.Unordered},
		{"2026-02-12T14:30Z", "2026-02-12T14:31:00Z", handoff.Older},
		{"2026-02-12", "2026-02-13", handoff.Older},
		{"2026-02-12", "2026-02-12T09:00:00", handoff.Unordered},
		{"2026-02-12", "2026-02-13T09:00:00", handoff.Older},
		{"2026-02-12T23:00:00", "2026-02-13T01:00:00", handoff.Older},      // the same clock
		{"2026-02-12T23:00:00", "2026-02-13T01:00:00Z", handoff.Unordered}, // whose clock?
		{"2026-02-12T23:00:00", "2026-02-13T12:00:00Z", handoff.Older},
		{"2026-02-12", "2026-02-13T09:00:00Z", handoff.Unordered},
		{"2026-02-12", "2026-02-13T13:00:00Z", handoff.Older},
		{"2026-02-12", "2026-02-11T09:00:00Z", handoff.Newer},
		{"", "2026-02-12", handoff.Unordered},
	} {
		a, b := handoff.ParseMoment(tt.a), handoff.ParseMoment(tt.b)
		if got := a.Compare(b); got != tt.want {
			t.Errorf("%q to %q: %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := b.Compare(a); got != -tt.want {
			t.Errorf("%q to %q: %d, want %d", tt.b, tt.a, got, -tt.want)
		}
	}
}
