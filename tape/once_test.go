package tape

import (
	"errors"
	"sync"
	"testing"

	"handoff"
)

// TestHandoffOnce: the same name and state give the anchor that is there, in
// whatever spelling of the JSON, also behind others of the name.
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

// TestSendOf refers to an anchor that is not the last one, and takes from its
// state what is not said.
func TestSendOf(t *testing.T) {
	_, tape := phases(t)
	entries := must(tape.Handoff(ctx, "found", []byte(`{"summary": "s", "next_steps": "n"}`), nil))(t)
	must(tape.Handoff(ctx, "later", []byte(`{"summary": "other"}`), nil))(t)
	e := must(tape.Send(ctx, SendRequest{From: "a", To: "b", Anchor: &entries[0]}))(t)
	if e.Content.TapeRef != "tape://workspace/main/entry/8" || e.Content.Summary != "s" || e.Content.Intention.NextSteps != "n" {
		t.Errorf("%+v", e.Content)
	}
}
