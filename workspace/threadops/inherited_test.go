package threadops

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/thread"
	"handoff/workspace/threads"
)

// slow is a store of which the beginnings of threads are not at hand.
type slow struct{ Source }

// TestInheritedFromStore: a store, which reads the beginnings of threads only, answers what reading their events does, also where a
// thread is too long for that, damaged, or not there.
func TestInheritedFromStore(t *testing.T) {
	folder := filepath.Join(t.TempDir(), ".handoff")
	store, err := thread.Open(folder, thread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := &threads.Threads{Store: store}
	info, _, err := s.Create(t.Context(), thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{info.ThreadID}
	for i := range 9 {
		text := "short"
		if i == 4 {
			text = strings.Repeat("long ", 20_000) // its cut is not in the beginning
		}
		if _, err := s.PostMessage(t.Context(), ids[i], thread.MessageRequest{Content: text}); err != nil {
			t.Fatal(err)
		}
		branch, err := s.Branch(t.Context(), ids[i], thread.BranchRequest{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, branch.ThreadID)
	}
	same := func(what string, parts int, fails bool) {
		t.Helper()
		fast, err := Inherited(t.Context(), s, ids[9])
		slowly, slowErr := Inherited(t.Context(), slow{s}, ids[9])
		known := 0
		for i := range fast {
			if fast[i].Whole {
				known++
			}
			fast[i].Whole = false
		}
		if !slices.Equal(fast, slowly) || len(fast) != parts || (err != nil) != fails || (slowErr != nil) != fails || err != nil && err.Error() != slowErr.Error() {
			t.Errorf("%s:\n%v %v\nwant\n%v %v", what, fast, err, slowly, slowErr)
		}
		if known < parts-1 {
			t.Errorf("%s: %d of %d parts are known to be whole", what, known, parts)
		}
	}
	same("a chain", 9, false)
	path := filepath.Join(folder, "threads", ids[2]+".jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	same("a lost thread", 6, true)
}
