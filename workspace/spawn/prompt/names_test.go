package prompt_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"handoff/internal/testing/frametest"
	"handoff/lint/rules"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/spawn/prompt"
)

// TestNamesStayInTheFrame: the prompts of spawn, relay and hooks have no words of a folder,
// of a file that the document names, or of a rule's message outside of the frame.
func TestNamesStayInTheFrame(t *testing.T) {
	root := t.TempDir()
	path := "specs/9_" + frametest.Name + "/handoffs/phase-1-handoff-20260212T143022Z.md"
	file := filepath.Join(root, filepath.FromSlash(path))
	src := "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test`.\n\n## References\n- `" + frametest.Word + "/gone file.go`\n"
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 30, 0, 0, 0, 0, time.UTC)
	ws, err := workspace.Open(root, workspace.Options{Rules: rules.All, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	_, text, err := prompt.Continue(t.Context(), ws, root, "9/1", "Finish the parser.")
	if err != nil {
		t.Fatal(err)
	}
	frametest.Check(t, "spawn", text, "Continue the work that the report below", "The objective of all this work", "handoff new --task 9 --phase 1 --from FILE", "The document: 9/1")
	for _, by := range []string{"claude", frametest.Name} {
		text, err = prompt.Shown(t.Context(), ws, documents.EntryAt(ws, path), by, 9000)
		if err != nil {
			t.Fatal(err)
		}
		frametest.Check(t, "a hook, by "+by, text, "The report below", "The document: 9/1")
	}
	frametest.Check(t, "begin", prompt.Begin("Finish it.", prompt.Place{Task: 9, Slug: frametest.Name}), "--slug SLUG")
}
