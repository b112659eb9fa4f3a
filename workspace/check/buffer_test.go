package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"handoff/internal/file/regular"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/lint"
	"handoff/lint/rules"
	"handoff/workspace"
)

const bufferDoc = "specs/1_x/handoffs/phase-1-handoff-20260212T100000Z.md"

// TestBufferIsNotTheFile checks a text that differs from the file on disk: findings are
// about the text, and those that need other files are the same as for the file.
func TestBufferIsNotTheFile(t *testing.T) {
	root := t.TempDir()
	saved := "# Phase 1 Handoff - 20260212T100000Z\n\n## References (read only if stuck)\n- Plan: docs/gone.md\n"
	treetest.Write(t, root, bufferDoc, saved)
	treetest.Write(t, root, "specs/1_x/handoffs/phase-2-handoff-20260212T100000Z.md", "# Phase 2\n")
	o := workspace.Options{Rules: rules.All, Now: atNoon}
	path := filepath.Join(root, filepath.FromSlash(bufferDoc))
	for _, text := range []string{saved, "# Phase 1 Handoff - 20260212T100000Z\n\n## Current state\nnothing\n", ""} {
		got, err := Buffer{Path: path, Text: []byte(text)}.Check(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var want []lint.Finding
		err = Run(context.Background(), o, Request{Dir: root, Paths: []string{"-"}, Stdin: strings.NewReader(text), StdinName: path}, func(c *Result) error {
			want = c.Findings
			return c.Err
		})
		if err != nil || len(want) == 0 || !reflect.DeepEqual(got.Findings, want) {
			t.Errorf("%q: %v\n%+v\nwant\n%+v", text, err, got.Findings, want)
		}
	}
	now, err := os.ReadFile(path)
	if err != nil || string(now) != saved {
		t.Errorf("the file was changed: %q, %v", now, err)
	}
	fixed, err := Buffer{Path: path, Text: []byte("# Phase 1 Handoff - 20260212T100000Z\n\n## Immediate Next Action\nRun it.\n\n## Current state\nnothing\n\n## Key Decisions Made\n1. a: b\n"), Fix: true}.Check(context.Background(), o)
	if err != nil || fixed.Applied == 0 || !strings.Contains(fixed.Doc.Source, "## Current State\n") {
		t.Errorf("fixed: %+v, %v", fixed, err)
	}
	var large *regular.TooLargeError
	if _, err := (Buffer{Path: path, Text: make([]byte, workspace.MaxSize+1)}).Check(context.Background(), o); !errors.As(err, &large) {
		t.Errorf("a large text: %v", err)
	}
}

func TestPlaceOf(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, "specs/.keep", "")
	treetest.Write(t, root, "ignoring/.handoff.yaml", "ignore: [old-*.md]\n")
	treetest.Write(t, root, "broken/.handoff.yaml", "max_lines: many\n")
	for path, want := range map[string]bool{
		bufferDoc:                              true,
		"specs/1_x/handoffs/notes.md":          true,
		"specs/handoffs/a.md":                  true,
		"specs/archive/1_x/handoffs/a.md":      true,
		"specs/specs/1_x/handoffs/a.md":        true,
		"README.md":                            false,
		"specs/1_x/plans/a.md":                 false,
		"specs/1_x/handoffs/old/a.md":          false,
		"specs/1_x/handoffs/.a.md":             false,
		"specs/1_x/handoffs/a.txt":             false,
		"specs/.hidden/1_x/handoffs/a.md":      false,
		"docs/handoffs/a.md":                   false,
		"ignoring/docs/handoffs/a.md":          true,
		"ignoring/.docs/handoffs/a.md":         false,
		"ignoring/specs/1_x/handoffs/old-a.md": false,
		"ignoring/specs/1_x/handoffs/new-a.md": true,
	} {
		p, err := PlaceOf(filepath.Join(root, filepath.FromSlash(path)), nil)
		if err != nil || p.Document != want {
			t.Errorf("%s: document %v, want %v (%v)", path, p.Document, want, err)
		}
	}
	for path, want := range map[string]bool{"specs/1_x/handoffs/a.md": true, "specs/1_x/a/handoffs/a.md": false, "docs/handoffs/a.md": true} {
		p, err := PlaceOf(filepath.Join(root, "broken", filepath.FromSlash(path)), nil)
		if err == nil || p.Document != want {
			t.Errorf("%s with an invalid configuration: document %v, want %v (%v)", path, p.Document, want, err)
		}
	}
}

// TestPlaceAgreesWithRun: PlaceOf finds a document where a check of the workspace does.
func TestPlaceAgreesWithRun(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, ".handoff.yaml", "ignore: [specs/2_y, draft-*]\n")
	paths := []string{"handoffs/a.md", "a.md", "specs/a.md"}
	for _, dir := range []string{"1_x", "2_y", "archive/3_z", "specs/4_u", ".git/5_v", "node_modules/6_w", "x", "1_x/7_t"} {
		for _, base := range []string{"handoffs/a.md", "handoffs/draft-b.md", "handoffs/.c.md", "handoffs/d.MD", "handoffs/vault/e.md", "f.md"} {
			paths = append(paths, "specs/"+dir+"/"+base)
		}
	}
	for _, p := range paths {
		treetest.Write(t, root, p, "# A\n")
	}
	found := map[string]bool{}
	err := Run(context.Background(), workspace.Options{Now: atNoon}, Request{Dir: root, Paths: []string{"."}}, func(c *Result) error {
		found[filepath.ToSlash(c.Path)] = true
		return c.Err
	})
	if err != nil || len(found) < 5 {
		t.Fatalf("%v, %v", found, err)
	}
	for _, p := range paths {
		if place, err := PlaceOf(filepath.Join(root, filepath.FromSlash(p)), nil); err != nil || place.Document != found[p] {
			t.Errorf("%s: document %v, a check finds it: %v (%v)", p, place.Document, found[p], err)
		}
	}
}

func TestPoint(t *testing.T) {
	outer := t.TempDir()
	treetest.Write(t, outer, "secret.txt", "x\n")
	treetest.Write(t, outer, "ws/specs/plan.md", "one\n")
	root := filepath.Join(outer, "ws")
	needs.Symlink(t, filepath.Join(outer, "secret.txt"), filepath.Join(root, "link.txt"))
	plan := filepath.Join(root, "specs", "plan.md")
	for path, want := range map[string]Pointer{
		"specs/plan.md":          {Path: plan, Exists: true},
		filepath.ToSlash(plan):   {Path: plan, Exists: true},
		"specs":                  {Path: filepath.Join(root, "specs"), Exists: true, Folder: true},
		"specs/gone.md":          {Path: filepath.Join(root, "specs", "gone.md")},
		"../secret.txt":          {},
		"link.txt":               {},
		"/etc/passwd":            {},
		"specs/../../secret.txt": {},
	} {
		if got := Point(root, path); got != want {
			t.Error(path, fmt.Sprintf("%+v, want %+v", got, want))
		}
	}
}
