package tape

import (
	"errors"
	"sync"
	"testing"

	"handoff/document/handoff"
)

// TestHandoffOnce: the same name and state, in any spelling of the JSON, return
// the existing anchor, also before later anchors of that name.
func TestHandoffOnce(t *testing.T) {
	w := open(t)
	tape := w.tape("new")
	first, existed, err := tape.HandoffOnce(ctx, "p", []byte(`{"a": 1, "b": "é"}`))
	if err != nil || existed || first.ID != 3 {
		t.Fatal(first.Raw(), existed, err)
	}
	must(tape.Handoff(ctx, "p", []byte(`{"a": 2}`), nil))(t)
	add(t, tape, message("m"))
	again, existed, err := tape.HandoffOnce(ctx, "p", []byte(`{"a":1,"b":"\u00e9"}`))
	if err != nil || !existed || again.ID != first.ID {
		t.Error(again.Raw(), existed, err)
	}
	for _, other := range []struct{ name, state string }{{"p", `{"a": 3}`}, {"q", `{"a": 1, "b": "é"}`}, {"p", `{}`}} {
		if e, existed, err := tape.HandoffOnce(ctx, other.name, []byte(other.state)); err != nil || existed {
			t.Error(e.Raw(), existed, err)
		}
	}
	wantShort(t, tape, Query{}, "a:session/start e:handoff a:p e:handoff a:p e:handoff m a:p e:handoff a:q e:handoff a:p e:handoff")
	if _, _, err := tape.HandoffOnce(ctx, "p", []byte(`[]`)); !errors.Is(err, handoff.ErrInvalid) {
		t.Error(err)
	}
}

// TestOnceInForks: a parent's entries count as the fork's, whether copied or
// linked.
func TestOnceInForks(t *testing.T) {
	e := must(ParseEnvelope([]byte(seedEnvelope)))(t)
	for _, link := range []bool{false, true} {
		w, root := phases(t)
		must(root.Fork(ctx, ForkRequest{To: "before", Link: link}))(t)
		first, _, err := root.Receive(ctx, e, "")
		if err != nil {
			t.Fatal(err)
		}
		must(root.Fork(ctx, ForkRequest{To: "child", Link: link}))(t)
		if link {
			must(root.Reset(ctx, ResetRequest{}))(t) // now the fork refers to the archive
		}
		child := w.tape("child")
		add(t, child, message("own"))
		before := must(child.Info())(t)
		a, existed, err := child.HandoffOnce(ctx, "p", []byte(`{"task":"x"}`))
		if err != nil || !existed || a.Name() != "p" || (a.Source == Main) != link {
			t.Errorf("linked %v: %s, %v, %v", link, a.Raw(), existed, err)
		}
		a, existed, err = child.Receive(ctx, e, "")
		if err != nil || !existed || string(a.Payload) != string(first.Payload) {
			t.Errorf("linked %v: %s, %v, %v", link, a.Raw(), existed, err)
		}
		if info := must(child.Info())(t); info.Entries != before.Entries {
			t.Errorf("linked %v: %d entries, then %d", link, before.Entries, info.Entries)
		}
		// Later entries of the parent are not on the fork, which cannot receive
		// the envelope, even if the parent was reset since.
		if _, existed, err := w.tape("before").Receive(ctx, e, ""); existed || !errors.Is(err, ErrReceived) {
			t.Errorf("linked %v: %v, %v", link, existed, err)
		}
		if _, existed, err := child.HandoffOnce(ctx, "p", []byte(`{"task":"y"}`)); err != nil || existed {
			t.Errorf("linked %v: %v, %v", link, existed, err)
		}
	}
}

func TestHandoffOnceAtOnce(t *testing.T) {
	w := open(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if _, _, err := w.tape(Main).HandoffOnce(ctx, "p", []byte(`{"a": 1}`)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	wantShort(t, w.tape(Main), Query{}, "a:session/start e:handoff a:p e:handoff")
}

// TestSendOf refers to an anchor that is not the last one, and completes the
// envelope from its state.
func TestSendOf(t *testing.T) {
	_, tape := phases(t)
	entries := must(tape.Handoff(ctx, "found", []byte(`{"summary": "s", "next_steps": "n"}`), nil))(t)
	must(tape.Handoff(ctx, "later", []byte(`{"summary": "other"}`), nil))(t)
	e := must(tape.Send(ctx, SendRequest{From: "a", To: "b", Anchor: &entries[0]}))(t)
	if e.Content.TapeRef != "tape://ws-00000001/main/entry/8" || e.Content.Summary != "s" || e.Content.Intention.NextSteps != "n" {
		t.Errorf("%+v", e.Content)
	}
}
