package check

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"handoff/internal/testing/treetest"
	"handoff/lint"
	"handoff/lint/rules"
	"handoff/workspace"
)

func atNoon() time.Time { return time.Date(2026, 2, 12, 12, 0, 0, 0, time.UTC) }

// TestLintOrder checks many small folders at once: the results come in the
// order of the paths, each time.
func TestLintOrder(t *testing.T) {
	root := t.TempDir()
	var want []string
	for task := range 40 {
		for phase := range 3 {
			name := fmt.Sprintf("specs/%03d_x/handoffs/phase-%d-handoff-20260212T1430%02dZ.md", task+1, phase+1, phase)
			treetest.Write(t, root, name, "# Phase\n")
			want = append(want, filepath.FromSlash(name))
		}
	}
	for range 5 {
		var got []string
		err := Run(context.Background(), workspace.Options{Rules: rules.All, Now: atNoon}, Request{Dir: root}, func(c *Result) error {
			got = append(got, c.Path)
			return nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v, %d of %d files\n%v", err, len(got), len(want), got)
		}
	}
}

// TestLintStops ends early when the receiver of the results wants no more of
// them.
func TestLintStops(t *testing.T) {
	root := t.TempDir()
	for i := range 200 {
		treetest.Write(t, root, fmt.Sprintf("specs/%d_x/handoffs/a.md", i+1), "")
	}
	enough := errors.New("enough")
	n := 0
	err := Run(context.Background(), workspace.Options{Rules: rules.All, Now: atNoon}, Request{Dir: root}, func(*Result) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 3 {
		t.Errorf("%v after %d", err, n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Run(ctx, workspace.Options{Now: atNoon}, Request{Dir: root}, func(*Result) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestAbsolutePaths: an absolute path into the workspace is checked as the
// relative one is. The schema asks for absolute paths.
func TestAbsolutePaths(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, "a/b.lean", "one\ntwo\n")
	const doc = "specs/1_x/handoffs/phase-1-handoff-20260212T100000Z.md"
	abs := filepath.ToSlash(root)
	treetest.Write(t, root, doc, "# Phase 1 Handoff - 20260212T100000Z\n\n## Current State\n- **File**: "+abs+"/a/b.lean\n- **Location**: line 3\n\n"+
		"## References (read only if stuck)\n- Plan: "+abs+"/docs/plan.md\n- "+abs+"-other/plan.md\n")
	var got []string
	some := []*lint.Rule{rules.Find("dead-reference"), rules.Find("dead-line")}
	err := Run(context.Background(), workspace.Options{Rules: some, Now: atNoon}, Request{Dir: root}, func(c *Result) error {
		for _, f := range c.Findings {
			got = append(got, fmt.Sprint(f.Lines.First, " ", f.Rule))
		}
		return nil
	})
	if err != nil || !slices.Equal(got, []string{"5 dead-line", "8 dead-reference"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestNestedWorkspaces resolves references in the workspace that contains the
// document, not in the folder that lint was called for.
func TestNestedWorkspaces(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, "inner/docs/plan.md", "x\n")
	const doc = "# Phase 1 Handoff - 20260212T100000Z\n\n## References (read only if stuck)\n- Plan: docs/plan.md\n"
	treetest.Write(t, root, "inner/specs/1_x/handoffs/phase-1-handoff-20260212T100000Z.md", doc)
	treetest.Write(t, root, "specs/1_x/handoffs/phase-1-handoff-20260212T100000Z.md", doc)
	dead := map[string]bool{}
	for _, paths := range [][]string{{"."}, {"inner", "specs"}} {
		err := Run(context.Background(), workspace.Options{Rules: []*lint.Rule{rules.Find("dead-reference")}, Now: atNoon}, Request{Dir: root, Paths: paths},
			func(c *Result) error {
				dead[filepath.ToSlash(c.Path)] = len(c.Findings) > 0
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if dead["inner/specs/1_x/handoffs/phase-1-handoff-20260212T100000Z.md"] || !dead["specs/1_x/handoffs/phase-1-handoff-20260212T100000Z.md"] {
			t.Errorf("%v: dead references in %v", paths, dead)
		}
	}
}
