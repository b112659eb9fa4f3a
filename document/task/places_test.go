package task_test

import (
	"slices"
	"testing"

	"handoff/document/task"
	"handoff/internal/testing/treetest"
)

// TestNotes: half of the public files SESSION_NOTES.md say what comes next, so one counts where no other place has
// documents, and never makes a handoff elsewhere unclear. Names that pages have in small letters count in capitals.
func TestNotes(t *testing.T) {
	for _, c := range []struct{ files, found []string }{
		{[]string{"SESSION_NOTES.md"}, []string{"SESSION_NOTES.md"}},
		{[]string{"SESSION_NOTES.md", "HANDOFF.md"}, []string{"HANDOFF.md"}},
		{[]string{"SESSION-NOTES.md", "docs/handoffs/2026-02-12-fix.md"}, []string{"docs/handoffs/2026-02-12-fix.md"}},
		{[]string{"docs/SESSION_NOTES.md", "session_notes.md", "docs/continue.md", "docs/agent_handoff.md", "docs/session-state.md"}, nil},
		{[]string{".ai/HANDOFF.md"}, []string{".ai/HANDOFF.md"}},
		{[]string{"docs/AGENT-HANDOFF.md"}, []string{"docs/AGENT-HANDOFF.md"}},
		{[]string{"PROJECT_HANDOFF.md"}, []string{"PROJECT_HANDOFF.md"}},
		{[]string{"CONTINUE.md", "SESSION_NOTES.md"}, []string{"CONTINUE.md"}},
	} {
		root := t.TempDir()
		for _, f := range c.files {
			treetest.Write(t, root, f, "# Handoff\n")
		}
		var got []string
		for _, d := range task.Detect(t.Context(), root) {
			got = append(got, d.Found...)
		}
		if !slices.Equal(got, c.found) {
			t.Errorf("%q: found %q, want %q", c.files, got, c.found)
		}
	}
}
