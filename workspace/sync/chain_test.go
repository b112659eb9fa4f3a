package sync

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
)

// chain is a [workspace.Chain] that notes what it is asked, and fails after the first task.
type chain struct {
	writes bool
	asked  []string
	closed int
}

func (c *chain) Extend(_ context.Context, dir string, documents []workspace.Chained) (workspace.Extended, error) {
	c.asked = append(c.asked, dir+" "+documents[0].Path)
	did := workspace.Extended{
		Threads:   []workspace.TaskThread{{Path: dir, ThreadID: "t"}},
		Unchained: []workspace.Unchained{{Path: documents[0].Path, Text: "has no thread"}},
	}
	if len(c.asked) > 1 {
		return did, errors.New("the disk is full")
	}
	return did, nil
}

func (c *chain) Close() error { c.closed++; return nil }

// TestChain: the chain is opened once for all tasks with documents, to write only if
// something may be written, and closed; what it made is reported, also with an error. A
// program without one says so, and only a configuration with threads asks for it.
func TestChain(t *testing.T) {
	root := t.TempDir()
	for _, task := range []string{"1_a", "2_b"} {
		treetest.WriteDocument(t, root, "specs/"+task+"/handoffs/phase-1-handoff-20260101T000000Z.md")
	}
	treetest.Write(t, root, "specs/3_c/.return-meta.json", "{}")
	for _, dry := range []bool{true, false} {
		opened, made := 0, &chain{}
		w := workspace.New(root, config.Config{Threads: true}, workspace.Options{OpenChain: func(_ context.Context, _ *workspace.Workspace, writes bool) (workspace.Chain, error) {
			opened++
			made.writes = writes
			return made, nil
		}})
		var threads, problems []int
		var failed error
		if err := Run(t.Context(), w, Request{DryRun: dry}, func(s Result) error {
			threads, problems, failed = append(threads, len(s.Threads)), append(problems, len(s.Plan.Problems)), errors.Join(failed, s.Err)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		want := []string{"specs/1_a specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md", "specs/2_b specs/2_b/handoffs/phase-1-handoff-20260101T000000Z.md"}
		if opened != 1 || made.closed != 1 || made.writes == dry || !slices.Equal(made.asked, want) {
			t.Errorf("dry %t: opened %d times, %+v", dry, opened, made)
		}
		if !slices.Equal(threads, []int{1, 1}) || !slices.Equal(problems, []int{1, 1}) || failed == nil {
			t.Errorf("dry %t: threads %v, problems %v, %v", dry, threads, problems, failed)
		}
	}
	for _, threads := range []bool{false, true} {
		w := workspace.New(root, config.Config{Threads: threads}, workspace.Options{})
		_, err := One(t.Context(), w, Request{Tasks: []string{"specs/1_a"}})
		if (err != nil) != threads || threads && !strings.Contains(err.Error(), "keeps no threads") {
			t.Errorf("threads %t: %v", threads, err)
		}
	}
}
