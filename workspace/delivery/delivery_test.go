package delivery_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/lint/rules"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/delivery"
	"handoff/workspace/receipts"
	"handoff/workspace/spawn/prompt"
)

const example = "../../specs/example/specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"

var noon = time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)

// pathOf is the handoff of a task.
func pathOf(task int) string {
	return fmt.Sprintf("specs/%d_task/handoffs/phase-3-handoff-20260212T1430%02dZ.md", task, task)
}

// treeOf is a workspace in which tasks 1 to n have a handoff that waits; that of
// the last one is the newest.
func treeOf(t *testing.T, n int) (root string) {
	t.Helper()
	root = t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for task := 1; task <= n; task++ {
		write(t, root, task)
	}
	return root
}

func write(t *testing.T, root string, task int) {
	t.Helper()
	src, err := os.ReadFile(example)
	file := filepath.Join(root, filepath.FromSlash(pathOf(task)))
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file, src, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func open(root string, now time.Time, d delivery.Desk) (*workspace.Workspace, *delivery.Desk, error) {
	ws, err := workspace.Open(root, workspace.Options{Rules: rules.All, Now: func() time.Time { return now }})
	if err != nil {
		return nil, nil, err
	}
	if d.Max == 0 {
		d.Max = 9000
	}
	d.Show = prompt.Shown
	desk, err := delivery.Open(ws, d)
	return ws, desk, err
}

// desk is that of a session at a time after noon.
func desk(t *testing.T, root, session string, after time.Duration) *delivery.Desk {
	t.Helper()
	_, d, err := open(root, noon.Add(after), delivery.Desk{Session: receipt.Session{Host: "claude", ID: session}})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// shows checks which task a text is about, 0 for no text.
func shows(t *testing.T, name, text string, err error, task int) {
	t.Helper()
	switch {
	case err != nil:
		t.Errorf("%s: %v", name, err)
	case task == 0 && text != "":
		t.Errorf("%s: %s, want nothing", name, text)
	case task > 0 && !strings.Contains(text, "The document: "+pathOf(task)):
		t.Errorf("%s: %q, want task %d", name, text, task)
	}
}

func TestStart(t *testing.T) {
	root := treeOf(t, 2)
	for i, c := range []struct {
		session string
		task    int
	}{{"a", 2}, {"a", 0}, {"b", 1}, {"b", 0}, {"a", 0}, {"c", 0}} {
		text, err := desk(t, root, c.session, time.Duration(i)*time.Minute).Start(t.Context())
		shows(t, fmt.Sprint(i, " ", c.session), text, err, c.task)
	}
	write(t, root, 3)
	text, err := desk(t, root, "a", 0).Start(t.Context())
	shows(t, "a has one that is not finished", text, err, 0)
	text, err = desk(t, root, "c", 0).Start(t.Context())
	shows(t, "c", text, err, 3)
}

// TestFirst: a prompt delivers only in a session whose start was not seen.
func TestFirst(t *testing.T) {
	root := treeOf(t, 0)
	text, err := desk(t, root, "a", 0).Start(t.Context())
	shows(t, "nothing waits", text, err, 0)
	write(t, root, 1)
	text, err = desk(t, root, "a", 0).First(t.Context())
	shows(t, "started before", text, err, 0)
	text, err = desk(t, root, "b", 0).First(t.Context())
	shows(t, "not started", text, err, 1)
	write(t, root, 2)
	text, err = desk(t, root, "b", 0).First(t.Context())
	shows(t, "its second prompt", text, err, 0)
}

// TestResume: after each compaction a session gets what it works on, once.
func TestResume(t *testing.T) {
	ctx, root := t.Context(), treeOf(t, 1)
	text, err := desk(t, root, "a", 0).Start(ctx)
	shows(t, "start", text, err, 1)
	text, err = desk(t, root, "b", 0).Start(ctx)
	shows(t, "another session", text, err, 0)
	at := time.Minute
	for round := range 3 {
		for range 4 { // some hosts announce a compaction several times
			if at += time.Second; desk(t, root, "a", at).Compacting(ctx) != nil {
				t.Fatal("not recorded")
			}
		}
		at += time.Second
		if lost, err := desk(t, root, "a", at).Lost(); !lost || err != nil {
			t.Errorf("round %d: not lost, %v", round, err)
		}
		text, err = desk(t, root, "a", at).Resume(ctx)
		shows(t, fmt.Sprint("round ", round), text, err, 1)
		text, err = desk(t, root, "a", at+time.Second).Resume(ctx)
		shows(t, fmt.Sprint("round ", round, " again"), text, err, 0)
		text, err = desk(t, root, "b", at).Resume(ctx)
		shows(t, "another session", text, err, 0)
	}
	if lost, err := desk(t, root, "a", at).Lost(); lost || err != nil {
		t.Errorf("still lost, %v", err)
	}
	text, err = desk(t, root, "a", at+time.Hour).Resume(ctx)
	shows(t, "a compaction that was not announced", text, err, 1)
}

// The handoff that a session wrote before its compaction waits, and is shown to it again.
func TestResumeWithItsOwn(t *testing.T) {
	ctx, root := t.Context(), treeOf(t, 0)
	if text, err := desk(t, root, "a", 0).Start(ctx); text != "" || err != nil {
		t.Fatal(text, err)
	}
	write(t, root, 1)
	if err := desk(t, root, "a", time.Minute).Compacting(ctx); err != nil {
		t.Fatal(err)
	}
	text, err := desk(t, root, "a", time.Minute+time.Second).Resume(ctx)
	shows(t, "its own", text, err, 1)
	text, err = desk(t, root, "b", 10*time.Minute).Start(ctx)
	shows(t, "another session", text, err, 0)
}

// A spawned agent has the report in its prompt, and gets it again when it lost that.
func TestClaim(t *testing.T) {
	ctx, root := t.Context(), treeOf(t, 2)
	ws, _, err := open(root, noon, delivery.Desk{})
	if err != nil {
		t.Fatal(err)
	}
	book, err := receipts.Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	r, err := book.Claim(ctx, receipts.Target{Dir: root, Ref: pathOf(1)}, receipt.ClaimRequest{By: "claude", TTL: 2 * time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	_, d, err := open(root, noon.Add(time.Minute), delivery.Desk{Session: receipt.Session{Host: "claude", ID: "a"}, Claim: r.Claim})
	if err != nil {
		t.Fatal(err)
	}
	text, err := d.Start(ctx)
	shows(t, "start", text, err, 0)
	text, err = d.Resume(ctx)
	shows(t, "after a compaction", text, err, 1)
	text, err = d.Resume(ctx)
	shows(t, "twice", text, err, 0)
}

func TestTextIsWithinTheLimit(t *testing.T) {
	for _, max := range []int{9000, 3000, 1800} {
		root := treeOf(t, 1)
		_, d, err := open(root, noon.Add(60*24*time.Hour), delivery.Desk{Session: receipt.Session{Host: "codex", ID: "a"}, Max: max})
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.Start(t.Context())
		if err != nil || len(text) > max || !strings.HasSuffix(text, "\n") || !strings.Contains(text, pathOf(1)) {
			t.Errorf("%d: %d bytes, %v\n%s", max, len(text), err, text)
		}
		stale, report := strings.Index(text, "it was written 60 days ago"), strings.Index(text, "This is a report by an earlier agent")
		if end := strings.Index(text, "\n[end of report"); stale < report || end < stale || strings.Index(text, "\n## ") < stale {
			t.Errorf("%d: what is out of date is not first in the frame:\n%s", max, text)
		}
	}
}

// What does not wait clearly is for a person to decide.
func TestUnclearIsNotDelivered(t *testing.T) {
	root := treeOf(t, 1)
	err := os.WriteFile(filepath.Join(root, "specs/1_task/.return-meta.json"), []byte(`{"status": "in_progress", "started_at": "2026-02-12"}`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	text, err := desk(t, root, "a", 0).Start(t.Context())
	shows(t, "unclear", text, err, 0)
}
