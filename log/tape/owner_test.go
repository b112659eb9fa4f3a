package tape

import (
	"errors"
	"io/fs"
	"testing"

	"handoff/document/handoff"
)

// TestRefElsewhere resolves the reference of an envelope in the workspace that
// sent it, and in another one that also has an entry of that id. Neither has a
// label.
func TestRefElsewhere(t *testing.T) {
	a, b := open(t), openIn(t, t.TempDir())
	b.options.NewID = func() string { return "ffffffff" }
	for _, w := range []*workshop{a, b} {
		must(w.tape(Main).Handoff(ctx, "p", []byte(`{"summary": "s"}`), nil))(t)
	}
	e := must(a.tape(Main).Send(ctx, SendRequest{From: "agent:a", To: "agent:b"}))(t)
	must(b.tape(Main).Send(ctx, SendRequest{From: "agent:x", To: "agent:y"}))(t)
	ref := must(ParseRef(e.Content.TapeRef))(t)
	if found := must(a.Resolve(ref))(t); found.Name() != "p" {
		t.Errorf("%s is %s", e.Content.TapeRef, found.Raw())
	}
	if found, err := b.Resolve(ref); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is another's, and %s here (%v)", e.Content.TapeRef, found.Raw(), err)
	}
	// The name stays when the workspace gets a label.
	labelled := must(Open(a.folder, Options{Workspace: "lab"}))(t)
	defer labelled.Close()
	must(labelled.Resolve(ref))(t)
}

func TestOwner(t *testing.T) {
	w := open(t)
	tape := w.tape(Main)
	must(tape.Handoff(ctx, "p", []byte(`{"summary": "s"}`), nil))(t)
	if _, err := w.tape("none").Send(ctx, SendRequest{From: "agent:a", To: "agent:b", Summary: "s"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing tape is handed over: %v", err)
	}
	owner := func(tape *Tape, want string) {
		t.Helper()
		got := ""
		if o := must(tape.Info())(t).Owner; o != nil {
			got = *o
		}
		if got != want {
			t.Errorf("%s is owned by %q, want %q", tape.name, got, want)
		}
	}
	owner(tape, "")
	e := must(tape.Send(ctx, SendRequest{From: "agent:a", To: "agent:b"}))(t)
	owner(tape, "agent:b")
	n := must(tape.Info())(t).Entries
	if _, err := tape.Send(ctx, SendRequest{From: "agent:a", To: "agent:c"}); !errors.Is(err, ErrNotOwner) {
		t.Errorf("sent by an agent that is not the owner: %v", err)
	}
	if info := must(tape.Info())(t); info.Entries != n {
		t.Errorf("%d entries, want %d", info.Entries, n)
	}
	must(tape.Send(ctx, SendRequest{From: "agent:a", To: "agent:b"}))(t) // again
	for _, link := range []bool{false, true} {
		f := must(tape.Fork(ctx, ForkRequest{Link: link}))(t)
		owner(w.tape(f.Tape), "")
	}

	// The receiver becomes the owner.
	if _, existed, err := w.tape("in").Receive(ctx, e, ""); err != nil || existed {
		t.Fatal(existed, err)
	}
	owner(w.tape("in"), "agent:b")
	if _, existed, err := w.tape("in").Receive(ctx, e, ""); err != nil || !existed {
		t.Errorf("%v, %v", existed, err)
	}
	if _, _, err := w.tape("other").Receive(ctx, e, ""); !errors.Is(err, ErrReceived) || errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("received twice: %v", err)
	}
	if there := must(w.tape("other").Exists())(t); there {
		t.Error("a tape was created for an envelope that was refused")
	}
	must(w.tape("in").Send(ctx, SendRequest{From: "agent:b", To: "agent:c"}))(t)
	owner(w.tape("in"), "agent:c")

	// An envelope that was overtaken by another does not give the tape back.
	toB := must(tape.Send(ctx, SendRequest{From: "agent:a", To: "agent:b", Reason: "overtaken"}))(t)
	toC := must(tape.Send(ctx, SendRequest{From: "agent:b", To: "agent:c"}))(t)
	n = must(tape.Info())(t).Entries
	if _, _, err := tape.Receive(ctx, toB, ""); !errors.Is(err, ErrOutdated) {
		t.Errorf("an outdated envelope: %v", err)
	}
	if got := must(tape.Info())(t).Entries; got != n {
		t.Errorf("%d entries, want %d", got, n)
	}
	owner(tape, "agent:c")
	for _, existed := range []bool{false, true} {
		if _, was, err := tape.Receive(ctx, toC, ""); err != nil || was != existed {
			t.Errorf("existed %v, %v", was, err)
		}
	}
	if _, _, err := w.tape("of b").Receive(ctx, toB, ""); err != nil { // a tape of its own
		t.Error(err)
	}
}

// TestReceivedForGood: an envelope stays received when the tape that received it is reset,
// deleted or merged, for that tape and for others.
func TestReceivedForGood(t *testing.T) {
	for how, end := range map[string]func(*Tape) error{
		"reset":   func(in *Tape) error { return second(in.Reset(ctx, ResetRequest{})) },
		"deleted": func(in *Tape) error { return second(in.Delete(ctx, DeleteRequest{})) },
		"merged":  func(in *Tape) error { return second(in.Merge(ctx, MergeRequest{})) },
	} {
		t.Run(how, func(t *testing.T) {
			w := open(t)
			must(w.tape(Main).Handoff(ctx, "p", []byte(`{"summary": "s"}`), nil))(t)
			e := must(w.tape(Main).Send(ctx, SendRequest{From: "agent:a", To: "agent:b"}))(t)
			in := w.tape("in")
			if how == "merged" {
				must(w.tape(Main).Fork(ctx, ForkRequest{To: "in"}))(t)
			}
			first, existed, err := in.Receive(ctx, e, "")
			if err != nil || existed {
				t.Fatal(existed, err)
			}
			if err := end(in); err != nil {
				t.Fatal(err)
			}
			again, existed, err := w.tape("in").Receive(ctx, e, "")
			if err != nil || !existed || again.Raw() != first.Raw() {
				t.Errorf("%s, %v, %v, want %s", again.Raw(), existed, err, first.Raw())
			}
			if _, _, err := w.tape("other").Receive(ctx, e, ""); !errors.Is(err, ErrReceived) {
				t.Errorf("received twice: %v", err)
			}
		})
	}
}

// TestReceivedByAFork: a fork has the envelopes of its parent.
func TestReceivedByAFork(t *testing.T) {
	w := open(t)
	must(w.tape(Main).Handoff(ctx, "p", []byte(`{"summary": "s"}`), nil))(t)
	e := must(w.tape(Main).Send(ctx, SendRequest{From: "agent:a", To: "agent:b"}))(t)
	if _, _, err := w.tape("in").Receive(ctx, e, ""); err != nil {
		t.Fatal(err)
	}
	must(w.tape("in").Fork(ctx, ForkRequest{To: "fork"}))(t)
	if _, existed, err := w.tape("fork").Receive(ctx, e, ""); err != nil || !existed {
		t.Error(existed, err)
	}
}
