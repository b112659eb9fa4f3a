package audit_test

import (
	"os"
	"path/filepath"
	"testing"

	"handoff/agents/transcript"
	"handoff/agents/transcript/audit"
	"handoff/internal/testing/needs"
)

// TestCorpus counts what the compactions of recorded sessions dropped, and prints it. docs/chain.md has the figures.
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts", "*", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	const headSize = 256 << 10
	items := map[audit.Fate]int{}
	summaries := map[audit.Summary]int{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, _ := audit.Read(src, transcript.Detect(src[:min(len(src), headSize)]), audit.Options{Uncommitted: func(_, _ string) bool { return true }})
		for _, c := range found {
			summaries[c.Summary]++
			for _, it := range c.Items {
				if items[it.Fate]++; it.Fate == audit.Dropped {
					t.Logf("%s:%d: %s: %s", filepath.Base(file), it.Line, it.Kind, it.Text)
				}
			}
		}
	}
	t.Logf("summaries: %v, items: %v", summaries, items)
	if summaries[audit.Readable] != 3 || summaries[audit.Sealed] != 1 || items[audit.Kept] < 14 || items[audit.Dropped] > 0 {
		t.Error("see docs/chain.md")
	}
}
