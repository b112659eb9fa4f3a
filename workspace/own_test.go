package workspace

import "testing"

func TestOwnFile(t *testing.T) {
	for name, want := range map[string]bool{
		".handoff/": true, ".handoff/agents/fake.yaml": false, ".handoff/templates/a.md.tmpl": false, ".handoff/receipts/1.jsonl.lock": true, ".handoff/of-a-later-version": true, ".rip/artifacts/blobs/c0f3": true, "app/.handoff/watch.json": true,
		"specs/": true, "specs/7_count/": true, "specs/7_count/.return-meta.json": true,
		"specs/7_count/handoffs/phase-1-handoff-20260212T143022Z.md": true, "specs/7_count/progress/phase-1-progress.json": true, "app/specs/7_count/handoffs/": true,
		"specs/7_count/reports/research-001.md": false, "a.go": false, "handoffs/a.md": false, ".handoff.yaml": false, "app/": false,
	} {
		if got := OwnFile(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
