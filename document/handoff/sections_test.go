package handoff

import (
	"strings"
	"testing"

	"handoff/internal/text/nearest"
)

func TestKindOf(t *testing.T) {
	tests := []struct {
		heading string
		kind    Kind
		spell   Spelling
	}{
		{"Immediate Next Action", NextAction, Exact},
		{"Critical Context (max 5 items)", Context, Exact},
		{"Critical Context", Context, Bare},
		{"References", References, Bare},
		{"References (only when lost)", References, Misspelled},
		{"What Not to Try", DeadEnds, Misspelled},
		{"what NOT to try:", DeadEnds, Misspelled},
		{"Key Decisions", Decisions, Misspelled},
		{"Key Design Decisions", Decisions, Misspelled},
		{"Immediate Next Acton", NextAction, Misspelled},
		{"Immediate Next Steps", Other, Unknown},
		{"Curent State", CurrentState, Misspelled},
		{"Deviations from Plan", Deviations, Exact},
		{"What Was Done", Other, Unknown},
		{"Status", Other, Unknown},
		{"Completed Work", Other, Unknown},
		{"", Other, Unknown},
		{"(x)", Other, Unknown},
		{"()", Other, Unknown},
	}
	for _, tt := range tests {
		if k, s := KindOf(tt.heading); k != tt.kind || s != tt.spell {
			t.Errorf("%q: %v, spelling %d; want %v, %d", tt.heading, k, s, tt.kind, tt.spell)
		}
	}
}

// TestMayBeNear wants no heading left out that has the distance asked for.
func TestMayBeNear(t *testing.T) {
	for _, s := range Sections {
		name := s.Name()
		for i := range name {
			for _, off := range []string{name[:i] + name[i+1:], name[:i] + "ä" + name[i+1:], name[:i] + "xy" + name[i:]} {
				low := strings.ToLower(off)
				if near := nearest.Distance(low, strings.ToLower(name)) <= maxOff; near && !mayBeNear(low, name) {
					t.Errorf("%q is near %q", low, name)
				}
			}
		}
	}
}

func TestSectionsTable(t *testing.T) {
	for i, s := range Sections {
		if int(s.Kind) != i+1 || SpecOf(s.Kind).Heading != s.Heading {
			t.Errorf("row %d of the table is %v: SpecOf would not find it", i, s.Kind)
		}
	}
}

func TestDocumentLines(t *testing.T) {
	tests := []struct {
		src   string
		lines []string
	}{
		{"", nil},
		{"a", []string{"a"}},
		{"a\n", []string{"a"}},
		{"a\r\nb", []string{"a", "b"}},
		{"\n\na\n\n", []string{"", "", "a", ""}},
	}
	for _, tt := range tests {
		d := NewDocument(tt.src)
		if d.NumLines() != len(tt.lines) {
			t.Errorf("%q: %d lines, want %d", tt.src, d.NumLines(), len(tt.lines))
		}
		for i, want := range tt.lines {
			if got := d.Line(i + 1); got != want {
				t.Errorf("%q: line %d is %q, want %q", tt.src, i+1, got, want)
			}
			if at := d.LineAt(d.Offset(i + 1)); at != i+1 {
				t.Errorf("%q: the byte at the start of line %d is on line %d", tt.src, i+1, at)
			}
		}
		if d.Line(0) != "" || d.Line(len(tt.lines)+1) != "" {
			t.Errorf("%q: a line outside the document has text", tt.src)
		}
	}
	d := NewDocument("a\r\nbc\r\nd\r\n")
	if got := d.Text(Lines{1, 2}); got != "a\r\nbc" {
		t.Errorf("text of two lines: %q", got)
	}
}
