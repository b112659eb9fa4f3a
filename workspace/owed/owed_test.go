package owed_test

import (
	"slices"
	"testing"

	"handoff/log/receipt"
	"handoff/workspace/owed"
)

func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		facts owed.Facts
		want  owed.Standing
	}{
		"it works":                                     {owed.Facts{State: receipt.Claimed}, owed.Working},
		"its context runs low":                         {owed.Facts{State: receipt.Claimed, Low: true}, owed.Owing},
		"without a handoff, too":                       {owed.Facts{Low: true}, owed.Owing},
		"it stopped and said nothing":                  {owed.Facts{State: receipt.Claimed, Over: true}, owed.Owing},
		"an objective, and it ended by itself":         {owed.Facts{Over: true}, owed.Owing},
		"an objective, and it failed":                  {owed.Facts{Over: true, Low: true}, owed.Owing},
		"it said done":                                 {owed.Facts{State: receipt.Done, Low: true}, owed.Finished},
		"it said done, and obeyed a hook":              {owed.Facts{State: receipt.Done, Low: true, Written: true, Over: true}, owed.Finished},
		"it said done, and the handoff has errors":     {owed.Facts{State: receipt.Done, Written: true, Faulty: true, Over: true}, owed.Finished},
		"it wrote a handoff":                           {owed.Facts{State: receipt.Superseded, Written: true, Low: true, Over: true}, owed.HandedOver},
		"one that nobody linked":                       {owed.Facts{State: receipt.Claimed, Written: true, Low: true, Over: true}, owed.HandedOver},
		"with errors":                                  {owed.Facts{State: receipt.Claimed, Written: true, Faulty: true}, owed.Faulty},
		"it gave the handoff back":                     {owed.Facts{State: receipt.Released, Low: true, Over: true}, owed.Returned},
		"it wrote a handoff and gave the old one back": {owed.Facts{State: receipt.Released, Written: true, Over: true}, owed.HandedOver},
		"somebody has taken it over":                   {owed.Facts{State: receipt.Done, Lost: true, Written: true, Over: true}, owed.Lost},
	} {
		if got := owed.Of(c.facts); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestNeverAsked walks all facts: nobody asks for a handoff of work that is done, lost or handed
// over, and each session that cannot finish its work is asked.
func TestNeverAsked(t *testing.T) {
	for _, state := range append(slices.Clone(receipt.States), "") {
		for bits := range 32 {
			is := func(n int) bool { return bits>>n&1 == 1 }
			f := owed.Facts{State: state, Lost: is(0), Written: is(1), Faulty: is(2), Low: is(3), Over: is(4)}
			s := owed.Of(f)
			if s.Owes() && (f.Lost || state == receipt.Done || f.Written && !f.Faulty) {
				t.Errorf("%+v: %s", f, s)
			}
			if !s.Owes() && f.Low && !f.Lost && !f.Written && state != receipt.Done && state != receipt.Released {
				t.Errorf("%+v: %s, and cannot finish", f, s)
			}
			if s.Finished() != (s == owed.Finished) || s.Lost() != f.Lost || s.Settled() && s.Owes() {
				t.Errorf("%+v: %s", f, s)
			}
		}
	}
}
