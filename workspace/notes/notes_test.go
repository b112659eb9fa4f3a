package notes_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/agents/transcript/gauge"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/workspace"
	"handoff/workspace/notes"
)

// open opens the notes of a folder as a new process does.
func open(t *testing.T, root string) *notes.Book {
	t.Helper()
	ws, err := workspace.Open(root, workspace.Options{Now: func() time.Time { return time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC) }})
	if err != nil {
		t.Fatal(err)
	}
	b, err := notes.Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func at(mark, used, compactions int) gauge.Reading {
	return gauge.Reading{Mark: mark, Used: used, Limit: 100, Compactions: compactions}
}

// TestStep asks in a new process each time: each crossing of a mark is noted
// once, before and after a compaction.
func TestStep(t *testing.T) {
	root := t.TempDir()
	for i, c := range []struct {
		session string
		r       gauge.Reading
		want    gauge.Kind
	}{
		{"a", at(0, 10, 0), ""},
		{"a", at(1, 80, 0), gauge.Mark},
		{"a", at(1, 82, 0), ""},
		{"b", at(1, 80, 0), gauge.Mark},
		{"a", at(2, 90, 0), gauge.Mark},
		{"a", at(2, 91, 0), ""},
		{"a", at(0, 10, 1), ""},
		{"a", at(1, 80, 1), gauge.Mark},
		{"b", at(1, 80, 0), ""},
		{"a", at(1, 80, 1), ""},
	} {
		kind, note, err := open(t, root).Step(t.Context(), "claude", c.session, c.r, notes.Seen{})
		if err != nil || note != (c.want != "") || note && kind != c.want {
			t.Errorf("%d: %q, %v, %v; want %q", i, kind, note, err, c.want)
		}
	}
	if kind, _, err := open(t, root).Step(t.Context(), "codex", "a", at(1, 80, 0), notes.Seen{}); kind != gauge.Mark || err != nil {
		t.Errorf("the same id of another agent: %q, %v", kind, err)
	}
	// A reading that changes nothing writes nothing.
	file := filepath.Join(root, ".handoff", "gauge.json")
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(t, root).Step(t.Context(), "claude", "a", at(1, 81, 1), notes.Seen{}); err != nil {
		t.Fatal(err)
	}
	if st, err := os.Stat(file); err != nil || !st.ModTime().Equal(old) {
		t.Errorf("written at %v, %v", st.ModTime(), err)
	}
}

// TestAtOnce has several hooks ask at the same time, as after calls of tools
// that ran in parallel: one of them gets the note.
func TestAtOnce(t *testing.T) {
	root := t.TempDir()
	var said atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, note, err := open(t, root).Step(t.Context(), "claude", "a", at(1, 80, 0), notes.Seen{})
			if err != nil {
				t.Error(err)
			}
			if note {
				said.Add(1)
			}
		})
	}
	all.Wait()
	if n := said.Load(); n != 1 {
		t.Errorf("%d notes, want 1", n)
	}
}

func TestManySessions(t *testing.T) {
	root := t.TempDir()
	const most = 500
	var b strings.Builder
	for i := range most {
		fmt.Fprintf(&b, `"claude %d":{"mark":1,"begun":true,"at":"2026-01-01T00:%02d:00Z"},`, i, 59-i/10)
	}
	file := filepath.Join(root, ".handoff", "gauge.json")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(`{"sessions":{`+strings.TrimSuffix(b.String(), ",")+"}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := open(t, root).Step(t.Context(), "claude", "new", at(1, 80, 0), notes.Seen{}); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(src), `"begun"`); n != 400 || !strings.Contains(string(src), `"claude new"`) || !strings.Contains(string(src), `"claude 0"`) || strings.Contains(string(src), `"claude 490"`) {
		t.Errorf("%d sessions; the new one has to be there, the oldest not", n)
	}
	for _, id := range []string{"new", "<&\"\n\u2028", "0", "2\": {"} { // each is reported once, and the others stay
		for i := range 2 {
			_, note, err := open(t, root).Step(t.Context(), "claude", id, at(1, 80, 0), notes.Seen{})
			if want := i == 0 && strings.ContainsAny(id, "&2"); note != want || err != nil {
				t.Errorf("%q: %v, %v", id, note, err)
			}
		}
	}
	src, err = os.ReadFile(file)
	var all struct{ Sessions map[string]any }
	if err != nil || json.Unmarshal(src, &all) != nil || len(all.Sessions) != 402 {
		t.Errorf("%d sessions, %v", len(all.Sessions), err)
	}
}

func TestDamage(t *testing.T) {
	root := t.TempDir()
	file := filepath.Join(root, ".handoff", "gauge.json")
	if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, damaged := range []string{`{"sessions":`, "", "{\n \"sessions\": {\n  \"claude a\": {\n   \"mark\": x\n  }\n }\n}\n", "{\n \"sessions\": {\n  \"claude a\": {\n   \"mark\": 1\n  },\n", `{"sessions":{"claude a":{"mark":"x"}}}`} {
		if err := os.WriteFile(file, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, note, err := open(t, root).Step(t.Context(), "claude", "a", at(1, 80, 0), notes.Seen{}); err == nil || note || !strings.Contains(err.Error(), "delete the file") {
			t.Errorf("%q: %v, %v", damaged, note, err)
		}
		if src, err := os.ReadFile(file); err != nil || string(src) != damaged {
			t.Errorf("changed to %q, %v", src, err)
		}
	}
	if _, _, err := open(t, t.TempDir()).Step(t.Context(), "claude", strings.Repeat("x", 300), at(1, 80, 0), notes.Seen{}); err == nil {
		t.Error("a long id is accepted")
	}
}

// TestChange has several hooks of a session change the same thing at once: one of
// them does. The gauge's notes are kept.
func TestChange(t *testing.T) {
	root := t.TempDir()
	if _, _, err := open(t, root).Step(t.Context(), "claude", "a", at(1, 80, 0), notes.Seen{}); err != nil {
		t.Fatal(err)
	}
	var done atomic.Int32
	var hooks sync.WaitGroup
	for range 8 {
		b := open(t, root)
		hooks.Go(func() {
			ok, err := b.Change(t.Context(), "claude", "a", func(p *notes.Past) bool {
				first := p.Asked == 0
				p.Asked = 1
				return first
			})
			if err != nil {
				t.Error(err)
			}
			if ok {
				done.Add(1)
			}
		})
	}
	hooks.Wait()
	if done.Load() != 1 {
		t.Errorf("%d changes, want 1", done.Load())
	}
	if p, err := open(t, root).Past("claude", "a"); err != nil || p.Asked != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := open(t, root).Past("codex", "a"); err != nil || p != (notes.Past{}) {
		t.Errorf("another agent: %+v, %v", p, err)
	}
	if _, note, err := open(t, root).Step(t.Context(), "claude", "a", at(1, 82, 0), notes.Seen{}); note || err != nil {
		t.Errorf("said twice: %v", err)
	}
}

// TestQuiet: a transcript is not read again while it cannot make a note due.
func TestQuiet(t *testing.T) {
	root := t.TempDir()
	r := at(1, 80, 0)
	r.Done = 2
	quiet := func(session string, size int64, done int) bool {
		t.Helper()
		ok, err := open(t, root).Quiet("claude", session, size, done)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	if quiet("a", 0, 0) {
		t.Error("a session that is not known")
	}
	for _, seen := range []notes.Seen{{Size: 1000, Room: 100}, {Size: 1050, Room: 100}} {
		if _, _, err := open(t, root).Step(t.Context(), "claude", "a", r, seen); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		size int64
		done int
		want bool
	}{
		{"as it was", 1050, 2, true}, {"grown a little", 1150, 2, true}, {"grown", 1151, 2, false},
		{"another file", 1049, 2, false}, {"an objective is done", 1050, 3, false},
	} {
		if got := quiet("a", c.size, c.done); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if quiet("b", 1050, 2) {
		t.Error("another session")
	}
	if _, _, err := open(t, root).Step(t.Context(), "claude", "a", at(2, 90, 0), notes.Seen{}); err != nil || quiet("a", 1050, 2) {
		t.Errorf("after a reading of another kind: %v", err)
	}
}
