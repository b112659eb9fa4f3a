package convert_test

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
	"handoff/internal/testing/treetest"
	"handoff/lint/rules"
	forms "handoff/log/convert"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/convert"
	"handoff/workspace/create"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

const (
	example  = "../../specs/example/specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"
	document = "specs/259_prove/handoffs/phase-3-handoff-20260212T143022Z.md"
)

// open opens a workspace with a document, with ids that count up.
func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	root := t.TempDir()
	src, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	treetest.Write(t, root, document, string(src))
	n := 0
	now := time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)
	w, err := workspace.Open(root, workspace.Options{Rules: rules.All, Now: func() time.Time { return now }, NewID: func() string { n++; return fmt.Sprintf("abcdef%04d-id", n) }})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// run converts, and fails the test on an error.
func run(t *testing.T, w *workspace.Workspace, r convert.Request) convert.Conversion {
	t.Helper()
	c, err := try(t, w, r)
	if err != nil {
		t.Fatalf("%s to %s: %v", r.From, r.To, err)
	}
	return c
}

func try(t *testing.T, w *workspace.Workspace, r convert.Request) (convert.Conversion, error) {
	t.Helper()
	r.Dir = w.Root
	c, err := convert.Run(t.Context(), w, r)
	if err == nil && c.Lost == nil {
		t.Errorf("%s to %s: what was lost is no list", r.From, r.To)
	}
	return c, err
}

// add writes a file for a conversion.
func add(t *testing.T, w *workspace.Workspace, name string, text []byte) {
	t.Helper()
	treetest.Write(t, w.Root, name, string(text))
}

var sending = forms.Sending{From: "agent:a", To: "agent:b", Reason: "tired"}

func exists(w *workspace.Workspace, name string) bool {
	_, err := os.Lstat(filepath.Join(w.Root, name))
	return err == nil
}

// TestPlan: a conversion writes nothing, and from each form there is a way back to the document.
func TestPlan(t *testing.T) {
	w := open(t)
	bundle := run(t, w, convert.Request{From: "259/3", To: forms.Bundle})
	anchor := run(t, w, convert.Request{From: document, To: forms.Anchor})
	envelope := run(t, w, convert.Request{From: "latest", To: forms.Envelope, Sending: sending})
	want := run(t, w, convert.Request{From: "259", To: forms.Document})
	for form, c := range map[forms.Form]convert.Conversion{forms.Bundle: bundle, forms.Anchor: anchor, forms.Envelope: envelope, forms.Document: want} {
		if c.From != forms.Document || c.To != form || c.Existed || len(c.Text) == 0 {
			t.Errorf("%s: %+v", form, c)
		}
	}
	if exists(w, ".handoff/tape") || exists(w, ".handoff/threads") || exists(w, ".rip") {
		t.Error("a conversion that is only printed has written something")
	}
	add(t, w, "bundle.json", bundle.Text)
	add(t, w, "anchor.txt", anchor.Text) // the content shows what it is
	add(t, w, "envelope.json", envelope.Text)
	values := create.Request{Values: templates.Values{Task: 259, Phase: 3}}
	for name, r := range map[string]convert.Request{
		"bundle":   {From: "bundle.json"},
		"anchor":   {From: "anchor.txt"},
		"envelope": {From: "envelope.json", Document: values},
		"stdin":    {From: "-", Source: bundle.Text},
		"absolute": {From: filepath.Join(w.Root, "bundle.json")},
	} {
		r.To = forms.Document
		if got := run(t, w, r); string(got.Text) != string(want.Text) {
			t.Errorf("%s becomes\n%s\nwant\n%s", name, got.Text, want.Text)
		}
	}
	for _, form := range []forms.Form{forms.CE, forms.T3} {
		other := run(t, w, convert.Request{From: document, To: form})
		add(t, w, "other.md", other.Text)
		if again := run(t, w, convert.Request{From: "-", Source: other.Text, To: form}); again.From != form || string(again.Text) != string(other.Text) {
			t.Errorf("%s from %s:\n%s", form, again.From, again.Text)
		}
		if again := run(t, w, convert.Request{From: "other.md", To: form}); again.From != form {
			t.Errorf("%s is read as %s", form, again.From)
		}
		if _, err := try(t, w, convert.Request{From: document, To: form, Write: true}); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s: %v: it has no known place", form, err)
		}
	}
}

// TestRefused: what names no handoff, and what a form needs.
func TestRefused(t *testing.T) {
	w := open(t)
	add(t, w, "no.json", []byte(`{"a": 1}`))
	add(t, w, "bad.json", []byte(`{"type": "context_handoff"}`))
	envelope := run(t, w, convert.Request{From: document, To: forms.Envelope, Sending: sending})
	add(t, w, "envelope.json", envelope.Text)
	for name, c := range map[string]struct {
		r    convert.Request
		want string
		is   error
	}{
		"nothing":                    {convert.Request{From: "nope", To: forms.Bundle}, "nope", nil},
		"another form":               {convert.Request{From: document, To: "pdf"}, `unknown form "pdf"`, nil},
		"other JSON":                 {convert.Request{From: "no.json", To: forms.Bundle}, "no.json is not a handoff: want a document (.md), a bundle, an envelope or an anchor", handoff.ErrInvalid},
		"a broken envelope":          {convert.Request{From: "bad.json", To: forms.Bundle}, "bad.json: ", nil},
		"no parent":                  {convert.Request{From: document, To: forms.Thread}, "the thread it continues from is unknown", convert.ErrNoThread},
		"no agents":                  {convert.Request{From: document, To: forms.Envelope}, "an envelope needs a sender and a receiver", handoff.ErrInvalid},
		"no receiver":                {convert.Request{From: document, To: forms.Envelope, Sending: forms.Sending{From: "agent:a"}}, "an envelope needs a sender and a receiver", handoff.ErrInvalid},
		"no sender, to write":        {convert.Request{From: document, To: forms.Envelope, Sending: forms.Sending{To: "agent:a"}, Write: true}, "an envelope needs a sender and a receiver", handoff.ErrInvalid},
		"an envelope of an envelope": {convert.Request{From: "envelope.json", To: forms.Envelope, Sending: sending, Write: true}, "is already an envelope", handoff.ErrInvalid},
		"no such anchor":             {convert.Request{From: "tape://workspace/main/anchor/x", To: forms.Bundle}, "", fs.ErrNotExist},
		"no such thread":             {convert.Request{From: "thread:nope", To: forms.Bundle}, "", fs.ErrNotExist},
	} {
		_, err := try(t, w, c.r)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v, want %s (%v)", name, err, c.want, c.is)
		}
	}
	if got := run(t, w, convert.Request{From: "envelope.json", To: forms.Envelope}); string(got.Text) != string(envelope.Text) {
		t.Errorf("%s\nwant the same envelope\n%s", got.Text, envelope.Text)
	}
}

// TestWrite: each form is written once; the same conversion finds it.
func TestWrite(t *testing.T) {
	w := open(t)
	for _, r := range []convert.Request{
		{From: document, To: forms.Document},
		{From: document, To: forms.Bundle},
		{From: document, To: forms.Anchor},
		{From: document, To: forms.Anchor, Tape: "other", Name: "mine"},
	} {
		r.Write = true
		first, second := run(t, w, r), run(t, w, r)
		if first.Existed != (r.To == forms.Document) || !second.Existed || string(first.Text) != string(second.Text) {
			t.Errorf("%s: first %t, then %t", r.To, first.Existed, second.Existed)
		}
		switch r.To {
		case forms.Document:
			if second.Path != document {
				t.Errorf("the document is %s", second.Path)
			}
		case forms.Bundle:
			if got := run(t, w, convert.Request{From: first.Blob.String(), To: forms.Bundle}); string(got.Text) != string(first.Text) || got.From != forms.Bundle {
				t.Errorf("%+v is not the bundle", got)
			}
			if got := run(t, w, convert.Request{From: first.Blob.String()[:12], To: forms.Bundle}); got.From != forms.Bundle {
				t.Errorf("%+v is not the bundle with an id that begins so", got)
			}
		case forms.Anchor:
			if want := map[string]string{"": "task-259/phase-3", "other": "mine"}[r.Tape]; first.Anchor.Name() != want || second.Anchor.ID != first.Anchor.ID {
				t.Errorf("anchor %s, then %d, want %s", first.Anchor.Name(), second.Anchor.ID, want)
			}
		}
	}
	uri := "tape://workspace/main/anchor/task-259/phase-3"
	if got := run(t, w, convert.Request{From: uri, To: forms.Anchor}); got.From != forms.Anchor {
		t.Errorf("%s is read as %s", uri, got.From)
	}
	sent := run(t, w, convert.Request{From: uri, To: forms.Envelope, Sending: sending, Write: true})
	e, err := tape.ParseEnvelope(sent.Text)
	if err != nil || !strings.Contains(e.Content.TapeRef, "main") || sent.Anchor.Name() != "task-259/phase-3" {
		t.Errorf("%v: %s", err, sent.Text)
	}
	add(t, w, "sent.json", sent.Text)
	for i := range 2 {
		if got := run(t, w, convert.Request{From: "sent.json", To: forms.Anchor, Tape: "b", Write: true}); got.Existed != (i == 1) || got.Anchor.Name() != "context_handoff" {
			t.Errorf("received %d times: %t, %s", i, got.Existed, got.Anchor.Name())
		}
	}
	if got := run(t, w, convert.Request{From: document, To: forms.Envelope, Sending: sending, Write: true, Tape: "new", Name: "mine"}); got.Anchor == nil || got.Anchor.Name() != "mine" {
		t.Errorf("%+v: the anchor is written before the envelope refers to it", got.Anchor)
	}
	all, err := tapes.In(w, "", false)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	main, err := all.Tape("")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e, err := range main.Query(t.Context(), tape.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.Kind == tape.KindAnchor {
			continue
		}
		if _, err := try(t, w, convert.Request{From: fmt.Sprintf("tape://workspace/main/entry/%d", e.ID), To: forms.Bundle}); err == nil {
			t.Errorf("%s is a handoff", e.Kind)
		}
	}
	if n != 5 { // session/start and the anchor, each with its event, and that it was sent
		t.Errorf("%d entries on the tape", n)
	}
}

// TestThread: a thread is handed off once with its bundle, at the event that is named or the last one.
func TestThread(t *testing.T) {
	w := open(t)
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	title := "the parent"
	info, _, err := all.Create(t.Context(), thread.CreateRequest{Title: &title})
	if err != nil {
		t.Fatal(err)
	}
	parent := info.ThreadID
	for _, text := range []string{"one", "two"} {
		if _, err := all.Post(t.Context(), parent, thread.MessageRequest{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	plan := run(t, w, convert.Request{From: document, To: forms.Thread, Thread: parent})
	if plan.Made != nil || !strings.Contains(string(plan.Text), `"from_seq":2`) || !strings.Contains(string(plan.Text), `"from_thread_id":"`+parent+`"`) {
		t.Errorf("%s, %+v", plan.Text, plan.Made)
	}
	at := convert.Request{From: document, To: forms.Thread, Thread: parent + "@1", Title: "the child", Write: true}
	first, second := run(t, w, at), run(t, w, at)
	if first.Existed || !second.Existed || first.Made.ThreadID != second.Made.ThreadID || !strings.Contains(string(first.Text), `"title":"the child"`) || !strings.Contains(string(first.Text), `"from_seq":1`) {
		t.Errorf("%s, %t, %t", first.Text, first.Existed, second.Existed)
	}
	child := first.Made.ThreadID
	for ref, want := range map[string]forms.Form{"thread:" + child: forms.Thread, child: forms.Thread, "the child": forms.Thread} {
		if got := run(t, w, convert.Request{From: ref, To: forms.Bundle}); got.From != want {
			t.Errorf("%s is read as %s", ref, got.From)
		}
	}
	// A handoff that was cut from a thread keeps its cut, unless another one is named.
	for in, want := range map[string]string{"": `"from_seq":1`, parent: `"from_seq":1`, parent + "@2": `"from_seq":2`} {
		if got := run(t, w, convert.Request{From: "thread:" + child, To: forms.Thread, Thread: in}); !strings.Contains(string(got.Text), want) {
			t.Errorf("%q: %s, want %s", in, got.Text, want)
		}
	}
	for ref, want := range map[string]string{
		"thread:" + parent:         "does not start with a handoff and has no summary up to event 2",
		"thread:" + parent + "@1":  "has no summary up to event 1",
		"thread:" + parent + "@3":  "the events of thread " + parent + " are 0 to 2",
		"thread:" + parent + "@x":  "are 0 to 2",
		"thread:" + parent + "@-1": "are 0 to 2",
	} {
		if _, err := try(t, w, convert.Request{From: ref, To: forms.Bundle}); !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", ref, err, want)
		}
	}
	two, summary := uint64(2), "what was done"
	if _, err := all.Checkpoint(t.Context(), parent, thread.CheckpointRequest{SummaryMarkdown: &summary, ToSeq: &two}); err != nil {
		t.Fatal(err)
	}
	if got := run(t, w, convert.Request{From: "thread:" + parent, To: forms.Anchor}); !strings.Contains(string(got.Text), summary) {
		t.Errorf("%s: the last summary is missing", got.Text)
	}
	if _, err := try(t, w, convert.Request{From: "thread:" + parent + "@1", To: forms.Anchor}); err == nil {
		t.Error("the summary is of a later event")
	}
}

// TestNewDocument: a document that does not exist is written once; one without a task number is refused.
func TestNewDocument(t *testing.T) {
	w := open(t)
	add(t, w, "a.go", nil)
	add(t, w, "anchor.json", []byte(`{"name": "phase/one", "state": {"summary": "The tables are there"}}`))
	r := convert.Request{From: "anchor.json", To: forms.Document, Write: true, Document: request()}
	first := run(t, w, r)
	if first.Existed || !strings.HasPrefix(first.Path, "specs/7_count/handoffs/phase-1-handoff-") || !strings.Contains(read(t, w, first.Path), "The tables are there") {
		t.Errorf("%+v", first)
	}
	if again := run(t, w, r); !again.Existed || again.Path != first.Path {
		t.Errorf("%q, %t: written again", again.Path, again.Existed)
	}
	r.Document.Values.Task = 0
	if c, err := try(t, w, r); err == nil || c.Existed {
		t.Errorf("%+v: a document of no task", c)
	}
}

// TestOwnAgents: a handoff that was received has its sender and receiver, but who sends it on says who he is.
func TestOwnAgents(t *testing.T) {
	w := open(t)
	sent := run(t, w, convert.Request{From: document, To: forms.Envelope, Sending: sending})
	add(t, w, "sent.json", sent.Text)
	run(t, w, convert.Request{From: "sent.json", To: forms.Anchor, Tape: "b", Write: true})
	uri := "tape://workspace/b/anchor/context_handoff"
	if got := run(t, w, convert.Request{From: uri, To: forms.Envelope}); !strings.Contains(string(got.Text), `"from": "agent:a", "to": "agent:b"`) {
		t.Errorf("%s: it has a sender and a receiver", got.Text)
	}
	if _, err := try(t, w, convert.Request{From: uri, To: forms.Envelope, Write: true}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("%v: who sends it?", err)
	}
	if got := run(t, w, convert.Request{From: uri, To: forms.Envelope, Sending: forms.Sending{From: "agent:b", To: "agent:c"}}); !strings.Contains(string(got.Text), `"from": "agent:b", "to": "agent:c"`) {
		t.Errorf("%s", got.Text)
	}
}

// TestOutside: a handoff of another tool may be anywhere; one of ours belongs to a workspace.
func TestOutside(t *testing.T) {
	w, outside := open(t), t.TempDir()
	treetest.Write(t, outside, "ce.md", string(run(t, w, convert.Request{From: document, To: forms.CE}).Text))
	treetest.Write(t, outside, "own.md", "# Phase 1 Handoff\n\n## Immediate Next Action\nRun it once.\n")
	if got := run(t, w, convert.Request{From: filepath.Join(outside, "ce.md"), To: forms.T3}); got.From != forms.CE {
		t.Errorf("read as %s", got.From)
	}
	if c, err := try(t, w, convert.Request{From: filepath.Join(outside, "own.md"), To: forms.Bundle}); err == nil {
		t.Errorf("%+v: a document outside of the workspace has no bundle", c)
	}
}
