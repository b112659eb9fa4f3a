package threads_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/treetest"
	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/workspace"
)

// record writes the record of a run whose process is gone, as a kill leaves it.
func (o *opened) record(t *testing.T, run, id, message string, at time.Time) {
	t.Helper()
	if _, _, err := o.SpawnRun(t.Context(), id, thread.RunRequest{MessageID: message, SessionID: run}); err != nil {
		t.Fatal(err)
	}
	src, err := json.Marshal(runner.Record{RunID: run, ThreadID: id, MessageID: message, PID: 1, StartedAt: at})
	if err != nil {
		t.Fatal(err)
	}
	treetest.Write(t, o.root, filepath.Join(workspace.StateDir, "runs", run+".json"), string(src))
}

// TestRuns: which run a reference names, and that runs of killed processes are closed when threads are
// opened, with a line for each.
func TestRuns(t *testing.T) {
	o := open(t, t.TempDir())
	id := o.create(t, "t")
	p, err := o.Post(t.Context(), id, thread.MessageRequest{Content: "x"})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)
	o.record(t, "run-b-12345678", id, p.MessageID, start.Add(time.Minute))
	o.record(t, "run-a-12345678", id, p.MessageID, start)
	runs, err := o.Runs()
	if err != nil || len(runs) != 2 || runs[0].RunID != "run-a-12345678" {
		t.Errorf("%+v, %v: want the oldest first", runs, err)
	}
	for ref, want := range map[string]string{"latest": "run-b-12345678", "run-a-12": "run-a-12345678", "run-b-12345678": "run-b-12345678", "ended": "ended"} {
		if got, err := o.FindRun(ref); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", ref, got, err, want)
		}
	}
	if err := o.CancelRun(t.Context(), "ended"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: it is not running", err)
	}
	o.Close()

	o = open(t, o.root)
	if got := strings.Join(o.said, "\n"); got != "run run-a-12345678 of thread "+id+" was killed and is now closed\nrun run-b-12345678 of thread "+id+" was killed and is now closed" {
		t.Error(got)
	}
	if runs, err := o.Runs(); err != nil || len(runs) != 0 {
		t.Errorf("%+v, %v: they are closed", runs, err)
	}
	if got, err := o.FindRun("latest"); err != nil || got != "latest" {
		t.Errorf("%s, %v: nothing runs", got, err)
	}
	ended := 0
	for e, err := range o.Events(id, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if end, ok := e.Payload.(*thread.RunEnded); ok && end.Reason == runner.Killed {
			ended++
		}
	}
	if ended != 2 {
		t.Errorf("%d runs were ended, want 2", ended)
	}
	o.Close()
	treetest.Write(t, o.root, filepath.Join(workspace.StateDir, "runs", "damaged.json"), "{")
	o = open(t, o.root) // other operations still work
	if len(o.said) != 1 || !strings.HasPrefix(o.said[0], "runs that were killed could not be closed: ") {
		t.Errorf("%q", o.said)
	}
	if got, err := o.FindRun("any"); err == nil {
		t.Errorf("%s: the list of runs cannot be read", got)
	}
}
