package tapes_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/log/tape"
	"handoff/log/tape/chat"
	"handoff/workspace"
	"handoff/workspace/tapes"
)

// home opens the tapes that a home of Bub has for a workspace.
func home(t *testing.T, w *workspace.Workspace, folder string, writes bool) *tapes.Tapes {
	t.Helper()
	all, err := tapes.In(w, folder, writes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { all.Close() })
	return all
}

// TestBub: tapes of a home of Bub have names of sessions, are created only to write, and are moved both ways.
func TestBub(t *testing.T) {
	all, w := open(t)
	folder := t.TempDir()
	reads, writes := home(t, w, folder, false), home(t, w, folder, true)
	if _, err := reads.Tape("cli:local"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: a session that Bub does not know", err)
	}
	for _, h := range []*tapes.Tapes{reads, writes} {
		if _, err := h.Tape(""); err == nil || !strings.Contains(err.Error(), "name a session") {
			t.Errorf("%v: Bub has no main tape", err)
		}
	}
	bubs := one(t, writes, "cli:local")
	add(t, bubs, "from Bub")
	if got := kinds(t, bubs, tapes.ReadRequest{}); !strings.HasPrefix(got, "1 anchor session/start, ") {
		t.Errorf("%s: at its next turn Bub would cut off what comes before its first anchor", got)
	}
	bare := one(t, writes, "cli:bare")
	if _, err := bare.Append(context.Background(), tape.AppendRequest{Entries: []tape.Entry{message(t, "x")}, Bare: true}); err != nil || strings.Contains(kinds(t, bare, tapes.ReadRequest{}), "anchor") {
		t.Errorf("%v: %s: the caller writes that anchor itself", err, kinds(t, bare, tapes.ReadRequest{}))
	}
	if files, err := reads.InHome(); err != nil || len(files) != 2 {
		t.Errorf("%v, %v", files, err)
	}
	if name, err := writes.Find("cli:lo"); err != nil || name != "cli:lo" {
		t.Errorf("%s, %v: names of Bub are not completed", name, err)
	}
	if _, err := one(t, writes, "cli:local").Exec(context.Background(), tapes.ExecRequest{Command: ",tape.search query=x all_tapes=true"}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("%v: all tapes are those of the workspace", err)
	}

	if c, err := reads.Import(context.Background(), "cli:local", "imported"); err != nil || c.Path == "" {
		t.Fatalf("%+v, %v", c, err)
	}
	if got := kinds(t, one(t, all, "imported"), tapes.ReadRequest{}); !strings.Contains(got, "message") {
		t.Errorf("imported: %s", got)
	}
	if _, err := reads.Import(context.Background(), "cli:local", "imported"); !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), "is left unchanged") {
		t.Errorf("%v: the tape exists", err)
	}
	if _, err := reads.Import(context.Background(), "", "x"); err == nil {
		t.Error("no session is named")
	}
	if _, err := writes.Export(context.Background(), "imported", ""); err == nil {
		t.Error("no session is named")
	}
	if _, err := writes.Export(context.Background(), "imported", "cli:new"); err != nil || !strings.Contains(kinds(t, one(t, reads, "cli:new"), tapes.ReadRequest{}), "message") {
		t.Errorf("%v", err)
	}
	if _, err := writes.Export(context.Background(), "imported", "cli:new"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v: Bub has the tape", err)
	}
	if a, err := one(t, writes, "cli:new").Delete(context.Background(), tapes.DeleteRequest{}); err != nil || a.Archived == "" {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := home(t, w, folder, false).Tape("cli:new"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: deleted", err)
	}
}

// TestFiles: a tape is written to a new file and read from one, under the file's name or another.
func TestFiles(t *testing.T) {
	all, _ := open(t)
	add(t, one(t, all, ""), "a", "b")
	file := filepath.Join(t.TempDir(), "out.jsonl")
	if _, err := all.Export(context.Background(), "", file); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Export(context.Background(), "main", file); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v: the file exists", err)
	}
	if _, err := all.Export(context.Background(), "none", file+"2"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "tape none: no such tape here") {
		t.Errorf("%v", err)
	}
	if _, err := all.Export(context.Background(), "main", filepath.Join(file, "x", "y.jsonl")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("%v", err)
	}
	want := kinds(t, one(t, all, "main"), tapes.ReadRequest{})
	for to, name := range map[string]string{"": "out", "mine": "mine"} {
		if _, err := all.Import(context.Background(), file, to); err != nil || kinds(t, one(t, all, name), tapes.ReadRequest{}) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := all.Import(context.Background(), file, "mine"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v: the tape exists", err)
	}
}

// TestCheck: a check counts the lines that are not entries, of one tape or of all, and --fix repairs those of Bub.
func TestCheck(t *testing.T) {
	all, w := open(t)
	folder := t.TempDir()
	bubs := home(t, w, folder, true)
	for _, h := range []*tapes.Tapes{all, bubs} {
		add(t, one(t, h, "cli:local"), "a")
		add(t, one(t, h, "cli:whole"), "a")
		path := one(t, h, "cli:local").Path()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("\xff no entry\n"); err != nil || f.Close() != nil {
			t.Fatal(err)
		}
	}
	for name, h := range map[string]*tapes.Tapes{"ours": all, "Bub's": bubs} {
		if list, err := h.Check(context.Background(), "", false); err != nil || len(list) != 2 || len(list[0].Unreadable)+len(list[1].Unreadable) != 1 {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		list, err := h.Check(context.Background(), "cli:local", false)
		if err != nil || len(list) != 1 || len(list[0].Unreadable) != 1 || list[0].Kept != "" || list[0].OK() != (name == "ours") {
			t.Errorf("%s: %+v, %v", name, list, err)
		}
		list, err = h.Check(context.Background(), "cli:local", true)
		if err != nil || (list[0].Kept != "") != (name == "Bub's") || !list[0].OK() || len(list[0].Unreadable) != 1 {
			t.Errorf("%s, with --fix: %+v, %v", name, list, err)
		}
	}
	if _, err := all.Check(context.Background(), "none", false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// TestEnvelope: an envelope is sent once, in one of two forms, and received once by whom it is for.
func TestEnvelope(t *testing.T) {
	all, _ := open(t)
	from, to := one(t, all, ""), one(t, all, "other")
	handOff(t, from, "one", "the summary")
	steps, about := "test it", "the parser"
	for name, r := range map[string]tapes.SendRequest{"steps": {NextSteps: &steps}, "context": {ContextSummary: &about}} {
		r.Intention = &tapes.SendIntention{}
		if _, err := from.Send(context.Background(), r); !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%s in two forms: %v", name, err)
		}
	}
	e, err := from.Send(context.Background(), tapes.SendRequest{From: "agent:a", To: "agent:b", Intention: &tapes.SendIntention{NextSteps: &steps}})
	if err != nil || e.Content.Summary != "the summary" || e.Content.Intention == nil || e.Content.Intention.NextSteps != steps {
		t.Fatalf("%+v, %v", e, err)
	}
	if e, err := from.Send(context.Background(), tapes.SendRequest{From: "agent:a", To: "agent:b", ContextSummary: &about}); err != nil || e.Content.Intention == nil || e.Content.Intention.ContextSummary != about {
		t.Errorf("%+v, %v", e.Content.Intention, err)
	}
	if _, err := to.Receive(context.Background(), tapes.ReceiveRequest{Body: e, As: "agent:c"}); !errors.Is(err, tapes.ErrNotAddressed) {
		t.Errorf("%v: it is for another one", err)
	}
	if ok, _ := to.Exists(); ok {
		t.Error("a refused envelope has created a tape")
	}
	for i, as := range []string{"agent:b", ""} {
		if got, err := to.Receive(context.Background(), tapes.ReceiveRequest{Body: e, As: as, Name: "got"}); err != nil || got.Existed != (i == 1) || got.Anchor.Name() != "got" {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if _, err := to.Receive(context.Background(), tapes.ReceiveRequest{Body: tape.Envelope{To: "agent:b"}}); err == nil {
		t.Error("no envelope was received")
	}
}

// TestOverflow: only an error about the length of the context hands off.
func TestOverflow(t *testing.T) {
	all, _ := open(t)
	tp := one(t, all, "")
	add(t, tp, "a long story", "and another prompt")
	before := kinds(t, tp, tapes.ReadRequest{})
	if _, err := tp.Overflow(context.Background(), "invalid api key"); !errors.Is(err, handoff.ErrInvalid) || kinds(t, tp, tapes.ReadRequest{}) != before {
		t.Errorf("%v: another error", err)
	}
	if a, err := tp.HandOff(context.Background(), tapes.HandoffRequest{Overflow: "prompt is too long: 300000 tokens"}); err != nil || len(a.Entries) < 2 || a.Entries[0].Kind != tape.KindAnchor ||
		!strings.Contains(string(a.Entries[0].Payload), `"task": "a long story", "last_prompt": "and another prompt"`) {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := tp.HandOff(context.Background(), tapes.HandoffRequest{Overflow: "prompt is too long", Name: "n"}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("%v: two ways at once", err)
	}
	if _, err := tp.Overflow(context.Background(), "prompt is too long: 300000 tokens"); !errors.Is(err, chat.ErrNothingToCut) {
		t.Errorf("%v: there is nothing left", err)
	}
	if _, err := tp.HandOff(context.Background(), tapes.HandoffRequest{State: []byte("[]")}); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("%v: the state is no object", err)
	}
}
