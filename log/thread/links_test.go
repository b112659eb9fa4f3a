package thread

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestLinks replaces files of the store by symlinks, as a downloaded tree may have
// them: nothing is read or written through them.
func TestLinks(t *testing.T) {
	for _, place := range []string{"threads/x.jsonl", "sessions/x.jsonl", "threads.jsonl"} {
		for _, text := range []string{"", "a secret on one line", `{"id":"a","session_id":"x","timestamp_ms":1,"seq":0,"type":"continuity_created","workspace":"/w","title":null}` + "\n"} {
			w := newFixture(t)
			victim := filepath.Join(t.TempDir(), "victim")
			link := filepath.Join(w.root, ".handoff", place)
			if err := errors.Join(os.WriteFile(victim, []byte(text), 0o600), os.MkdirAll(filepath.Dir(link), 0o755)); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(victim, link); err != nil {
				needs.Missing(t, "symlinks", err.Error())
			}
			_, post := w.PostMessage(ctx, "x", MessageRequest{Content: "m"})
			_, branch := w.Branch(ctx, "x", BranchRequest{})
			_, read := w.Head("x")
			_, say := w.AppendSession(ctx, "x", &SessionEnded{Reason: "completed"})
			_, start := w.StartSession(ctx, "x", "hello")
			list, _ := w.List(ctx)
			if post == nil || branch == nil || read == nil || say == nil || len(list) > 0 || start == nil && strings.HasPrefix(place, "sessions") {
				t.Errorf("%s: %v, %v, %v, %v, %v, %v", place, post, branch, read, say, start, list)
			}
			w.Create(ctx, CreateRequest{}) // which also adds it to the catalogue
			if got, err := os.ReadFile(victim); string(got) != text || err != nil {
				t.Errorf("%s: %q became %q, %v", place, text, got, err)
			}
			if all, _ := os.ReadDir(filepath.Dir(victim)); len(all) != 1 {
				t.Errorf("%s: %v", place, all)
			}
		}
	}
}

// TestLostBeginning: nothing is appended to a thread without its first events.
func TestLostBeginning(t *testing.T) {
	for _, text := range []string{"", "{\"id\":\"torn"} {
		w := newFixture(t)
		id := w.create("p")
		path := filepath.Join(w.root, ".handoff/threads", id+".jsonl")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := w.PostMessage(ctx, id, MessageRequest{Content: "m"})
		if err == nil || errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), id+".jsonl:1: ") {
			t.Error(err)
		}
		if got, _ := os.ReadFile(path); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}
