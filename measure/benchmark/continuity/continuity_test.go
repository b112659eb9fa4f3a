package continuity_test

import (
	"math"
	"strings"
	"testing"

	"handoff/measure/benchmark/continuity"
)

// TestPoints: all right statements get all points, none get none, and the wrong ones too
// get fewer than the right ones alone.
func TestPoints(t *testing.T) {
	s, err := continuity.Load()
	if err != nil || len(s.Cases) != 3 {
		t.Fatal(len(s.Cases), err)
	}
	for _, c := range s.Cases {
		var right, all strings.Builder
		for field, list := range c.Candidates {
			for _, st := range list {
				all.WriteString(st.Text + "\n")
				for _, id := range c.Expected[field] {
					if id == st.ID {
						right.WriteString(st.Text + "\n")
					}
				}
			}
		}
		if got := s.Points(c, right.String()); got < 95 { // some wrong statements have nearly the same words
			t.Errorf("%s: %v points for the answer", c.ID, got)
		}
		if got := s.Points(c, ""); got != 0 {
			t.Errorf("%s: %v points for nothing", c.ID, got)
		}
		if everything := s.Points(c, all.String()); everything >= 95 || math.IsNaN(everything) {
			t.Errorf("%s: %v points for all statements", c.ID, everything)
		}
	}
}

// TestParts: nothing of a case's handoff is lost on the way into our document.
func TestParts(t *testing.T) {
	table, err := continuity.Measure()
	if err != nil {
		t.Fatal(err)
	}
	points := map[string]int{}
	for _, r := range table.Rows {
		points[r.Name] = r.Cells[0].N
	}
	theirs, ours := points["the dataset's structured handoff"], points["the same as our document"]
	if theirs == 0 || ours < theirs-5 {
		t.Errorf("%d points for the handoff, %d for our document", theirs, ours)
	}
}
