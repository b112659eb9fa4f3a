package log

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/workspace"
)

// treeWith is a workspace with the journals of some relays, by id.
func treeWith(t *testing.T, journals map[string]string) *workspace.Workspace {
	t.Helper()
	dir := t.TempDir()
	for id, text := range map[string]string{"specs/.keep": ""} {
		write(t, filepath.Join(dir, id), text)
	}
	for id, text := range journals {
		write(t, filepath.Join(dir, ".handoff/relays", id+".jsonl"), text)
	}
	ws, err := workspace.Open(dir, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const started = `{"seq":0,"at":"2026-02-12T16:05:00Z","fact":"started","plan":{"objective":"parse","task":1,"phase":1,"agents":["claude"],"level":"all","max_continuations":3}}` + "\n"

// TestJournal: a torn last line is left out, and nothing is decided on facts that are
// damaged or not understood.
func TestJournal(t *testing.T) {
	const link = `{"seq":1,"at":"2026-02-12T16:05:01Z","fact":"link","link":1,"agent":"claude"}` + "\n"
	for name, c := range map[string]struct{ text, err string }{
		"whole":                        {started + link, ""},
		"a torn last line":             {started + link + `{"seq":2,"fact":"op`, ""},
		"a last line of zeros":         {started + link + "\x00\x00\x00\n", ""},
		"empty":                        {"", "no complete fact: start a new relay"},
		"a torn first line":            {started[:20], "no complete fact"},
		"no plan":                      {strings.Replace(started, `"plan"`, `"other"`, 1), `:1: damaged: incomplete fact "started"`},
		"no agents":                    {strings.Replace(started, `["claude"]`, `[]`, 1), ":1: damaged"},
		"no start":                     {strings.Replace(link, `"seq":1`, `"seq":0`, 1), ":1: damaged"},
		"started twice":                {started + strings.Replace(started, `"seq":0`, `"seq":1`, 1), ":2: damaged"},
		"a line is missing":            {started + strings.Replace(link, `"seq":1`, `"seq":2`, 1), ":2: damaged: has number 2, want 1"},
		"damage in the middle":         {started + "{\n" + link, ":2: unexpected end"},
		"a fact of a later version":    {started + `{"seq":1,"fact":"paused"}` + "\n", `:2: unknown fact "paused": a newer handoff wrote it; update this one`},
		"nothing was left, it says so": {started + `{"seq":1,"fact":"looked"}` + "\n", ":2: damaged"},
	} {
		s, err := Read(treeWith(t, map[string]string{"r1": c.text}), "r1")
		switch {
		case c.err == "" && (err != nil || s.Link != 1 || s.Plan.Objective != "parse"):
			t.Errorf("%s: %+v, %v", name, s, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: %v, want %q", name, err, c.err)
		}
	}
}

// TestList: one damaged journal does not hide the others.
func TestList(t *testing.T) {
	ws := treeWith(t, map[string]string{"aaaa1": started, "aaaa2": strings.Replace(started, "12T16", "13T16", 1) + `{"seq":1,"fact":"ended","reason":"spent"}` + "\n", "bad": "{\n{\n", "not an id": started})
	list, err := List(ws)
	if err == nil || !strings.Contains(err.Error(), "bad.jsonl:1") || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if a, b := list[0], list[1]; a.ID != "aaaa2" || a.State != "ended" || a.Reason != "spent" || b.ID != "aaaa1" || b.State != "killed" {
		t.Errorf("%+v", list)
	}
	for ref, want := range map[string]string{"latest": "aaaa2", "aaaa1": "aaaa1", "aaaa2": "aaaa2", "aaaa": "2 begin so", "parse": "2 are called so", "b": "bad.jsonl:1", "": "bad.jsonl:1"} {
		if id, err := Find(ws, ref); id != want && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %q, %v", ref, id, err)
		}
	}
	if _, err := Find(treeWith(t, nil), "latest"); err == nil || !strings.Contains(err.Error(), `no relay "latest"`) {
		t.Error(err)
	}
}

// TestLooksAtOnce: processes that look at a relay at the same time do not take each other for the one
// that runs it.
func TestLooksAtOnce(t *testing.T) {
	ws := treeWith(t, map[string]string{"01234567-89ab-4def-8123-456789abcdef": started})
	lookers := make(chan string, 4)
	for range cap(lookers) {
		go func() {
			state := ""
			for range 200 {
				if list, _ := List(ws); len(list) != 1 || list[0].State != "killed" {
					state = list[0].State
				}
			}
			lookers <- state
		}()
	}
	for range cap(lookers) {
		if state := <-lookers; state != "" {
			t.Errorf("a relay that nothing runs is %s", state)
		}
	}
}
