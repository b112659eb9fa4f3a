package documents

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
)

// foldOf is a folder with so many documents, the newest first, their receipts, and which of them supersede another one.
func foldOf(n int, r *rand.Rand, now time.Time) (entries []Entry, all []receipt.Life, continues map[string]bool) {
	continues = map[string]bool{}
	for i := range n {
		e := Entry{Path: fmt.Sprintf("notes/%d.md", i)}
		at := now.Add(-time.Duration(i) * time.Minute)
		e.When.At = handoff.Moment{Time: at.Truncate(time.Second), Unit: time.Second, Zoned: true}
		switch r.IntN(12) {
		case 0:
			e.When.At = handoff.Moment{}
		case 1:
			e.When.At = handoff.Moment{Time: at.Truncate(handoff.Day), Unit: handoff.Day}
		}
		var l receipt.Life
		for k := range r.IntN(4) {
			begin := at.Add(time.Duration(r.IntN(4)*k) * time.Minute)
			l.Apply(receipt.Step{At: begin, Kind: receipt.StepClaimed, By: "ann", Claim: fmt.Sprint("c", k), Token: uint64(k + 1), Until: begin.Add(time.Duration(1+r.IntN(2*n)) * time.Minute)})
			if kinds := []receipt.Kind{"", receipt.StepReleased, receipt.StepDone, receipt.StepSuperseded}; r.IntN(2) == 0 {
				if kind := kinds[r.IntN(len(kinds))]; kind != "" {
					l.Apply(receipt.Step{At: begin.Add(time.Duration(r.IntN(n)) * time.Minute), Kind: kind, By: "ann", Claim: fmt.Sprint("c", k), Token: uint64(k + 1)})
				}
			}
		}
		continues[e.Path] = r.IntN(3) == 0
		entries, all = append(entries, e), append(all, l)
	}
	return entries, all, continues
}

// openByDefinition is what is open by the words of [beside].
func openByDefinition(now time.Time, entries []Entry, all []receipt.Life, continues map[string]bool) (open []Entry) {
	for i := 1; i < len(entries); i++ {
		l := &all[i]
		displaced := slices.ContainsFunc(entries[:i], func(e Entry) bool {
			at := e.When.At
			return !continues[e.Path] && !(at.Known() && l.HeldBetween(at.Time, at.Time.Add(max(at.Unit, time.Second))))
		})
		if !l.Finished() && (l.State(now) == receipt.Claimed || !displaced) {
			open = append(open, entries[i])
		}
	}
	return open
}

// TestOpenBeside compares what is open beside the newest document with the definition, in random folders.
func TestOpenBeside(t *testing.T) {
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, time.UTC)
	opened := 0
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		entries, all, continues := foldOf(2+r.IntN(12), r, now)
		var want []string
		for _, e := range openByDefinition(now, entries, all, continues) {
			want = append(want, e.Path)
		}
		var got []string
		for _, e := range openBeside(now, entries, all, continues) {
			got = append(got, e.Path)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q, want %q", seed, got, want)
		}
		opened += len(got)
	}
	if opened < 2000 {
		t.Errorf("%d documents were open in all: the folders try too little", opened)
	}
}

// TestOpenBesideIsLinear: in a folder of 3,000 documents it takes at most an eighth of what the definition takes, which looks
// at all newer ones for each: if all were written under the lease of the first, and if each supersedes the one before.
func TestOpenBesideIsLinear(t *testing.T) {
	const n = 3_000
	now := time.Date(2026, 3, 30, 12, 0, 0, 0, time.UTC)
	for name, supersedes := range map[string]bool{"all are held": false, "a chain": true} {
		entries, all, continues := make([]Entry, n), make([]receipt.Life, n), map[string]bool{}
		for i := range entries {
			at := now.Add(-time.Duration(i+1) * time.Second)
			entries[i] = Entry{Path: fmt.Sprint(i)}
			entries[i].When.At = handoff.Moment{Time: at, Unit: time.Second, Zoned: true}
			continues[entries[i].Path] = supersedes
			all[i].Apply(receipt.Step{At: at, Kind: receipt.StepClaimed, By: "ann", Claim: "c", Token: 1, Until: now})
		}
		took := func(of func(time.Time, []Entry, []receipt.Life, map[string]bool) []Entry) time.Duration {
			begun := time.Now()
			if open := of(now, entries, all, continues); len(open) != n-1 {
				t.Fatalf("%s: %d of %d are open", name, len(open), n)
			}
			return time.Since(begun)
		}
		ours, defined := time.Hour, took(openByDefinition)
		for range 5 {
			ours = min(ours, took(openBeside))
		}
		if 8*ours > defined {
			t.Errorf("%s: %s, by the definition %s", name, ours, defined)
		}
	}
}
