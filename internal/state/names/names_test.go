package names

import (
	"strings"
	"testing"

	"handoff/log/engine"
)

// TestOwns walks the logs of threads and tapes, and files beside them.
func TestOwns(t *testing.T) {
	hash := strings.Repeat("ab", 32)
	for _, path := range []string{
		"threads.jsonl", "sessions.jsonl", "threads/a-1.jsonl", "sessions/a_1.jsonl", "tasks/a.b.jsonl", "threads/" + strings.Repeat("x", MaxID) + ".jsonl",
		"envelopes.jsonl", "tape/main.jsonl", "tape/main@2.jsonl", "tape/telegram%3A123.jsonl", "tape/archived/main_2026-02-12_160500.jsonl",
		"tape/" + FileName(strings.Repeat("ß", 31)) + ".jsonl", "tape/" + Generation(strings.Repeat("x", 4096), 12) + ".jsonl",
	} {
		if !Owns(path) || OfThreads(path) == OfTapes(path) {
			t.Errorf("%s: of threads %t, of tapes %t", path, OfThreads(path), OfTapes(path))
		}
		if err := engine.CheckLog(path); err != nil {
			t.Error(err)
		}
	}
	for _, path := range []string{
		"", ".jsonl", "tasks.jsonl", "tape.jsonl", "session_graph.jsonl", "threads", "threads/", "threads/.jsonl", "threads/a", "threads/a/b.jsonl", "threads/../a.jsonl",
		"threads/con.jsonl", "sessions/LPT9.x.jsonl", "threads/.a.jsonl", "threads/a b.jsonl", "threads/" + strings.Repeat("x", MaxID+1) + ".jsonl", "relays/a.jsonl",
		"tape/manifest.json", "tape/.jsonl", "tape/main@1.jsonl", "tape/main@02.jsonl", "tape/main@x.jsonl", "tape/a b.jsonl", "tape/%3a.jsonl", "tape/nul.jsonl",
		"tape/@" + hash + ".jsonl", "tape/.a@" + hash + ".jsonl", "tape/nul@" + hash + ".jsonl", "tape/a b@" + hash + ".jsonl", "tape/a@" + hash + "@1.jsonl",
		"tape/a@" + strings.ToUpper(hash) + ".jsonl", "tape/" + strings.Repeat("a", 101) + "@" + hash + ".jsonl",
		"tape/a/b.jsonl", "tape/archived/.jsonl", "tape/archived/a/b.jsonl", "other/main.jsonl",
	} {
		if Owns(path) {
			t.Errorf("%q is owned", path)
		}
	}
}

// TestGenerations reads the generation of each file that it names.
func TestGenerations(t *testing.T) {
	for _, tape := range []string{"main", "a@2", "telegram:123", "größe", strings.Repeat("ß", 31), strings.Repeat("x.", 2047) + "y"} {
		for _, n := range []int{1, 2, 30} {
			name, number, ok := GenerationOf(Generation(tape, n))
			if name == "" { // too long for a file: its first line has it
				name = Within(Generation(tape, n), Signed(tape, []byte(`{"id":1,"tape":"other"}`)))
			}
			if name != tape || number != n || !ok {
				t.Errorf("%s, %d: %s is of %q, %d, %t", tape, n, Generation(tape, n), name, number, ok)
			}
		}
	}
}
