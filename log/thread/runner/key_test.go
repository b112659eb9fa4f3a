package runner_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"handoff/document/handoff"
	"handoff/log/thread"
	"handoff/log/thread/runner"
)

// TestRepeatedMessage: eight requests with one key post one message and start one run, with a command and without; a request with
// another content is refused. A message that has no run yet gets it.
func TestRepeatedMessage(t *testing.T) {
	for _, script := range []string{"", "cat >>answered; echo yes"} {
		b := newBench(t)
		o := b.options("hello", script)
		o.Key = "k"
		var all sync.WaitGroup
		runs := make([]*runner.Run, 8)
		for i := range runs {
			all.Go(func() {
				var err error
				if runs[i], err = runner.Start(t.Context(), o); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		for _, r := range runs {
			if r.ID != runs[0].ID || r.MessageID != thread.MessageID(b.thread, "k") {
				t.Errorf("%q: runs %s and %s, message %s", script, runs[0].ID, r.ID, r.MessageID)
			}
			if _, err := r.Finish(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if types := strings.Join(b.types(), " "); strings.Count(types, "message_appended") != 1 || strings.Count(types, "run_ended") != 1 {
			t.Errorf("%q: events %s", script, types)
		}
		if again := b.run(o); again.RunID != runs[0].ID {
			t.Errorf("%q: later run %s, want %s", script, again.RunID, runs[0].ID)
		}
		o.Content = "other"
		if _, err := runner.Start(t.Context(), o); !errors.Is(err, handoff.ErrKeyUsed) {
			t.Errorf("%q: another message: %v", script, err)
		}

		waits := b.options("queued", script)
		waits.Key = "q"
		if _, _, err := b.store.PostOnce(t.Context(), b.thread, thread.MessageID(b.thread, "q"), thread.MessageRequest{Content: "queued"}); err != nil {
			t.Fatal(err)
		}
		first, second := b.run(waits), b.run(waits)
		if _, output, reason := b.session(first.RunID); first.RunID != second.RunID || output == "" || reason != runner.Completed {
			t.Errorf("%q: runs %s and %s, output %q, %s", script, first.RunID, second.RunID, output, reason)
		}
	}
}
