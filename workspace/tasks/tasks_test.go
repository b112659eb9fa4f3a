package tasks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/treetest"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/sync"
)

const (
	first = "specs/1_first"
	doc   = "/handoffs/phase-1-handoff-20260212T143022Z.md"
)

var clock = time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)

func open(t testing.TB, root string) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// tree is a workspace with a task, whose handoff waits.
func tree(t *testing.T, metadata string) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	treetest.WriteDocument(t, root, first+doc)
	if metadata != "" {
		treetest.Write(t, root, first+"/.return-meta.json", metadata)
	}
	ws := open(t, root)
	if err := sync.Run(t.Context(), ws, sync.Request{Tasks: []string{first}}, func(s sync.Result) error { return s.Err }); err != nil {
		t.Fatal(err)
	}
	return ws
}

func meta(t testing.TB, w *workspace.Workspace, dir string) string {
	t.Helper()
	src, err := os.ReadFile(w.Full(dir + "/.return-meta.json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// waits reports whether the handoff of the task in a folder waits, without receipts.
func waits(t testing.TB, w *workspace.Workspace, dir string) bool {
	t.Helper()
	list, err := documents.ReadTasks(t.Context(), w, []string{dir})
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	return list[0].Waits
}

// TestLife closes, archives, reopens and renames a task, twice: what is so already changes
// nothing. The words of an agent stay, and its handoff waits again.
func TestLife(t *testing.T) {
	const words = `"details": "Stopped in the lemma."`
	for name, metadata := range map[string]string{
		"none":     "",
		"an agent": `{"status": "partial", "x_own": [1.0], "partial_progress": {"stage": "context_exhaustion_handoff", ` + words + `, "handoff_path": "` + first + doc + `"}}`,
		"working":  `{"status": "in_progress", "x_own": [1.0], "started_at": "2026-02-12T10:00:00Z", "partial_progress": {"stage": "phase_1", ` + words + `}}`,
		"review":   `{"status": "partial", "x_own": [1.0], "requires_user_review": true, "partial_progress": {"stage": "stuck", ` + words + `}}`,
		"text":     `{"status": "partial", "x_own": [1.0], "partial_progress": "Stopped in the lemma."}`,
	} {
		t.Run(name, func(t *testing.T) {
			w, ctx := tree(t, metadata), t.Context()
			step := func(what string, r Result, err error, dir, status string) {
				t.Helper()
				src := ""
				if err == nil {
					src = meta(t, w, r.Dir)
				}
				if err != nil || r.Dir != dir || !strings.Contains(src, `"status": "`+status+`"`) || metadata != "" && (!strings.Contains(src, `"x_own": [1.0]`) || !strings.Contains(src, "Stopped in the lemma.")) {
					t.Fatalf("%s: %+v, %v\n%s", what, r, err, src)
				}
				if presented := strings.Contains(src, "handoff_path"); presented != (status == "partial") || status == "partial" != waits(t, w, dir) {
					t.Errorf("%s: presented %t, waits %t\n%s", what, presented, waits(t, w, dir), src)
				}
				if problems := verifyPaths(w, src); problems != "" {
					t.Errorf("%s: %s", what, problems)
				}
			}
			for _, want := range []bool{true, false} {
				r, err := Close(ctx, w, Request{Dir: first, Why: "not needed\nany more"})
				step("close", r, err, first, "closed")
				if r.Changed != want {
					t.Errorf("close changed: %t, want %t", r.Changed, want)
				}
			}
			r, err := Archive(ctx, w, Request{Dir: first})
			step("archive", r, err, "specs/archive/1_first", "closed")
			if again, err := Archive(ctx, w, Request{Dir: r.Dir}); again.Changed || err != nil {
				t.Errorf("archived twice: %+v, %v", again, err)
			}
			r, err = Reopen(ctx, w, Request{Dir: r.Dir})
			step("reopen", r, err, first, "partial")
			if again, err := Reopen(ctx, w, Request{Dir: r.Dir}); again.Changed || err != nil {
				t.Errorf("reopened twice: %+v, %v", again, err)
			}
			r, err = Rename(ctx, w, Request{Dir: first, Slug: "Second Try"})
			step("rename", r, err, "specs/1_second_try", "partial")
			if again, err := Rename(ctx, w, Request{Dir: r.Dir, Slug: "second_try"}); again.Changed || err != nil {
				t.Errorf("renamed twice: %+v, %v", again, err)
			}
		})
	}
}

// verifyPaths names the paths of a handoff in metadata that do not exist.
func verifyPaths(w *workspace.Workspace, src string) (wrong string) {
	for part := range strings.SplitSeq(src, `"`) {
		if strings.HasSuffix(part, ".md") {
			if _, err := os.Stat(w.Full(part)); err != nil {
				wrong += part + " "
			}
		}
	}
	return wrong
}

// TestRefused: nothing is moved over another folder, nor while somebody holds the handoff, nor
// before it is finished.
func TestRefused(t *testing.T) {
	w, ctx := tree(t, ""), t.Context()
	refused := func(what string, _ Result, err error) {
		t.Helper()
		if !errors.Is(err, receipt.ErrRefused) {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
	r, err := Archive(ctx, w, Request{Dir: first})
	refused("archive unfinished", r, err)
	store, err := w.Receipts()
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Record(ctx, first+doc, receipt.Moment{Now: clock}.Claim(receipt.ClaimRequest{By: "ann", TTL: time.Hour, ID: func() string { return "x" }}))
	if err != nil {
		t.Fatal(err)
	}
	r, err = Close(ctx, w, Request{Dir: first})
	refused("close", r, err)
	r, err = Archive(ctx, w, Request{Dir: first})
	refused("archive", r, err)
	r, err = Rename(ctx, w, Request{Dir: first, Slug: "other"})
	refused("rename", r, err)
	treetest.Write(t, w.Root, "specs/1_taken/notes.txt", "x")
	if r, err := Rename(ctx, w, Request{Dir: first, Force: true, Slug: "taken"}); !errors.Is(err, fs.ErrExist) || r.Dir != first {
		t.Errorf("renamed over another folder: %+v, %v", r, err)
	}
	for _, slug := range []string{"../x", "", "A/B", "a/b"} {
		if _, err := Rename(ctx, w, Request{Dir: first, Force: true, Slug: slug}); err == nil {
			t.Errorf("renamed to %q", slug)
		}
	}
	if r, err := Close(ctx, w, Request{Dir: first, Force: true}); err != nil || !r.Changed {
		t.Errorf("forced: %+v, %v", r, err)
	}
}

// TestFind: the task that is not archived comes first; two with one number are ambiguous.
func TestFind(t *testing.T) {
	w := tree(t, "")
	treetest.WriteDocument(t, w.Root, "specs/archive/1_old"+doc)
	treetest.WriteDocument(t, w.Root, "specs/vault/2_b"+doc)
	for arg, want := range map[string]string{"1": first, "2": "specs/vault/2_b", "specs/archive/1_old": "specs/archive/1_old"} {
		if got, err := Find(t.Context(), w, w.Root, arg); got != want || err != nil {
			t.Errorf("%s: %q, %v, want %q", arg, got, err, want)
		}
	}
	treetest.WriteDocument(t, w.Root, "specs/1_twin"+doc)
	if got, err := Find(t.Context(), w, w.Root, "1"); err == nil {
		t.Errorf("found %s", got)
	}
	if r, err := Close(t.Context(), w, Request{Dir: first}); err != nil || !r.Changed {
		t.Fatal(err)
	}
	if r, err := Archive(t.Context(), w, Request{Dir: first}); r.Dir != "specs/archive/1_first" || err != nil {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := os.Stat(filepath.Join(w.Root, "specs/archive/1_first")); err != nil {
		t.Error(err)
	}
}

// TestEndedByPlan: a task whose plan is completed is not closed, but implemented, and reopening
// it does not end it again.
func TestEndedByPlan(t *testing.T) {
	w, ctx := tree(t, ""), t.Context()
	treetest.Write(t, w.Root, first+"/plans/1.md", "### Phase 1: a [COMPLETED]\n")
	if _, err := Close(ctx, w, Request{Dir: first}); err != nil || !strings.Contains(meta(t, w, first), `"status": "implemented"`) {
		t.Errorf("%v\n%s", err, meta(t, w, first))
	}
	store, err := w.Receipts()
	if err == nil {
		_, err = store.Record(ctx, first+doc, receipt.Moment{Now: clock}.Finish("ann", ""))
	}
	if err == nil {
		_, err = Reopen(ctx, w, Request{Dir: first})
	}
	if err == nil {
		err = sync.Run(ctx, w, sync.Request{Tasks: []string{first}}, func(s sync.Result) error { return s.Err })
	}
	if src := meta(t, w, first); err != nil || !strings.Contains(src, `"status": "partial"`) || strings.Contains(src, "handoff_path") {
		t.Errorf("%v\n%s", err, src)
	}
}

// TestNextAfterClose: a handoff that is written in a closed task is not lost, it continues the task.
func TestNextAfterClose(t *testing.T) {
	w, ctx := tree(t, ""), t.Context()
	if _, err := Close(ctx, w, Request{Dir: first, Why: "enough"}); err != nil {
		t.Fatal(err)
	}
	const next = first + "/handoffs/phase-2-handoff-20260212T160400Z.md"
	treetest.WriteDocument(t, w.Root, next)
	if err := sync.Run(ctx, w, sync.Request{Tasks: []string{first}, Fresh: []string{next}}, func(s sync.Result) error { return s.Err }); err != nil {
		t.Fatal(err)
	}
	if src := meta(t, w, first); !strings.Contains(src, `"handoff_path": "`+next) || strings.Contains(src, "closed") || !waits(t, w, first) {
		t.Errorf("%s", src)
	}
}
