package threads_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/thread"
	"handoff/log/thread/compile/render"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/threads"
)

// opened are the threads of a new workspace, with ids that count up, and what they say.
type opened struct {
	*threads.Threads
	root string
	said []string
}

func open(t *testing.T, root string) *opened {
	t.Helper()
	o, n := &opened{root: root}, 0
	now := time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)
	w := workspace.New(root, config.Default(), workspace.Options{Say: func(line string) { o.said = append(o.said, line) },
		Now: func() time.Time { now = now.Add(time.Second); return now }, NewID: func() string { n++; return fmt.Sprintf("abc%d%05d-id", n%7, n) }})
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	o.Threads = all
	return o
}

func (o *opened) create(t *testing.T, title string) string {
	t.Helper()
	info, _, err := o.Create(t.Context(), thread.CreateRequest{Title: &title})
	if err != nil {
		t.Fatal(err)
	}
	return info.ThreadID
}

func (o *opened) post(t *testing.T, id string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if p, err := o.Post(t.Context(), id, thread.MessageRequest{Content: text}); err != nil || p.ThreadID != id || p.MessageID == "" || p.Queued || p.Waits != nil {
			t.Fatalf("%+v, %v", p, err)
		}
	}
}

// TestFind: which thread a reference names: an id, its beginning, the beginning of a title, or latest.
func TestFind(t *testing.T) {
	o := open(t, t.TempDir())
	if _, err := o.Find(t.Context(), handoff.Latest); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: there is none", err)
	}
	parser, lexer, old := o.create(t, "Fix the parser"), o.create(t, "Fix the lexer"), o.create(t, "Old words")
	if _, err := o.Archive(t.Context(), old, thread.By{}); err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]string{parser: parser, parser[:9]: parser, "fix the p": parser, "Fix the lexer": lexer, handoff.Latest: lexer, old: old, old[:9]: old} {
		if got, err := o.Find(t.Context(), ref); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", ref, got, err, want)
		}
	}
	for _, ref := range []string{"Fix the", "abc"} {
		if got, err := o.Find(t.Context(), ref); err == nil {
			t.Errorf("%s: %s, of several", ref, got)
		}
	}
	for _, ref := range []string{"Old words", "none at all", "with/slash"} { // archived ones are named by id
		if got, err := o.Find(t.Context(), ref); !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %s, %v", ref, got, err)
		}
	}
}

// TestPost: without a store nothing is queued, and events are read from any number.
func TestPost(t *testing.T) {
	o := open(t, t.TempDir())
	id := o.create(t, "t")
	o.post(t, id, "one", "two")
	if o.Queues() || o.Waiting(id) != 0 {
		t.Error("messages wait without a store")
	}
	var got []string
	for e, err := range o.EventsFrom(t.Context(), id, 1, false) {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := e.Payload.(*thread.Message); ok {
			got = append(got, m.Content)
		}
	}
	if strings.Join(got, " ") != "one two" {
		t.Errorf("%q", got)
	}
	for e, err := range o.EventsFrom(t.Context(), id, 2, true) { // it would wait for more
		if m, ok := e.Payload.(*thread.Message); err != nil || !ok || m.Content != "two" {
			t.Errorf("%+v, %v", e, err)
		}
		break
	}
	if runs, err := o.Runs(); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
	if id, err := o.FindRun("a"); err != nil || id != "a" {
		t.Errorf("%s, %v: a run that has ended is named by its id", id, err)
	}
	if r := o.RunOptions(); r.Store != o.Store || r.Blobs != o.Blobs || r.Dir != o.root || r.Workspace != o.root || r.Folder != filepath.Join(o.root, workspace.StateDir) {
		t.Errorf("%+v", r)
	}
}

// TestCompact: compaction waits for its checkpoints, and says how they ended.
func TestCompact(t *testing.T) {
	o := open(t, t.TempDir())
	id := o.create(t, "t")
	o.post(t, id, "one", "two", "three")
	two, no := uint64(2), false
	auto, err := o.AutoCompact(t.Context(), id, thread.AutoRequest{StrideMessages: &two, DryRun: true})
	if err != nil || auto.Status == "completed" || len(auto.Result) != 0 {
		t.Errorf("%+v, %v: a dry run", auto, err)
	}
	plan, err := o.ScheduleCompact(t.Context(), id, thread.ScheduleRequest{AutoRequest: thread.AutoRequest{StrideMessages: &two}, Execute: &no})
	if err != nil || plan.Decision != "scheduled" || len(plan.Result) != 0 {
		t.Errorf("%+v, %v: left to others", plan, err)
	}
	allow := false
	done, err := o.ScheduleCompact(t.Context(), id, thread.ScheduleRequest{AutoRequest: thread.AutoRequest{StrideMessages: &two}, BlockOnInflight: &allow})
	if err != nil || done.Decision != "completed" || len(done.Result) != 1 || done.Error != nil {
		t.Errorf("%+v, %v", done, err)
	}
	auto, err = o.AutoCompact(t.Context(), id, thread.AutoRequest{StrideMessages: &two})
	if err != nil || auto.Status != "noop" || auto.JobID != nil {
		t.Errorf("%+v, %v: nothing is due any more", auto, err)
	}
	o.post(t, id, "four")
	if auto, err = o.AutoCompact(t.Context(), id, thread.AutoRequest{StrideMessages: &two}); err != nil || auto.Status != "completed" || len(auto.Result) != 1 || auto.Error != nil {
		t.Errorf("%+v, %v", auto, err)
	}
	if _, err := o.AutoCompact(t.Context(), "none", thread.AutoRequest{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}

	o = open(t, t.TempDir())
	id = o.create(t, "t")
	o.post(t, id, "one", "two")
	blobs := filepath.Join(o.root, ".rip")
	if err := os.RemoveAll(blobs); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blobs, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if auto, err := o.AutoCompact(t.Context(), id, thread.AutoRequest{StrideMessages: &two}); err != nil || auto.Status != "failed" || auto.Error == nil {
		t.Errorf("%+v, %v: no artifact can be stored", auto, err)
	}
}

// TestCompile: a context is stored unless the request forbids it, and is rendered only if it is one.
func TestCompile(t *testing.T) {
	o := open(t, t.TempDir())
	id := o.create(t, "t")
	o.post(t, id, "the question", "another one")
	no, one, tokens := false, uint64(1), int64(1)
	c, err := o.Compile(t.Context(), id, threads.CompileRequest{Store: &no})
	if err != nil || !strings.Contains(string(c.Bundle.Bytes()), "the question") {
		t.Fatalf("%v", err)
	}
	if _, err := o.Blobs.Get(c.Bundle.ID()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: stored all the same", err)
	}
	if c, err = o.Compile(t.Context(), id, threads.CompileRequest{}); err != nil {
		t.Fatal(err)
	}
	if r, err := threads.Render(o.Blobs, c.Bundle.ID(), render.Formats[0], nil); err != nil || !strings.Contains(fmt.Sprintf("%s", r), "the question") {
		t.Errorf("%v: %s", err, r)
	}
	part, err := o.Compile(t.Context(), id, threads.CompileRequest{FromSeq: &one})
	if err != nil || strings.Contains(string(part.Bundle.Bytes()), "another one") {
		t.Errorf("%v: up to event 1 there is one message: %s", err, part.Bundle.Bytes())
	}
	if small, err := o.Compile(t.Context(), id, threads.CompileRequest{Budget: &tokens}); err == nil && strings.Contains(string(small.Bundle.Bytes()), "the question") {
		t.Errorf("%s does not fit into a token", small.Bundle.Bytes())
	}
	other, _, err := o.Blobs.Put([]byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := threads.Render(o.Blobs, other, render.Formats[0], nil); err == nil || !strings.Contains(err.Error(), "is not a context bundle") {
		t.Errorf("%v", err)
	}
}

// TestRepair: a torn line is kept beside the thread and named below the workspace; one that cannot
// be repaired does not keep the others from it.
func TestRepair(t *testing.T) {
	root := t.TempDir()
	o := open(t, root)
	whole, torn := o.create(t, "a"), o.create(t, "b")
	o.post(t, torn, "kept", "lost")
	file := filepath.Join(root, workspace.StateDir, "threads", torn+".jsonl")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	cut := strings.Replace(string(src), `"kept"`, `"ke`, 1) // in the middle of the file
	for _, id := range []string{torn, ""} {
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(cut), 0o644); err != nil {
			t.Fatal(err)
		}
		o = open(t, root)
		var got []string
		err := o.Repair(t.Context(), id, func(r thread.Repaired) { got = append(got, r.Path, r.Aside) })
		if err != nil || len(got) != 2 || got[0] != ".handoff/threads/"+torn+".jsonl" || !strings.HasPrefix(got[1], ".handoff/threads/"+torn+".jsonl.") {
			t.Errorf("%q: %q, %v", id, got, err)
		}
		if err := o.Repair(t.Context(), id, func(r thread.Repaired) { t.Errorf("repaired again: %+v", r) }); err != nil {
			t.Error(err)
		}
		if _, err := o.Get(t.Context(), whole); err != nil {
			t.Error(err)
		}
	}
	if err := o.Repair(t.Context(), "none", func(thread.Repaired) {}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}
