package feed

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/workspace/receipts"
)

// TestWork: work that is claimed before anything is written is in the feed, once, also after its readers have
// restarted. Claimed paths share a log: each has its own steps.
func TestWork(t *testing.T) {
	w := newTree(t)
	w.claim("issue:311", "ann")
	w.claim("path:src/x/**", "ann")
	other := w.claim("path:src/y/**", "bob")
	w.claim("task:7", "bob")
	if _, err := w.book().Release(t.Context(), receipts.Target{Dir: w.root, Claim: other}, "done for now"); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f := w.feed()
		if err := f.Update(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	var got []string
	for _, e := range w.events() {
		got = append(got, fmt.Sprintf("%s %s %s task %d step %d", e.Type, e.Path, e.By, e.Task, *e.Step))
	}
	slices.Sort(got)
	want := []string{"claimed issue:311 ann task 0 step 0", "claimed path:src/x/** ann task 0 step 0", "claimed path:src/y/** bob task 0 step 0",
		"claimed task:7 bob task 7 step 0", "released path:src/y/** bob task 0 step 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
