package sync_test

import (
	"strings"
	"testing"

	"handoff/internal/testing/treetest"
	"handoff/lint/rules"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/documents"
	"handoff/workspace/sync"
)

// TestGraveErrors: a lead that reads only the metadata learns that a handoff has nothing to
// begin with, until it has.
func TestGraveErrors(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{Rules: rules.All})
	const doc = "specs/1_a/handoffs/phase-1-handoff-20260101T000000Z.md"
	read := func() string {
		t.Helper()
		if _, err := sync.One(t.Context(), w, sync.Request{Tasks: []string{"specs/1_a"}, Fresh: []string{doc}}); err != nil {
			t.Fatal(err)
		}
		src, err := documents.Metadata(w, "specs/1_a")
		if err != nil {
			t.Fatal(err)
		}
		return string(src)
	}
	treetest.Write(t, w.Root, doc, "# Phase 1 Handoff\n\n## Immediate Next Action\nContinue.\n")
	const problem = "a successor cannot begin with this handoff: vague-next-action (`handoff lint " + doc + "`)"
	if text := read(); !strings.Contains(text, problem) || !strings.Contains(text, `"handoff_path": "`+doc+`"`) {
		t.Error(text)
	}
	treetest.Write(t, w.Root, doc, "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n")
	if text := read(); !strings.Contains(text, `"handoff_problem": null`) {
		t.Error(text)
	}
}
