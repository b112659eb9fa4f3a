package documents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/sync"
	"handoff/workspace/verify"
)

// TestReceiptsDecide: the metadata shows a handoff as waiting unless a receipt
// shows that it was taken up, and again once it was released.
func TestReceiptsDecide(t *testing.T) {
	const doc = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"
	now := time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)
	m := func() receipt.Moment { return receipt.Moment{Now: now} }
	claim := func(l receipt.Life) receipt.Decision {
		return m().Claim(receipt.ClaimRequest{By: "a", TTL: time.Hour, ID: func() string { return "r" }, Force: true, Why: "x"})
	}
	for _, c := range []struct {
		name     string
		metadata string
		steps    []func(l receipt.Life) receipt.Decision
		later    time.Duration
		waits    bool
	}{
		{"nothing recorded", `{"status": ""}`, nil, 0, true},
		{"delivered", `{"status": ""}`, []func(receipt.Life) receipt.Decision{func(receipt.Life) receipt.Decision { return m().Deliver("a", "") }}, 0, true},
		{"claimed", `{"status": ""}`, []func(receipt.Life) receipt.Decision{claim}, 0, false},
		{"expired", `{"status": ""}`, []func(receipt.Life) receipt.Decision{claim}, time.Hour, true},
		{"done", `{"status": ""}`, []func(receipt.Life) receipt.Decision{claim, func(l receipt.Life) receipt.Decision { return m().Finish("", l.Claim.ID) }}, 0, false},
		{"superseded", `{"status": ""}`, []func(receipt.Life) receipt.Decision{claim, func(l receipt.Life) receipt.Decision { return m().Supersede(l.Claim.ID, "x") }}, 0, false},
		{"released after work had begun", `{"status": "in_progress", "started_at": "2026-02-12T14:50:00Z"}`,
			[]func(receipt.Life) receipt.Decision{claim, func(l receipt.Life) receipt.Decision { return m().Release(l.Claim.ID, "") }}, 0, true},
		{"taken up without a claim after a release", `{"status": "in_progress", "started_at": "2026-02-12T15:10:00Z"}`,
			[]func(receipt.Life) receipt.Decision{claim, func(l receipt.Life) receipt.Decision { return m().Release(l.Claim.ID, "") }}, 0, false},
		{"released, but the task is finished", `{"status": "completed"}`,
			[]func(receipt.Life) receipt.Decision{claim, func(l receipt.Life) receipt.Decision { return m().Release(l.Claim.ID, "") }}, 0, false},
	} {
		root := t.TempDir()
		metadata := filepath.Join(root, "specs/1_first/.return-meta.json")
		src, err := os.ReadFile(exampleHandoff)
		if err == nil {
			err = os.MkdirAll(filepath.Join(root, "specs/1_first/handoffs"), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(root, doc), src, 0o644)
		}
		if err == nil {
			err = os.WriteFile(metadata, []byte(c.metadata), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		w, err := workspace.Open(root, workspace.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Options.Now = func() time.Time { return now.Add(c.later) }
		receipts, err := w.Receipts()
		if err != nil {
			t.Fatal(err)
		}
		var l receipt.Life
		for _, step := range c.steps {
			if l, err = receipts.Record(t.Context(), doc, step(l)); err != nil {
				t.Fatal(err)
			}
		}
		list, err := waiting(t, w)
		if got := len(list) == 1 && list[0].Waits; got != c.waits || err != nil {
			t.Errorf("%s: waits %v, %v (%+v)", c.name, got, err, list)
		}
		if err := sync.Run(t.Context(), w, sync.Request{}, func(sync.Result) error { return nil }); err != nil {
			t.Fatal(err)
		}
		after, err := os.ReadFile(metadata)
		if partial := strings.Contains(string(after), `"partial"`); partial != c.waits || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, after)
		}
		findings := 0
		if err := verify.Run(t.Context(), w, verify.Request{}, func(v *verify.Result) error { findings += v.Derivable; return nil }); err != nil || findings > 0 {
			t.Errorf("%s: verify would fix %d, %v", c.name, findings, err)
		}
	}
}

const exampleHandoff = "../../specs/example/specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"

// thousandWaiting is a workspace in which that many tasks have a handoff.
func thousandWaiting(b *testing.B) *workspace.Workspace {
	b.Helper()
	src, err := os.ReadFile(exampleHandoff)
	if err != nil {
		b.Fatal(err)
	}
	root := b.TempDir()
	for n := 1; n <= 1000; n++ {
		dir := filepath.Join(root, "specs", fmt.Sprintf("%d_task", n))
		if err := os.MkdirAll(filepath.Join(dir, "handoffs"), 0o755); err != nil {
			b.Fatal(err)
		}
		for name, text := range map[string]string{"handoffs/phase-3-handoff-20260212T143022Z.md": string(src), ".return-meta.json": `{"status": "partial"}` + "\n"} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	w, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// BenchmarkWaiting finds 1,000 handoffs that wait.
func BenchmarkWaiting(b *testing.B) {
	w := thousandWaiting(b)
	for b.Loop() {
		if list, err := waiting(b, w); err != nil || len(list) != 1000 {
			b.Fatal(len(list), err)
		}
	}
}

// waiting returns the tasks in which something may wait.
func waiting(t testing.TB, w *workspace.Workspace) (list []documents.Waiting, err error) {
	found, err := documents.ListTasks(t.Context(), w, func(n handoff.Name) bool { return !n.Archived() })
	for _, one := range found {
		if one.Row.Path != "" || one.Doubt != "" {
			list = append(list, one.Waiting)
		}
	}
	return list, err
}
