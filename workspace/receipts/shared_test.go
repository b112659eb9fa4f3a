package receipts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/log/receipt"
	"handoff/workspace/seen"
	"handoff/workspace/sync"
)

const (
	sharedDoc  = "specs/1_task/handoffs/phase-2-handoff-20260212T100000Z.md"
	sharedMeta = "specs/1_task/.return-meta.json"
)

// startsSuccessor is how leads read the metadata: with the stage of a handoff, or without
// looking at it. It is the path of the handoff with which they start a successor; "" for none.
func startsSuccessor(t testing.TB, root string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, sharedMeta))
	if errors.Is(err, os.ErrNotExist) {
		return ""
	}
	var m struct {
		Status  string          `json:"status"`
		Partial json.RawMessage `json:"partial_progress"`
	}
	if err == nil {
		err = json.Unmarshal(src, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Stage string `json:"stage"`
		Path  string `json:"handoff_path"`
	}
	_ = json.Unmarshal(m.Partial, &p) // agents also write a string
	switch {
	case m.Status != "partial":
		return ""
	case p.Path != "":
		return p.Path
	case p.Stage == "context_exhaustion_handoff":
		return "the newest"
	}
	return ""
}

// sharedTree is a task with a handoff; metadata and plan are left out if they are empty.
func sharedTree(t testing.TB, metadata, plan string) (root string) {
	root = t.TempDir()
	write(t, root, sharedDoc, "# Phase 2 Handoff - 20260212T100000Z\n\n## Immediate Next Action\nRun `go test ./parse`.\n\n## References (read only if stuck)\n- Plan: plan.md\n")
	if metadata != "" {
		write(t, root, sharedMeta, strings.ReplaceAll(metadata, "ROOT", root))
	}
	if plan != "" {
		write(t, root, "specs/1_task/plans/1.md", plan)
	}
	return root
}

func shownIn(b *Book, t testing.TB) (waiting []string) {
	t.Helper()
	q, err := b.Next(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range q.Waiting {
		waiting = append(waiting, i.Path)
	}
	return append(waiting, q.Unclear...)
}

// Whatever an agent has written and however many phases are left: once a handoff is done, a
// clone without our receipts offers nothing, a lead that reads only the metadata starts nobody,
// before and after a sync there, and the words of the agent are still there.
func TestDoneIsShared(t *testing.T) {
	const words = "Approaching context limit. Handoff written with current proof state."
	at := `"handoff_path": "` + sharedDoc + `"`
	metadata := map[string]string{
		"none":           "",
		"the seed's":     `{"status": "partial", "partial_progress": {"stage": "context_exhaustion_handoff", "details": "` + words + `", ` + at + `, "phases_completed": 1, "phases_total": 2}}`,
		"absolute":       `{"status": "partial", "partial_progress": {"stage": "context_exhaustion_handoff", "details": "` + words + `", "handoff_path": "ROOT/` + sharedDoc + `"}}`,
		"another stage":  `{"status": "partial", "partial_progress": {"stage": "phase_2", "details": "` + words + `", ` + at + `}}`,
		"without a path": `{"status": "partial", "partial_progress": {"stage": "context_exhaustion_handoff", "details": "` + words + `"}}`,
		"text":           `{"status": "partial", "partial_progress": "` + words + `"}`,
		"working":        `{"status": "in_progress", "started_at": "2026-02-12T11:00:00Z", "partial_progress": {"stage": "phase_2", "details": "` + words + `", ` + at + `}}`,
		"empty":          `{}`,
		"output":         `{"status": "partial", "artifacts": ["` + sharedDoc + `"], "x_own": 2.0, "partial_progress": {"details": "` + words + `", "handoff_path": null}}`,
	}
	plans := map[string]string{"no plan": "", "open": "### Phase 1: a [COMPLETED]\n### Phase 2: b [IN PROGRESS]\n", "complete": "### Phase 1: a [COMPLETED]\n### Phase 2: b [COMPLETED]\n"}
	for name, meta := range metadata {
		for planned, plan := range plans {
			t.Run(name+"/"+planned, func(t *testing.T) {
				root := sharedTree(t, meta, plan)
				r, err := book(t, root, 0).Finish(t.Context(), Target{Ref: "1"}, "ann")
				if err != nil || r.Unlinked != nil || r.State != receipt.Done {
					t.Fatalf("%+v, %v", r, err)
				}
				src, err := os.ReadFile(filepath.Join(root, sharedMeta))
				if err != nil || strings.Contains(meta, words) && !bytes.Contains(src, []byte(words)) || strings.Contains(meta, "x_own") && !bytes.Contains(src, []byte(`"x_own": 2.0`)) {
					t.Errorf("%s, %v", src, err)
				}
				if ended := bytes.Contains(src, []byte(`"implemented"`)); ended != (planned == "complete") {
					t.Errorf("the task has ended: %t\n%s", ended, src)
				}
				other := t.TempDir()
				if err := os.CopyFS(other, os.DirFS(root)); err != nil {
					t.Fatal(err)
				}
				if err := os.RemoveAll(filepath.Join(other, ".handoff")); err != nil { // receipts are there without git
					t.Fatal(err)
				}
				for _, when := range []string{"at once", "after a sync"} {
					for _, tree := range []string{root, other} {
						b := book(t, tree, time.Hour)
						if got := shownIn(b, t); len(got) > 0 {
							t.Errorf("%s waits: %v\n%s", when, got, src)
						}
						if got := startsSuccessor(t, tree); got != "" {
							t.Errorf("%s a lead starts a successor with %s:\n%s", when, got, src)
						}
						if err := sync.Run(t.Context(), b.ws, sync.Request{}, func(s sync.Result) error {
							return errors.Join(s.Err, fmt.Errorf("%v %v", s.Plan.Changes, s.Plan.Problems))
						}); err != nil {
							t.Errorf("%s a sync changes: %v\n%s", when, err, src)
						}
					}
				}
			})
		}
	}
}

// The next handoff of a task that is done waits again, everywhere, also if its plan had ended the
// task.
func TestNextAfterDone(t *testing.T) {
	for _, plan := range []string{"", "### Phase 1: a [COMPLETED]\n### Phase 2: b [COMPLETED]\n"} {
		root := sharedTree(t, "", plan)
		if _, err := book(t, root, 0).Finish(t.Context(), Target{Ref: "1"}, "ann"); err != nil {
			t.Fatal(err)
		}
		next := "specs/1_task/handoffs/phase-3-handoff-20260212T163000Z.md"
		write(t, root, next, "# Phase 3 Handoff - 20260212T163000Z\n\n## Immediate Next Action\nRun `go test ./lint`.\n\n## References (read only if stuck)\n- Plan: plan.md\n")
		b := book(t, root, time.Hour)
		if err := sync.Run(t.Context(), b.ws, sync.Request{Tasks: []string{"specs/1_task"}, Fresh: []string{next}}, func(s sync.Result) error { return s.Err }); err != nil {
			t.Fatal(err)
		}
		if got := startsSuccessor(t, root); got != next {
			t.Errorf("%q: a lead starts %q, want %q", plan, got, next)
		}
		if err := os.RemoveAll(filepath.Join(root, ".handoff")); err != nil {
			t.Fatal(err)
		}
		if got := shownIn(book(t, root, time.Hour), t); len(got) != 1 || got[0] != next {
			t.Errorf("%q: waits: %v", plan, got)
		}
	}
}

// A process that is killed after it recorded that a handoff is done leaves metadata that git
// tracks as it is. The next sync of all tasks completes it, and changes nothing later, when
// git brings the old metadata back.
func TestKilledBeforeShared(t *testing.T) {
	needs.Tool(t, "git")
	root := sharedTree(t, `{"status": "partial", "partial_progress": {"stage": "context_exhaustion_handoff", "details": "Stop.", "handoff_path": "`+sharedDoc+`"}}`, "")
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", root, "-c", "user.name=a", "-c", "user.email=a@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	all := func(what, want string) {
		t.Helper()
		if err := sync.Run(t.Context(), book(t, root, 2*time.Hour).ws, sync.Request{}, func(s sync.Result) error { return s.Err }); err != nil {
			t.Fatal(err)
		}
		if got := startsSuccessor(t, root); got != want {
			t.Errorf("%s: a lead starts %q, want %q", what, got, want)
		}
	}
	all("linked", sharedDoc)
	git("add", "-A", "specs")
	git("commit", "-q", "-m", "handoff")
	b := book(t, root, time.Hour)
	f, err := b.find(t.Context(), Target{Ref: "1"})
	if err == nil {
		err = b.owe(f)
	}
	if err != nil {
		t.Fatal(err)
	}
	all("killed before the receipt", sharedDoc)
	if _, err = b.store.Record(t.Context(), f.name, f.at(b.ws.Now()).Finish("ann", "")); err != nil {
		t.Fatal(err)
	}
	all("killed after the receipt", "")
	all("again", "")
	if owed := seen.Open(root).Owed("specs/1_task"); len(owed) > 0 {
		t.Errorf("still owed: %v", owed)
	}
	git("checkout", "-q", "--", "specs")
	all("git brought it back", sharedDoc)
}
