package rip

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/log/thread"
)

// ripProgram is the real RIP on a store. It starts a server for the store, which the test ends.
func ripProgram(t *testing.T, at Place) func(args ...string) string {
	program := filepath.Join(needs.Folder(t, "HANDOFF_RIP"), "rip")
	t.Cleanup(func() { endAuthority(t, at) })
	return func(args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, append([]string{"threads"}, args...)...)
		cmd.Env = append(os.Environ(), "RIP_DATA_DIR="+at.Data, "RIP_WORKSPACE_ROOT="+at.Workspace)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("rip threads %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
}

// endAuthority ends the server of a store, by the process of its lock.
func endAuthority(t *testing.T, at Place) {
	t.Helper()
	var lock struct{ PID int }
	raw, err := os.ReadFile(at.path("authority", "lock.json"))
	if err != nil {
		return // none was started
	}
	if err := json.Unmarshal(raw, &lock); err != nil || lock.PID == 0 {
		t.Fatalf("%s: %v", raw, err)
	}
	if p, err := os.FindProcess(lock.PID); err == nil && p.Kill() == nil {
		p.Wait()
	}
}

// TestRealRIP: the real RIP reads frames with each member that we add, continues their threads, and what it wrote comes back
// to us beside them.
func TestRealRIP(t *testing.T) {
	o, root, _ := full(t)
	deep := root
	for range 40 { // deep enough for a handoff_above
		b, err := o.Branch(ctx, deep, thread.BranchRequest{})
		if err != nil {
			t.Fatal(err)
		}
		deep = b.ThreadID
	}
	m, err := o.PostMessage(ctx, deep, thread.MessageRequest{Content: "keyed", Key: "k"})
	if err != nil {
		t.Fatal(err)
	}
	_, run, err := o.SpawnRun(ctx, deep, thread.RunRequest{MessageID: m.ID})
	if err == nil {
		_, err = o.StartSession(ctx, run, "keyed", &thread.OutputDelta{Delta: "half of it"}, &thread.SessionEnded{Reason: "cancelled"})
	}
	if err == nil {
		_, err = o.EndRun(ctx, deep, run, "cancelled", "", "")
	}
	if err != nil {
		t.Fatal(err)
	}
	at := newPlace(t)
	rip := ripProgram(t, at)
	o.give(at)
	before := files(t, filepath.Join(o.root, ".handoff", "threads"))
	log, err := os.ReadFile(at.path("events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, member := range []string{"handoff_above", "handoff_partial", "handoff_request"} {
		if !strings.Contains(string(log), `"`+member+`":`) {
			t.Errorf("the store has no %s to try", member)
		}
	}

	for _, id := range []string{root, deep} {
		var got []string
		for line := range strings.Lines(rip("events", id, "--max-events", "5")) {
			e, err := thread.Parse([]byte(strings.TrimSpace(line)))
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, e.ID)
		}
		var want []string
		for e, err := range o.Events(id, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if len(want) < 5 {
				want = append(want, e.ID)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("RIP reads of %s\n%v\nwant\n%v", id, got, want)
		}
	}
	rip("post-message", deep, "--content", "from RIP")
	var branch struct {
		ThreadID string `json:"thread_id"`
	}
	if out := rip("branch", deep); json.Unmarshal([]byte(out), &branch) != nil || branch.ThreadID == "" {
		t.Fatalf("RIP branches: %s", out)
	}
	endAuthority(t, at)

	o.take(at)
	if _, err := o.Get(ctx, branch.ThreadID); err != nil {
		t.Error(err)
	}
	for path, text := range files(t, filepath.Join(o.root, ".handoff", "threads")) {
		if !strings.HasPrefix(text, before[path]) {
			t.Errorf("%s: lost what it had", path)
		}
	}
	last := ""
	for e, err := range o.Events(deep, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.Payload.(*thread.Message); ok {
			last = p.Content
		}
	}
	if last != "from RIP" {
		t.Errorf("the last message is %q", last)
	}
}
