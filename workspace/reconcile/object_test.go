package reconcile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/lint"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
)

// TestUndecodable expects metadata in Latin-1 to stay the same, and a problem at
// its first byte that is not UTF-8.
func TestUndecodable(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, faultTask, "handoffs"), 0o755); err != nil {
		t.Fatal(err)
	}
	src := "{\n  \"summary\": \"\u00fcber caf\xe9\"\n}\n"
	path := filepath.Join(root, faultTask, ".return-meta.json")
	for name, text := range map[string]string{path: src,
		filepath.Join(root, faultDoc): "# Phase 3 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `x`.\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	state, err := new(reconcile.Loader).Load(t.Context(), root, store, faultTask)
	if err != nil {
		t.Fatal(err)
	}
	const text = "is not JSON: byte 0xe9 at offset 25 is not UTF-8: save the file as UTF-8"
	plan := reconcile.Make(state)
	if p := plan.Problems; len(p) != 1 || p[0].Line != 2 || p[0].Col != 23 || p[0].Text != text+": left alone" {
		t.Errorf("problems %+v", p)
	}
	for _, w := range plan.Writes {
		if strings.HasSuffix(w.Path, ".return-meta.json") {
			t.Errorf("it would be written: %q", w.New)
		}
	}
	found := rules.Check(state, rules.DiskOf(root), new(lint.Settings))
	if len(found) == 0 || found[0].Message != text || found[0].Lines.First != 2 || found[0].Col != 24 {
		t.Errorf("found %+v", found)
	}
	if _, err := state.Linked(faultDoc); err == nil || !strings.Contains(err.Error(), "offset 25") {
		t.Errorf("linked: %v", err)
	}
}
