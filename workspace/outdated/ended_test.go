package outdated

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/parse"
)

// TestEnded: a process and a log that exist are not told, nor is a log outside of the workspace.
func TestEnded(t *testing.T) {
	needs.Unix(t, "only Unix tells cheaply whether a process exists")
	root := t.TempDir()
	treetest.Write(t, root, "logs/dev server.log", "")
	if _, err := os.Stat(filepath.Join(root, "logs/dev server.log")); err != nil {
		t.Fatal(err)
	}
	for item, want := range map[string][]string{
		"`npm run dev`: since 14:30, log `logs/dev server.log`, pid 1":     nil,
		"`npm run dev`: since 14:30, log `logs/dev.log`":                   {"the log logs/dev.log of a process that it says was left running does not exist"},
		"make watch (PID: 999999999, output to out.txt).":                  {"no process 999999999 runs here, which it says was left running", "the log out.txt of a process that it says was left running does not exist"},
		"make watch, log: /nowhere/at/all.log":                             nil,
		"make watch, log: ../all.log":                                      nil,
		"make watch, log `a\x1b[31m`":                                      {`the log a\x1b[31m of a process that it says was left running does not exist`},
		"a catalogue of 3 rapid 99 things, logged in since 999999999 days": nil,
	} {
		if got := ended(root, parse.Document([]byte("## Background processes\n- "+item+"\n"))); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", item, got, want)
		}
	}
}
