package word_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/relay/word"
)

const relay = "0199-a"

func tree(t *testing.T) (*workspace.Workspace, string) {
	t.Helper()
	root := t.TempDir()
	dir := filepath.Join(root, ".handoff", "relays")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, relay+".jsonl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return workspace.New(root, config.Default(), workspace.Options{}), dir
}

// TestTo: an id of an environment names a relay of this workspace, or none. It never leads elsewhere.
func TestTo(t *testing.T) {
	ws, dir := tree(t)
	if err := os.Symlink(relay+".jsonl", filepath.Join(dir, "link.jsonl")); err != nil {
		t.Skip(err)
	}
	for id, want := range map[string]bool{relay: true, "": false, "other": false, "../relays/" + relay: false, "link": false, "a/b": false} {
		if _, ok := word.To(ws, id); ok != want {
			t.Errorf("%q: %t", id, ok)
		}
	}
}

// TestSaid: what several processes say at once is all kept, of each handoff by itself.
func TestSaid(t *testing.T) {
	ws, _ := tree(t)
	b, _ := word.To(ws, relay)
	var all sync.WaitGroup
	for _, h := range []string{"", "a.md", "b.md", "c.md", "a.md"} {
		all.Go(func() {
			if err := b.SayDone(context.Background(), h, time.Unix(1, 0)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := b.SayOther(context.Background(), "a.md", "other.md"); err != nil {
		t.Fatal(err)
	}
	if err := b.TakeBack(context.Background(), "b.md"); err != nil {
		t.Fatal(err)
	}
	s, err := b.Read()
	if err != nil || len(s.Done) != 3 || !s.Of("") || !s.Of("a.md") || s.Of("b.md") || !s.Of("c.md") || s.Elsewhere("a.md") != "other.md" || s.Elsewhere("") != "" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestQuestions: the questions of relays are found until they are settled; what is not one is left out.
func TestQuestions(t *testing.T) {
	ws, dir := tree(t)
	if q := word.Questions(ws); q != nil {
		t.Errorf("%+v", q)
	}
	b, _ := word.To(ws, relay)
	asks := word.Asks{Relay: relay, Task: 5, Slug: "migrate", Agent: "claude", Question: "Which one?", At: time.Unix(9, 0).UTC()}
	if err := b.Ask(asks); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"x.asks": "{", "y.asks": `{"relay":"z","task":1,"question":"?"}`, "z.asks": `{"relay":"z","question":"?"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if q := word.Questions(ws); len(q) != 1 || q[0] != asks {
		t.Errorf("%+v", q)
	}
	for range 2 {
		if err := b.Settle(); err != nil {
			t.Fatal(err)
		}
	}
	if q := word.Questions(ws); q != nil {
		t.Errorf("settled: %+v", q)
	}
}
