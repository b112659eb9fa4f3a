package convert_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/log/bundle"
	forms "handoff/log/convert"
	"handoff/log/thread"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/convert"
	"handoff/workspace/create"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// request is a document without lint errors, but for what the handoff adds.
func request() create.Request {
	return create.Request{Slug: "count", Values: templates.Values{Task: 7, Phase: 1, NextAction: "Run the tests of a.go once.", State: templates.State{File: "a.go", Location: "Line 1", Goal: "It counts."},
		Decisions: []string{"One table: simple"}, DeadEnds: []string{"A view: too slow"}, Context: []string{"The first failure hides the others"}, References: []string{"a.go"}}}
}

func read(t *testing.T, w *workspace.Workspace, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(w.Root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// TestHandOffTape: the anchor names the document, and with lint errors neither is written.
func TestHandOffTape(t *testing.T) {
	w := open(t)
	for _, name := range []string{"a.go", "b.go", "main.go"} {
		add(t, w, name, nil)
	}
	all, err := tapes.In(w, "", true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	main, err := all.Tape("")
	if err != nil {
		t.Fatal(err)
	}
	state := forms.State{Name: "phase/one", State: []byte(`{"summary": "The tables are there", "tables": 5}`)}
	if _, _, err := convert.HandOffTape(t.Context(), w, main, state, create.Request{Values: templates.Values{Task: 7, Phase: 1}, Slug: "count"}); err == nil || exists(w, "specs/7_count") {
		t.Errorf("%v: a document with errors was written", err)
	}
	if ok, err := main.Exists(); ok || err != nil {
		t.Errorf("%t, %v: the anchor of a document that was not written", ok, err)
	}
	made, doc, err := convert.HandOffTape(t.Context(), w, main, state, request())
	if err != nil {
		t.Fatal(err)
	}
	if text := read(t, w, doc.Path); !strings.Contains(text, "The tables are there") || len(doc.Lost) == 0 {
		t.Errorf("lost %v:\n%s", doc.Lost, text)
	}
	if e := made.Entries[0]; e.Name() != "phase/one" || !strings.Contains(string(e.State()), doc.Path) || !strings.Contains(string(e.State()), `"tables"`) {
		t.Errorf("%s: it does not name %s", e.Payload, doc.Path)
	}
}

// TestHandOffThread: the document names the cut, and the new thread starts with the document's bundle. A
// repeated request writes no second one, and a document with errors is not written, nor a thread.
func TestHandOffThread(t *testing.T) {
	w := open(t)
	for _, name := range []string{"a.go", "b.go", "main.go"} {
		add(t, w, name, nil)
	}
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	info, _, err := all.Create(t.Context(), thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	parent := info.ThreadID
	if _, err := all.Post(t.Context(), parent, thread.MessageRequest{Content: "one"}); err != nil {
		t.Fatal(err)
	}
	count := func() int {
		list, err := all.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	summary, note := "The counter counts.", "where it starts"
	r := thread.HandoffRequest{SummaryMarkdown: &summary, Key: "k", Refs: thread.HandoffRefs{Files: []bundle.FileRef{{Path: "main.go", Note: &note}}}}
	for name, bad := range map[string]func(*thread.HandoffRequest, *create.Request){
		"no document": func(_ *thread.HandoffRequest, c *create.Request) {
			*c = create.Request{Slug: "count", Values: templates.Values{Task: 7, Phase: 1}}
		},
		"no path in text": func(r *thread.HandoffRequest, _ *create.Request) { r.Refs.Files = []bundle.FileRef{{Path: "a b\tc"}} },
		"no bundle":       func(r *thread.HandoffRequest, _ *create.Request) { r.SummaryArtifactID = new("x") },
		"a lost bundle":   func(r *thread.HandoffRequest, _ *create.Request) { r.SummaryArtifactID = new(strings.Repeat("a", 64)) },
	} {
		broken, doc := r, request()
		if bad(&broken, &doc); true {
			if _, _, err := convert.HandOffThread(t.Context(), w, all, parent, broken, doc); err == nil || exists(w, "specs/7_count") || count() != 1 {
				t.Errorf("%s: %v, %d threads", name, err, count())
			}
		}
	}
	made, doc, err := convert.HandOffThread(t.Context(), w, all, parent, r, request())
	if err != nil {
		t.Fatal(err)
	}
	text := read(t, w, doc.Path)
	for _, part := range []string{summary, "thread: \"" + parent + "\"", "seq: 1", "`./main.go` (where it starts)", "a.go"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
	own := run(t, w, convert.Request{From: doc.Path, To: forms.Bundle})
	if got := run(t, w, convert.Request{From: "thread:" + made.ThreadID, To: forms.Bundle}); string(got.Text) != string(own.Text) {
		t.Errorf("the thread starts with\n%s\nwant the bundle of the document\n%s", got.Text, own.Text)
	}
	again, none, err := convert.HandOffThread(t.Context(), w, all, parent, r, request())
	if err != nil || again.ThreadID != made.ThreadID || none.Path != "" || count() != 2 {
		t.Errorf("%+v, %q, %v: repeated", again, none.Path, err)
	}

	// From a stored bundle, which the document then refers to, in the section of the bundle.
	src, err := bundle.Handoff{SummaryMarkdown: "## Current State\nOlder words.\n\n## References\n- b.go\n"}.Checked()
	if err != nil {
		t.Fatal(err)
	}
	id, _, err := all.Blobs.Put(src)
	if err != nil {
		t.Fatal(err)
	}
	next := request()
	next.Values.Phase, next.Values.References = 2, nil
	if _, doc, err = convert.HandOffThread(t.Context(), w, all, parent, thread.HandoffRequest{SummaryArtifactID: new(id.String())}, next); err != nil {
		t.Fatal(err)
	}
	if text := read(t, w, doc.Path); !strings.Contains(text, "Older words.") || !strings.Contains(text, "- b.go\n- artifact "+id.String()+" (the bundle that this was written from)") {
		t.Errorf("the reference is missing in\n%s", text)
	}
	if _, _, err := convert.HandOffThread(t.Context(), w, all, "none", r, request()); err == nil || errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("%v: no such thread", err)
	}
}
