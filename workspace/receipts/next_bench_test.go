package receipts_test

import (
	"fmt"
	"testing"
	"time"

	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// BenchmarkNext lists what waits in a tree of 300 tasks, most of which are done, as at the start of a
// session.
func BenchmarkNext(b *testing.B) {
	root := treetest.Memory(b)
	for i := range 300 {
		dir := fmt.Sprintf("specs/%d_task", i+1)
		for phase := range 3 {
			treetest.Write(b, root, fmt.Sprintf("%s/handoffs/phase-%d-handoff-20260212T14%02d00Z.md", dir, phase+1, phase), treetest.Document("a.go"))
		}
		status := "completed"
		if i%10 == 0 {
			status = "partial"
		}
		treetest.Write(b, root, dir+"/.return-meta.json", `{"status": "`+status+`"}`)
	}
	now := time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)
	for b.Loop() {
		w, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return now }})
		if err != nil {
			b.Fatal(err)
		}
		book, err := receipts.Open(w)
		if err != nil {
			b.Fatal(err)
		}
		if q, err := book.Next(b.Context(), nil); err != nil || len(q.Waiting) != 30 {
			b.Fatalf("%d wait, %v", len(q.Waiting), err)
		}
	}
}
