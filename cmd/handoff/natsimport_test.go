package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/natstest"
)

// TestImportIntoStore: an imported tape is in the store, whole, and another workspace can
// append to it: also one that the store had sealed, and one that is longer than a store
// takes at once.
func TestImportIntoStore(t *testing.T) {
	bin, top := commandDir(t), t.TempDir()
	store := natstest.Start(t, natstest.Options{Nodes: 1}).Addresses()[0] + "/shared"
	for _, name := range []string{"a", "b"} {
		writeFile(t, top, name+"/specs/README.md", "")
		writeFile(t, top, name+"/.handoff.yaml", "store: "+store+"\n")
	}
	trustRoots(t, filepath.Join(top, "a"), filepath.Join(top, "b"))
	run := func(dir string, args ...string) string {
		t.Helper()
		out, err := programIn(t, bin, filepath.Join(top, dir), args...).Output()
		if err != nil {
			t.Fatalf("%v in %s: %v\n%s", args, dir, err, stderr(err))
		}
		return string(out)
	}
	var long strings.Builder
	const entries = 5000
	for n := range entries {
		fmt.Fprintf(&long, `{"id": %d, "kind": "message", "payload": {"role": "user", "content": "%s"}, "meta": {}, "date": "2026-02-12T09:00:00+00:00"}`+"\n", n+1, strings.Repeat("x", 300))
	}
	writeFile(t, top, "long.jsonl", long.String())
	run("a", "store", "copy", "files", store)
	run("a", "tape", "append", "--tape", "old", "one")
	run("a", "tape", "reset", "--tape", "old")
	run("a", "tape", "append", "--tape", "old", "two")
	run("a", "tape", "import", ".handoff/tape/old.jsonl", "--to", "again")
	run("a", "tape", "import", "../long.jsonl", "--to", "long")
	for name, want := range map[string]string{"again": "tape.closed.copied", "long": strings.Repeat("x", 300)} {
		run("b", "tape", "append", "--tape", name, "after the import")
		text := run("a", "tape", "read", "--tape", name, "--format", "json")
		if !strings.Contains(text, "after the import") || !strings.Contains(text, want) {
			t.Errorf("%s: %d bytes", name, len(text))
		}
	}
	if n := strings.Count(run("b", "tape", "read", "--tape", "long", "--format", "json"), "\n"); n != entries+1 {
		t.Errorf("%d entries, want %d", n, entries+1)
	}
	if _, err := os.Stat(filepath.Join(top, "b/.handoff/tape/again.jsonl")); err != nil {
		t.Error(err)
	}
}
