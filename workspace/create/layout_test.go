package create

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/testing/treetest"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/documents"
)

// What new writes in the form of a preset is read back section by section.
func TestPresetsReadBack(t *testing.T) {
	for _, preset := range task.PresetNames()[1:] {
		for seed := range uint64(25) {
			r := rand.New(rand.NewPCG(seed, 1))
			ws := presetTree(t, preset, time.Date(2026, 2, 12, 10, 0, int(seed), 0, time.UTC))
			v := someValues(r)
			if id := plannedIn(t, ws, preset); id != "" {
				v.Task, v.Named, v.References = 0, id, append(v.References, "a.md: x") // without one the plan is it
			}
			made, err := Run(context.Background(), ws, Request{Values: v, Slug: words(r, 2)})
			if err != nil {
				t.Fatalf("%s %d: %v", preset, seed, err)
			}
			list, err := documents.List(context.Background(), ws, documents.Filter{})
			if err != nil || len(list) != 1 || list[0].Path != made.Path || list[0].Name.Layout != preset {
				t.Fatalf("%s: wrote %s, found %+v (%v)", preset, made.Path, list, err)
			}
			doc, err := documents.Read(ws, list[0])
			if err != nil || len(doc.Problems) > 0 {
				t.Fatalf("%s: %v %v", made.Path, err, doc.Problems)
			}
			if got := itemsIn(doc, handoff.NextAction); got != v.NextAction {
				t.Errorf("%s %d: next action %q, want %q", preset, seed, got, v.NextAction)
			}
			for _, k := range []handoff.Kind{handoff.Decisions, handoff.Deviations, handoff.DeadEnds, handoff.Context, handoff.References} {
				s, want := doc.Section(k), v.Items(k)
				var got []string
				if s != nil {
					for i := range s.Top {
						got = append(got, i.Text)
					}
				}
				if !slices.Equal(got, want) {
					t.Errorf("%s %d: %s %q, want %q\n%s", preset, seed, k, got, want, doc.Source)
				}
			}
			if l := doc.Section(handoff.CurrentState).Label("File"); l == nil || l.Value != v.State.File {
				t.Errorf("%s %d: no file in %s", preset, seed, doc.Source)
			}
		}
	}
}

// A document that is replaced is kept, and the new one waits whatever became of it.
func TestReplaced(t *testing.T) {
	ws := presetTree(t, "single", time.Date(2026, 2, 12, 10, 0, 0, 0, time.UTC))
	var texts []string
	for i := range 3 {
		v := templates.Values{NextAction: fmt.Sprintf("Call `step%d` in `x.go`.", i)}
		if _, err := Run(context.Background(), ws, Request{Values: v}); i > 0 && !errors.Is(err, documents.ErrWaits) {
			t.Errorf("replaced what nobody has taken up: %v", err)
		} else if i == 0 {
			src, _ := os.ReadFile(filepath.Join(ws.Root, "HANDOFF.md"))
			texts = append(texts, string(src))
			continue
		}
		made, err := Run(context.Background(), ws, Request{Values: v, Replace: "HANDOFF.md"})
		if err != nil || made.Path != "HANDOFF.md" {
			t.Fatal(made, err)
		}
		if kept, err := os.ReadFile(filepath.Join(ws.Root, filepath.FromSlash(made.Displaced))); i > 0 && (err != nil || string(kept) != texts[i-1]) {
			t.Errorf("displaced %q (%v), want the last one, which was not taken up", made.Displaced, err)
		}
		texts = append(texts, made.Doc.Source)
	}
	kept, err := filepath.Glob(filepath.Join(ws.Root, ".handoff", "previous", "*.md"))
	if err != nil || len(kept) != 2 {
		t.Fatalf("kept %q (%v)", kept, err)
	}
	var got []string
	for _, path := range append(kept, filepath.Join(ws.Root, "HANDOFF.md")) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(src))
	}
	if !slices.Equal(got, texts) {
		t.Errorf("kept %q, wrote %q", got, texts)
	}
}

func presetTree(t *testing.T, preset string, now time.Time) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, config.File), []byte("documents:\n  - preset: "+preset+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// plannedIn writes a plan with a task for the layout beside it, and returns what the tool calls that.
func plannedIn(t *testing.T, ws *workspace.Workspace, preset string) string {
	t.Helper()
	p, ok := map[string][3]string{
		"openspec": {"openspec/changes/add-login/tasks.md", "- [ ] 1.1 Add the table\n", "add-login"},
		"beads":    {".beads/issues.jsonl", `{"id":"bd-7","title":"Login","status":"open","priority":1}`, "bd-7"},
		"backlog":  {"backlog/tasks/task-7 - Login.md", "---\nid: task-7\ntitle: Login\nstatus: To Do\n---\n", "task-7"},
	}[preset]
	if ok {
		treetest.Write(t, ws.Root, p[0], p[1])
	}
	return p[2]
}

func someValues(r *rand.Rand) templates.Values {
	list := func(most int) (items []string) {
		for range r.IntN(most + 1) {
			items = append(items, words(r, 1+r.IntN(4))+": "+words(r, 1+r.IntN(8)))
		}
		return items
	}
	return templates.Values{Task: r.IntN(3) * 7, NextAction: words(r, 3) + " `a.go`", State: templates.State{File: words(r, 1) + ".go"},
		Decisions: list(4), Deviations: list(3), DeadEnds: list(4), Context: list(5), References: list(3)}
}

// words are some words, among them those that headings have.
func words(r *rand.Rand, n int) string {
	all := []string{"next", "Steps", "what", "failed", "κλειδί", "a_b", "`code`", "context", "12", "(see)", "x"}
	var list []string
	for range n {
		list = append(list, all[r.IntN(len(all))])
	}
	return strings.Join(list, " ")
}

func itemsIn(doc *handoff.Document, k handoff.Kind) string {
	s := doc.Section(k)
	if s == nil {
		return ""
	}
	return doc.Text(s.Body)
}
