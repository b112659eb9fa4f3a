package chains_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/chains"
	"handoff/workspace/config"
	"handoff/workspace/threads"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

const dir = "specs/7_count"

func open(t *testing.T) (*workspace.Workspace, *threads.Threads) {
	t.Helper()
	n := 0
	now := time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{
		Now: func() time.Time { now = now.Add(time.Second); return now }, NewID: func() string { n++; return fmt.Sprintf("id-%d", n) }})
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return w, all
}

// document is a document of the task with its bundle, which is stored.
func document(t *testing.T, all *threads.Threads, name, text string) workspace.Chained {
	t.Helper()
	src, err := bundle.Handoff{SummaryMarkdown: text}.Checked()
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := all.Blobs.Put(src)
	if err != nil {
		t.Fatal(err)
	}
	return workspace.Chained{Path: dir + "/handoffs/" + name + ".md", Bundle: id}
}

func extend(t *testing.T, w *workspace.Workspace, writes bool, documents ...workspace.Chained) workspace.Extended {
	t.Helper()
	c, err := chains.Open(t.Context(), w, writes)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	did, err := c.Extend(t.Context(), dir, documents)
	if err != nil {
		t.Fatal(err)
	}
	return did
}

// drawn are the threads that are not archived, each with its parent by title.
func drawn(t *testing.T, all *threads.Threads) string {
	t.Helper()
	list, err := all.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	titles, lines := map[string]string{}, []string(nil)
	for _, i := range list {
		titles[i.ThreadID] = *i.Title
		line := *i.Title
		if i.Parent != nil {
			line += " < " + titles[i.Parent.ThreadID]
		}
		if i.Archived {
			line += " (archived)"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

// TestExtend: a thread for the task, and one for each document, each handed off from the one before.
// Repeating it creates nothing.
func TestExtend(t *testing.T) {
	w, all := open(t)
	a, b := document(t, all, "a", "first"), document(t, all, "b", "second")
	planned := extend(t, w, false, a, b)
	if got := drawn(t, all); got != "" || len(planned.Threads) != 3 {
		t.Fatalf("a plan has created %q, and named %+v", got, planned)
	}
	did := extend(t, w, true, a, b)
	if got := drawn(t, all); got != "7_count, a < 7_count, b < a" || len(did.Unchained) != 0 {
		t.Errorf("%s, %+v", got, did)
	}
	for i, got := range did.Threads {
		if got != planned.Threads[i] || i > 0 && got.ParentThreadID != did.Threads[i-1].ThreadID {
			t.Errorf("created %+v, planned %+v", got, planned.Threads[i])
		}
	}
	if again := extend(t, w, true, a, b); len(again.Threads) != 0 {
		t.Errorf("created again: %+v", again)
	}
	c, err := chains.Compare(t.Context(), all.Store, dir, []workspace.Chained{a, b, document(t, all, "c", "third")})
	if err != nil || len(c.Threads) != 1 || len(c.Documents) != 3 || c.Documents[2].ThreadID != c.Threads[0].ThreadID || c.Documents[2].ParentThreadID != c.Documents[1].ThreadID {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := chains.Compare(t.Context(), all.Store, "specs/8_none", nil); err != nil || len(c.Threads)+len(c.Documents) != 0 {
		t.Errorf("%+v, %v: a task without documents has no threads", c, err)
	}
}

// TestEdit: an edit of a document replaces its thread and all after it, and undoing the edit brings
// the old ones back.
func TestEdit(t *testing.T) {
	w, all := open(t)
	a, b := document(t, all, "a", "first"), document(t, all, "b", "second")
	extend(t, w, true, a, b)
	edited := document(t, all, "a", "edited")
	edited.Before, b.Before = a.Bundle, b.Bundle
	did := extend(t, w, true, edited, b)
	want := "7_count, a < 7_count (archived), b < a (archived), a < 7_count, b < a"
	if got := drawn(t, all); got != want || len(did.Threads) != 2 {
		t.Errorf("%s\nwant %s, %+v", got, want, did)
	}
	undone := a
	undone.Before = edited.Bundle
	did = extend(t, w, true, undone, b)
	want = "7_count, a < 7_count, b < a, a < 7_count (archived), b < a (archived)"
	if got := drawn(t, all); got != want || len(did.Threads) != 0 {
		t.Errorf("undone: %s\nwant %s, %+v", got, want, did)
	}
	unchanged := a
	unchanged.Before = a.Bundle
	if extend(t, w, true, unchanged); drawn(t, all) != want {
		t.Errorf("without an edit: %s", drawn(t, all))
	}
}

// TestUnchained: a document that names a thread or an event that is not here has no thread, and the
// next one continues from the one before.
func TestUnchained(t *testing.T) {
	w, all := open(t)
	title := "mine"
	info, _, err := all.Create(t.Context(), thread.CreateRequest{Title: &title})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := all.PostMessage(t.Context(), info.ThreadID, thread.MessageRequest{Content: "x"}); err != nil {
		t.Fatal(err)
	}
	a, b, c, d := document(t, all, "a", "1"), document(t, all, "b", "2"), document(t, all, "c", "3"), document(t, all, "d", "4")
	last, beyond := uint64(1), uint64(2)
	a.Source = "nowhere"
	b.Source, b.Seq = info.ThreadID, &last
	c.Source, c.Seq = info.ThreadID, &beyond
	for _, writes := range []bool{false, true} {
		did := extend(t, w, writes, a, b, c, d)
		if len(did.Unchained) != 2 || did.Unchained[0].Path != a.Path || did.Unchained[0].Text != "refers to thread nowhere, which is not here, and has no thread of its own" ||
			did.Unchained[1].Path != c.Path || !strings.HasPrefix(did.Unchained[1].Text, "has no thread: the last event of thread "+info.ThreadID+" is 1, not 2") || strings.Contains(did.Unchained[1].Text, "invalid") {
			t.Errorf("writes %t: %+v", writes, did.Unchained)
		}
	}
	if got := drawn(t, all); got != "mine, 7_count, b < mine, d < b" {
		t.Error(got)
	}
}

// TestBranchTask: a run of a task branches off at the start of its thread, which is created once.
func TestBranchTask(t *testing.T) {
	_, all := open(t)
	for _, in := range []string{"", dir, dir} {
		id, err := chains.BranchTask(t.Context(), all.Store, in, "run", "spawn")
		if err != nil {
			t.Fatal(err)
		}
		info, err := all.Get(t.Context(), id)
		if err != nil || (info.Parent == nil) != (in == "") || info.Parent != nil && info.Parent.Seq != 0 {
			t.Errorf("%q: %+v, %v", in, info, err)
		}
	}
	if got := drawn(t, all); got != "run, 7_count, run < 7_count, run < 7_count" {
		t.Error(got)
	}
}
