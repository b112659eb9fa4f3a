package state_test

import (
	"flag"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"handoff/internal/file/atomicfile"
	"handoff/internal/state"
	"handoff/internal/state/names"
	"handoff/log/artifact"
)

var update = flag.Bool("update", false, "write docs/state.md")

//go:generate go test -vet=off . -run TestPage -update

// TestPage compares the page with the table.
func TestPage(t *testing.T) {
	const file = "../../docs/state.md"
	if *update {
		if err := os.WriteFile(file, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src, err := os.ReadFile(file)
	if err != nil || string(src) != page() {
		t.Errorf("%s is not what the table says (%v): go generate ./internal/state", file, err)
	}
}

// TestTable checks each row: its owner exists, one name has one row, what a record is says what
// is lost, and its folder has a row.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range state.Table {
		if st, err := os.Stat("../../" + r.Owner); err != nil || !st.IsDir() {
			t.Errorf("%s: no package %s", r.Name, r.Owner)
		}
		if seen[r.Name] {
			t.Errorf("%s: two rows", r.Name)
		}
		seen[r.Name] = true
		if (r.Lost == state.Record || r.Lost == state.Cached) && r.Note == "" || r.Holds == "" {
			t.Errorf("%s: what does it hold, and what is lost with it?", r.Name)
		}
		if dir := path.Dir(strings.TrimSuffix(strings.TrimSuffix(r.Name, "/**"), "/")); dir != "." {
			if _, ok := state.Find(dir, r.Where != state.Tree); !ok {
				t.Errorf("%s: its folder has no row", r.Name)
			}
		}
	}
}

// TestFind finds files, what is beside them, and nothing else.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		name        string
		tree, inGit string // the row, "" for none
	}{
		{"lock", "lock", ""}, {"threads/", "threads/", ""}, {"threads/a.jsonl", "threads/*.jsonl", ""}, {"threads/a.jsonl.lock", "threads/*.jsonl", ""},
		{"threads/a.jsonl.torn-12-1", "threads/*.jsonl", ""}, {"threads/a.jsonl.idx", "threads/*.jsonl", ""}, {"threads/a.jsonl.idx/head", "threads/*.jsonl", ""},
		{"threads/a.jsonl.idx/ab.keys.1", "threads/*.jsonl", ""}, {"threads/a/b.jsonl", "", ""}, {"threads/a.txt", "", ""},
		{"gauge.json", "gauge.json", "gauge.json"}, {"gauge.json.lock", "gauge.json", "gauge.json"}, {"hook-errors.json.aside-1", "hook-errors.json", "hook-errors.json"},
		{"receipts/a.jsonl.aside-2.lock", "receipts/*.jsonl", "receipts/*.jsonl"}, {"store/objects/ab/cd", "", "store/**"}, {"store", "", "store/**"}, {"store.lock", "", "store.lock"},
		{"agents/mine.yaml", "agents/**", ""}, {"tmp/x.handoff-saved-1", "tmp/*", ""}, {"settings/aside/2026/.claude/settings.json", "settings/aside/**", "settings/aside/**"},
		{"other", "", ""}, {".lock", "", ""}, {"other.lock", "", ""}, {"", "", ""}, {"gauge.json/x", "", ""},
	} {
		if r, _ := state.Find(c.name, false); r.Name != c.tree {
			t.Errorf("%s in a workspace: %q", c.name, r.Name)
		}
		if r, _ := state.Find(c.name, true); r.Name != c.inGit {
			t.Errorf("%s in a git folder: %q", c.name, r.Name)
		}
	}
}

// TestIgnored: git gets outputs only if they are shared, and nothing of this machine. Lines
// that an older version wrote are still among them, else its list would count as the user's own.
func TestIgnored(t *testing.T) {
	own, threads, tapes := state.Ignored(state.Private), state.Ignored(state.Threads), state.Ignored(state.Tapes)
	for _, line := range []string{"/.gitignore", "/lock", "/watch.json", "/watch.lock", "/watch.sock", "/runs/", "/relays/", "/receipts/", "/feeds/", "/requests/", "/requests.lock",
		"/seen", "/current/", "/tmp/", "*.idx/", "*.jsonl.lock", "*.jsonl.torn-*", "*.jsonl.aside-*", "/replica.json", "/.handoff-tmp-*",
		"/outbox/", "/gauge.json", "/hook-errors.json", "/settings/", "/settings-changed.json", "/tape/receive.lock", "*.json.lock"} {
		if !slices.Contains(own, line) {
			t.Errorf("%s is not ignored", line)
		}
	}
	if want := []string{"/threads/", "/threads.jsonl", "/sessions/", "/sessions.jsonl", "/tasks/"}; !slices.Equal(threads, want) {
		t.Errorf("of threads: %q", threads)
	}
	if want := []string{"/tape/", "/envelopes.jsonl", "/session_graph.jsonl"}; !slices.Equal(tapes, want) {
		t.Errorf("of tapes: %q", tapes)
	}
	for _, line := range slices.Concat(own, threads, tapes) {
		if strings.HasPrefix(line, "/agents") || strings.HasPrefix(line, "/templates") || strings.HasPrefix(line, "/store") {
			t.Errorf("%s is ignored", line)
		}
	}
}

// TestNames compares the names that other packages own.
func TestNames(t *testing.T) {
	if !strings.HasPrefix(artifact.Blobs, state.Artifacts+"/") || atomicfile.Scratch != state.Dir+"/tmp" {
		t.Errorf("artifacts are in %s, temporary files in %s", artifact.Blobs, atomicfile.Scratch)
	}
	for _, name := range []string{names.Catalogue, names.Finished, names.Threads + "/a.jsonl", names.Sessions + "/a.jsonl", names.Tasks + "/a.jsonl", names.Envelopes, names.Tapes + "/a@2.jsonl", names.Tapes + "/" + names.Archived + "/a.jsonl"} {
		if r, ok := state.Find(name, false); !ok || !names.Owns(name) || names.OfThreads(name) != (r.Share == state.Threads) || names.OfTapes(name) != (r.Share == state.Tapes) {
			t.Errorf("%s: %+v", name, r)
		}
	}
	folders, files := state.Checked()
	if want := []string{".handoff", ".handoff/runs", ".handoff/relays", ".handoff/tmp", ".handoff/threads", ".handoff/sessions", ".handoff/tasks", ".handoff/tape", ".handoff/tape/archived", ".handoff/previous"}; !slices.Equal(folders, want) || !slices.Equal(files, []string{".handoff/tape/manifest.json"}) {
		t.Errorf("checked before a write: %q, %q", folders, files)
	}
	if got := state.Of("workspace/daemon"); len(got) != 3 {
		t.Errorf("of the watch: %q", got)
	}
	if got := state.Outside(); !slices.Equal(got, []string{"receipts", "feeds", "requests", "outbox"}) {
		t.Errorf("with references, in git folders: %q", got)
	}
}
