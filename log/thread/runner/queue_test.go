package runner_test

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"handoff/internal/admission"
	"handoff/internal/testing/needs"
	"handoff/log/thread/runner"
)

// TestQueue: commands run one at a time, in the order in which their runs were
// started, whichever Finish is called first.
func TestQueue(t *testing.T) {
	needs.Tool(t, "sh")
	b := newBench(t)
	queue := admission.New(1)
	start := func(content, script string) *runner.Run {
		t.Helper()
		o := b.options(content, script)
		o.Queue = queue
		r, err := runner.Start(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	finish := func(r *runner.Run, want string) {
		if result, err := r.Finish(t.Context()); err != nil || result.Reason != want {
			t.Errorf("%+v, %v", result, err)
		}
	}
	script := func(name string) string {
		return "mkdir busy && sleep 0.01 && echo " + name + " >> order && rmdir busy"
	}
	first := start("first", "mkdir busy && while [ ! -e go ]; do sleep 0.01; done; rmdir busy")
	var all sync.WaitGroup
	all.Go(func() { finish(first, "completed") })
	var runs []*runner.Run
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		runs = append(runs, start(name, script(name)))
	}
	for i, r := range slices.Backward(runs) {
		want := "completed"
		if i == 1 {
			want = "cancelled"
		}
		all.Go(func() { finish(r, want) })
	}
	// One that waits can be cancelled while the first one still runs.
	if err := runner.Cancel(t.Context(), b.store, b.folder, runs[1].ID); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(b.root, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if order, err := os.ReadFile(filepath.Join(b.root, "order")); string(order) != "a\nc\nd\ne\n" {
		t.Errorf("order %q, %v", order, err)
	}
}
