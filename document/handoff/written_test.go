package handoff_test

import (
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/parse"
)

// TestWrittenOrder orders documents by their names.
func TestWrittenOrder(t *testing.T) {
	const newer, unordered = handoff.Newer, handoff.Unordered
	for _, tt := range []struct {
		a, b string
		want handoff.Order // of a to b
	}{
		{"phase-3-handoff-20260213T000000Z.md", "phase-4-handoff-20260212T235959Z.md", newer},
		{"phase-4-handoff-20260212T143022Z.md", "phase-3-handoff-20260212T143022Z.md", newer},
		{"phase-4-handoff-20260212T143022.md", "phase-3-handoff-20260212T143022.md", newer},
		{"phase-4-handoff-20260212T000000Z.md", "phase-3-handoff-20260212T000000Z.md", unordered}, // only a date
		{"phase-4-handoff-20260212T143022Z.md", "phase-3-handoff-20260212T143022.md", unordered},
		{"phase-3-handoff-20260318.md", "phase-1-handoff-20260317015115.md", newer},
		{"phase-4-handoff-20260317.md", "phase-1-handoff-20260317015115.md", unordered},
		{"phase-4-handoff-20260317.md", "phase-1-handoff-20260317.md", unordered},
		{"phase-1-handoff-1785000005.md", "phase-1-handoff-20260725T172004Z.md", newer},
		{"phase-1-handoff-20260317-030000.md", "phase-1-handoff-20260317015115.md", newer},
		{"phase-1-handoff-20260317-030000.md", "phase-1-handoff-20260317T015115Z.md", unordered},
		{"phase-1-handoff-20260811T0801.md", "phase-1-handoff-20260811T0800.md", newer},
		{"phase-1-handoff-20260227-v2.md", "phase-1-handoff-20260227.md", newer},
		{"phase-1-handoff-20260227-v10.md", "phase-1-handoff-20260227-v2.md", newer},
		{"phase-1-handoff-20260227-v2.md", "phase-2-handoff-20260227.md", unordered},
		{"phase-1-handoff-20260228.md", "phase-1-handoff-20260227-v2.md", newer},
		{"phase-1-handoff-20260227-2.md", "phase-1-handoff-20260227.md", newer},
		{"phase-1-handoff-20260227-3.md", "phase-1-handoff-20260227-2.md", newer},
		{"phase-1-handoff-20260227-002.md", "phase-1-handoff-20260227-001.md", newer},
		{"phase-1-handoff-20260227-001.md", "phase-1-handoff-20260227.md", unordered},
		{"phase-1-handoff-20260227-iter3.md", "phase-1-handoff-20260227-iter2.md", newer},
		{"phase-1-handoff-20260227-iter3.md", "phase-1-handoff-20260227-v2.md", unordered},
		{"phase-1-handoff-20260227c.md", "phase-1-handoff-20260227b.md", newer},
		{"phase-1-handoff-20260227b.md", "phase-1-handoff-20260227.md", newer},
		{"phase-1-handoff-20260227f.md", "phase-1-handoff-20260227.md", unordered}, // written first, in a real task
		{"phase-1-handoff-20260227v10.md", "phase-1-handoff-20260227v2.md", newer},
		{"phase-1-handoff-20260227_.md", "phase-1-handoff-20260227a.md", unordered},
		{"02_phase1-termination.md", "01_phase1-partial.md", unordered}, // the counter restarted
		{"phase-6-handoff.md", "phase-5-handoff-20260227.md", unordered},
		{"phase-1-handoff-20260227-.md", "phase-1-handoff-20260227-x.md", unordered},
	} {
		a, b := handoff.WrittenBy(handoff.ParseName(tt.a), nil), handoff.WrittenBy(handoff.ParseName(tt.b), nil)
		if got := a.Compare(b); got != tt.want {
			t.Errorf("%s to %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
		if got := b.Compare(a); got != -tt.want {
			t.Errorf("%s to %s: %d, want %d", tt.b, tt.a, got, -tt.want)
		}
	}
}

// TestWrittenAt takes the most exact time that a document gives.
func TestWrittenAt(t *testing.T) {
	const date, clock = "phase-3-handoff-20260212.md", "phase-3-handoff-20260212T143022Z.md"
	for _, tt := range []struct {
		name, text string
		from, to   string
	}{
		{clock, "# Handoff\n\n**Timestamp**: 2026-02-12T20:00:00Z\n", "2026-02-12T14:30:22Z", "2026-02-12T14:30:23Z"},
		{date, "# Handoff\n", "2026-02-12T00:00:00Z", "2026-02-13T00:00:00Z"},
		{date, "# Handoff\n\n**Timestamp**: `2026-02-12T20:00:00Z`\n", "2026-02-12T20:00:00Z", "2026-02-12T20:00:01Z"},
		{date, "# Handoff\n\n- **Created**: 2026-02-12 20:00 UTC\n", "2026-02-12T20:00:00Z", "2026-02-12T20:01:00Z"},
		{date, "# Phase 3 Handoff - 20260212T200000Z\n", "2026-02-12T20:00:00Z", "2026-02-12T20:00:01Z"},
		{date, "# Handoff\n\n**Date**: 2026-02-12\n", "2026-02-12T00:00:00Z", "2026-02-13T00:00:00Z"},
		{date, "# Handoff\n\n**Date**: soon\n", "2026-02-12T00:00:00Z", "2026-02-13T00:00:00Z"},
		{date, "# Handoff\n\n**Timestamp**: 2026-02-20T20:00:00Z\n", "2026-02-11T10:00:00Z", "2026-02-20T20:00:01Z"}, // one of them is wrong
		{date, "---\ndate: 2026-02-12T20:00:00+02:00\n---\n# Handoff\n", "2026-02-12T18:00:00Z", "2026-02-12T18:00:01Z"},
		{date, "---\ntopic: x\ndate: soon\ncreated: \"2026-02-12T20:00:00Z\"\n---\n# Handoff\n", "2026-02-12T20:00:00Z", "2026-02-12T20:00:01Z"},
		{"01_partial.md", "# Handoff\n\n**Timestamp**: 2026-02-12T20:00:00Z\n", "2026-02-12T20:00:00Z", "2026-02-12T20:00:01Z"},
		{"phase-prereq-handoff-20260212T143022Z.md", "# Handoff\n", "2026-02-12T00:00:00Z", "2026-02-13T00:00:00Z"},
	} {
		at := handoff.WrittenBy(handoff.ParseName(tt.name), parse.Document([]byte(tt.text))).At
		if from, to := at.Time.Format(time.RFC3339), at.Time.Add(at.Unit).Format(time.RFC3339); from != tt.from || to != tt.to {
			t.Errorf("%s, %q: %s to %s, want %s to %s", tt.name, tt.text, from, to, tt.from, tt.to)
		}
	}
}

// A clock in a name gets the zone that the document states, unless they contradict each other.
func TestWrittenClock(t *testing.T) {
	const local, zoned = "phase-3-handoff-20260212T143022.md", "phase-3-handoff-20260212T143022Z.md"
	for _, tt := range []struct{ name, date, want string }{
		{local, "2026-02-12T14:30:22+02:00", "2026-02-12T12:30:22Z"},
		{local, "2026-02-12T14:30:22", "2026-02-12T14:30:22"},
		{local, "2026-02-12", "2026-02-12T14:30:22"},
		{local, "2026-03-01T14:30:22Z", "2026-02-12T14:30:22"},
		{zoned, "2026-02-12T15:00:00Z", "2026-02-12T14:30:22Z"},
		{"phase-3-handoff-20260212.md", "2026-02-12T15:00:00Z", "2026-02-12T15:00:00Z"},
	} {
		doc := parse.Document([]byte("---\ndate: " + tt.date + "\n---\n# Handoff\n"))
		if got := handoff.WrittenBy(handoff.ParseName(tt.name), doc).Clock().String(); got != tt.want {
			t.Errorf("%s, date %s: %s, want %s", tt.name, tt.date, got, tt.want)
		}
	}
}

func TestComparePhase(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want handoff.Order
	}{
		{"10", "2", handoff.Newer},
		{"3B", "3A", handoff.Newer},
		{"5A", "3B", handoff.Newer},
		{"6a", "6", handoff.Unordered},
		{"4", "2-3", handoff.Newer},
		{"3", "2-3", handoff.Unordered},
		{"E", "B", handoff.Newer},
		{"B", "3", handoff.Unordered},
		{"prereq", "3", handoff.Unordered},
	} {
		name := func(phase string) handoff.Name { return handoff.ParseName("phase-" + phase + "-handoff-20260212.md") }
		if got := name(tt.a).ComparePhase(name(tt.b)); got != tt.want {
			t.Errorf("%s to %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
