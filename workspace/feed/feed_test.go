package feed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/lint/rules"
	"handoff/log/receipt"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
)

// tree is a workspace with an empty specs folder.
type tree struct {
	t    testing.TB
	root string
}

func newTree(t testing.TB) tree {
	t.Helper()
	w := tree{t, t.TempDir()}
	if err := os.Mkdir(filepath.Join(w.root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w tree) open() (*workspace.Workspace, error) {
	return workspace.Open(w.root, workspace.Options{Rules: rules.All})
}

func (w tree) feed() *Feed {
	f := New(Options{Open: w.open, Poll: time.Millisecond, Say: func(text string) { w.t.Error(text) }})
	w.t.Cleanup(func() { f.Close() })
	return f
}

func (w tree) workspace() *workspace.Workspace {
	w.t.Helper()
	ws, err := w.open()
	if err != nil {
		w.t.Fatal(err)
	}
	return ws
}

// create writes a handoff as `handoff new` does, and returns its path.
func (w tree) create(task int) string {
	w.t.Helper()
	made, err := create.Run(w.t.Context(), w.workspace(), create.Request{Values: templates.Values{Task: task, Phase: 1, NextAction: "Run `x`."}, Slug: "x", Draft: true})
	if err == nil {
		err = made.Unlinked
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return made.Path
}

// byHand writes a handoff without the tool.
func (w tree) byHand(task int) string {
	w.t.Helper()
	path := fmt.Sprintf("specs/%d_x/handoffs/phase-1-handoff-20260212T143022Z.md", task)
	full := filepath.Join(w.root, filepath.FromSlash(path))
	err := os.MkdirAll(filepath.Dir(full), 0o755)
	if err == nil {
		err = os.WriteFile(full, []byte("# Phase 1 Handoff\n"), 0o644)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w tree) book() *receipts.Book {
	w.t.Helper()
	b, err := receipts.Open(w.workspace())
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func (w tree) claim(path, by string) string {
	w.t.Helper()
	r, err := w.book().Claim(w.t.Context(), receipts.Target{Dir: w.root, Ref: path}, receipt.ClaimRequest{By: by, TTL: time.Hour})
	if err != nil {
		w.t.Fatal(err)
	}
	return r.Claim
}

// events are all events of the feed in the file.
func (w tree) events() (list []Event) {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.root, ".handoff/feeds/*.jsonl"))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("%v, %v", files, err)
	}
	src, err := os.ReadFile(files[0])
	if err != nil {
		w.t.Fatal(err)
	}
	for line := range strings.Lines(string(src)) {
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			w.t.Fatalf("%q: %v", line, err)
		}
		if e.Seq != uint64(len(list)) {
			w.t.Fatalf("event %d has the number %d", len(list), e.Seq)
		}
		list = append(list, e)
	}
	return list
}

func (w tree) update(f *Feed) {
	w.t.Helper()
	if err := f.Update(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

func words(list []Event) string {
	var out []string
	for _, e := range list {
		out = append(out, fmt.Sprintf("%d:%s", e.Task, e.Type))
	}
	return strings.Join(out, " ")
}

// TestUpdate: each update adds what happened since the last one, also by another process
// or before the first one, and nothing twice.
func TestUpdate(t *testing.T) {
	w := newTree(t)
	first := w.create(1)
	claim := w.claim(first, "codex")
	f := w.feed()
	w.update(f)
	w.update(f)
	want := "1:written 1:linked 1:claimed"
	if got := words(w.events()); got != want {
		t.Fatalf("%s, want %s", got, want)
	}
	w.byHand(2)
	if _, err := w.book().Release(t.Context(), receipts.Target{Claim: claim}, "later"); err != nil {
		t.Fatal(err)
	}
	w.update(w.feed()) // another process
	w.create(2)
	w.update(f)
	w.update(w.feed())
	want += " 2:written 1:released 2:written 2:linked 2:linked"
	if got := words(w.events()); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	all := w.events()
	if e := all[4]; e.Why != "later" || e.By != "codex" || e.Token != 1 || e.Step == nil || *e.Step != 1 || e.Ref != "1/1" || e.Path != first {
		t.Errorf("%+v", e)
	}
	if e := all[1]; len(e.Bundle) != 64 || e.At.IsZero() {
		t.Errorf("%+v", e)
	}
}

// TestOtherFiles: archived documents, files that are not documents and receipts of other
// workspaces are not in the feed.
func TestOtherFiles(t *testing.T) {
	w := newTree(t)
	for _, path := range []string{"specs/archive/1_x/handoffs/phase-1-handoff-20260212T143022Z.md", "specs/2_x/handoffs/notes.txt", "specs/2_x/plans/plan.md", "notes.md"} {
		full := filepath.Join(w.root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	store, err := w.workspace().Receipts()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Record(t.Context(), "sub/specs/1_x/handoffs/phase-1-handoff-20260212T143022Z.md", receipt.Moment{Now: time.Now()}.Deliver("x", "")); err != nil {
		t.Fatal(err)
	}
	w.update(w.feed())
	if got := w.events(); len(got) != 0 {
		t.Errorf("%s", words(got))
	}
}

// TestSession: the event of a step names the session that took it.
func TestSession(t *testing.T) {
	place := receipt.Place{}
	e := stepEvent(place, documents.Entry{Path: "specs/1_x/handoffs/a.md"}, receipt.Step{Kind: receipt.StepDelivered, Host: "codex", Session: "s1"})
	if e.Host != "codex" || e.Session != "s1" || e.Type != "delivered" {
		t.Errorf("%+v", e)
	}
}

// TestStepsInOrder: steps of one handoff keep their order if a clock goes back, and those
// of several are sorted by time.
func TestStepsInOrder(t *testing.T) {
	at := func(path string, seconds int) Event {
		return Event{Path: path, At: time.Unix(int64(seconds), 0), SHA256: fmt.Sprint(seconds)}
	}
	list := []Event{at("a", 1), at("a", 9), at("a", 3), at("a", 10), at("b", 2), at("b", 4)}
	inOrder(list)
	var got []string
	for _, e := range list {
		got = append(got, e.Path+e.SHA256)
	}
	if want := "a1 b2 b4 a9 a3 a10"; strings.Join(got, " ") != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestBeginAgain: a deleted feed has everything again, and so have deleted receipts that
// begin again.
func TestBeginAgain(t *testing.T) {
	w := newTree(t)
	path := w.create(1)
	w.claim(path, "codex")
	f := w.feed()
	w.update(f)
	before := words(w.events())
	if err := os.RemoveAll(filepath.Join(w.root, ".handoff/feeds")); err != nil {
		t.Fatal(err)
	}
	w.update(f)
	if got := words(w.events()); got != before {
		t.Errorf("%s, want %s", got, before)
	}
	if err := os.RemoveAll(filepath.Join(w.root, ".handoff/receipts")); err != nil {
		t.Fatal(err)
	}
	w.update(f)
	store, err := w.workspace().Receipts()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Record(t.Context(), path, receipt.Moment{Now: time.Now()}.Finish("ann", "")); err != nil {
		t.Fatal(err)
	}
	w.update(f)
	if got, want := words(w.events()), before+" 1:done"; got != want {
		t.Errorf("after the receipts were deleted: %s, want %s", got, want)
	}
}

// TestFollow: a follower gets what exists, then what is written by hand, by the tool and
// by steps of other processes.
func TestFollow(t *testing.T) {
	w := newTree(t)
	path := w.create(1)
	f := w.feed()
	if n, err := f.Len(t.Context()); n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	ctx, cancel := context.WithCancel(waittest.Context(t))
	defer cancel()
	var got []Event
	for rec, err := range f.Follow(ctx, 1) {
		if err != nil {
			t.Fatal(err)
		}
		var e Event
		if err := json.Unmarshal(rec.Line, &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, e)
		switch words(got) {
		case "1:linked":
			w.byHand(2)
		case "1:linked 2:written":
			w.claim(path, "codex")
		case "1:linked 2:written 1:claimed":
			cancel()
		}
		if len(got) == 3 {
			break
		}
	}
	if got := words(got); got != "1:linked 2:written 1:claimed" {
		t.Errorf("%s", got)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.feed().Len(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestDamage: a damaged feed is an error that names it and is not changed; damaged
// receipts are reported once, and hide no others.
func TestDamage(t *testing.T) {
	w := newTree(t)
	w.claim(w.create(1), "codex")
	w.claim(w.create(2), "codex")
	files, err := filepath.Glob(filepath.Join(w.root, ".handoff/receipts/*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("{\"seq\":7}\n{\"seq\":8}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var said []string
	f := New(Options{Open: w.open, Say: func(text string) { said = append(said, text) }})
	defer f.Close()
	w.update(f)
	w.update(f)
	got := strings.Fields(words(w.events()))
	if slices.Sort(got); len(got) != 5 || len(said) != 1 || !strings.Contains(said[0], filepath.Base(files[0])) {
		t.Errorf("%s; said %q", got, said)
	}
	feeds, err := filepath.Glob(filepath.Join(w.root, ".handoff/feeds/*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(feeds[0], []byte("{\"seq\":3}\n{\"seq\":4}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.feed().Update(t.Context()); err == nil || !strings.Contains(err.Error(), filepath.Base(feeds[0])) || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestLinksAreNotFollowed: neither the folder of the feeds nor the feed is written through
// a symlink.
func TestLinksAreNotFollowed(t *testing.T) {
	for _, name := range []string{".handoff/feeds", ".handoff/feeds/feed"} {
		w := newTree(t)
		w.byHand(1)
		link := filepath.Join(w.root, filepath.FromSlash(name))
		if filepath.Base(link) == "feed" { // its name is known once there is one
			w.update(w.feed())
			files, err := filepath.Glob(filepath.Join(filepath.Dir(link), "*.jsonl"))
			if err != nil || len(files) != 1 {
				t.Fatalf("%v, %v", files, err)
			}
			link = files[0]
		}
		outside := t.TempDir()
		if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o755), os.RemoveAll(link)); err != nil {
			t.Fatal(err)
		}
		needs.Symlink(t, filepath.Join(outside, "x"), link)
		if err := w.feed().Update(t.Context()); err == nil {
			t.Errorf("%s: no error", name)
		}
		if left, err := os.ReadDir(outside); err != nil || len(left) != 0 {
			t.Errorf("%s: %v, %v", name, left, err)
		}
	}
}

// TestHostileFiles: names, texts and times that an event cannot have do not stop the feed,
// and are not new each time.
func TestHostileFiles(t *testing.T) {
	needs.Linux(t, "file names need not be UTF-8")
	w := newTree(t)
	path := w.byHand(1)
	full := filepath.Join(w.root, filepath.FromSlash(path))
	far := time.Unix(1<<40, 0)
	if err := errors.Join(os.WriteFile(filepath.Join(filepath.Dir(full), "\xff\n.md"), nil, 0o644), os.Chtimes(full, far, far)); err != nil {
		t.Fatal(err)
	}
	metadata := fmt.Sprintf(`{"artifacts":[{"type":"handoff","path":%q,"bundle_artifact_id":%q}]}`, path, strings.Repeat("x", 1<<18))
	if err := os.WriteFile(filepath.Join(w.root, "specs/1_x/.return-meta.json"), []byte(metadata), 0o644); err != nil {
		t.Fatal(err)
	}
	w.claim(path, "codex")
	files, err := filepath.Glob(filepath.Join(w.root, ".handoff/receipts/*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	src, err := os.ReadFile(files[0])
	if err == nil {
		err = os.WriteFile(files[0], []byte(strings.Replace(string(src), `"by":"codex"`, `"by":"`+strings.Repeat("\\u0001", 1<<18)+`"`, 1)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.update(w.feed())
		if got := words(w.events()); got != "1:written 1:claimed" {
			t.Fatalf("%s", got)
		}
	}
}

// TestSharedReceipts: two worktrees of one repository have receipts in common and a feed
// each; paths are those of the workspace, wherever it is in the repository.
func TestSharedReceipts(t *testing.T) {
	needs.Tool(t, "git")
	top := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", top, "-c", "user.name=x", "-c", "user.email=x@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	git("init", "-q")
	first := tree{t, filepath.Join(top, "sub")}
	path := first.byHand(1)
	git("add", ".")
	git("commit", "-qm", "x")
	git("worktree", "add", "-q", filepath.Join(top, "other"))
	second := tree{t, filepath.Join(top, "other", "sub")}
	first.claim(path, "codex")
	for _, w := range []tree{first, second} {
		w.update(w.feed())
	}
	files, err := filepath.Glob(filepath.Join(top, ".git/handoff/feeds/*.jsonl"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if lines := strings.Split(string(src), "\n"); err != nil || len(lines) != 3 || !strings.Contains(lines[1], `"type":"claimed","path":"`+path+`"`) {
			t.Errorf("%v: %s", err, src)
		}
	}
}

// BenchmarkUpdate: nothing has changed among 1,000 handoffs with receipts.
func BenchmarkUpdate(b *testing.B) {
	w := newTree(b)
	for task := range 1000 {
		w.claim(w.byHand(task+1), "codex")
	}
	f := w.feed()
	w.update(f)
	ws := w.workspace()
	for _, c := range []struct {
		name string
		tree bool
	}{{"tree", true}, {"receipts", false}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if err := f.catchUp(ws); err != nil {
					b.Fatal(err)
				}
				if events, err := f.missing(b.Context(), ws, c.tree); len(events) > 0 || err != nil {
					b.Fatal(len(events), err)
				}
			}
		})
	}
}
