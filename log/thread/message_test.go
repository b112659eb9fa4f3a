package thread

import (
	"errors"
	"io/fs"
	"math"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/log/bundle"
)

// TestReferences: a message's references come after it, in RIP's planned frame, and what does not exist is refused
// before anything is written.
func TestReferences(t *testing.T) {
	w := newFixture(t)
	other, id := w.create("other"), w.create("t")
	m := w.post(other, "first")
	w.post(other, "second")
	note := "why"
	refs := MessageRefs{Threads: []bundle.ThreadRef{{ThreadID: other, Seq: 1, Note: &note}}}
	for _, post := range []func() error{
		func() error {
			_, err := w.PostMessage(ctx, id, MessageRequest{Content: "a", Refs: refs})
			return err
		},
		func() error {
			_, _, err := w.PostOnce(ctx, id, "once", MessageRequest{Content: "b", Refs: refs})
			return err
		},
		func() error {
			_, err := w.PostRun(ctx, id, MessageRequest{Content: "c", Refs: refs}, RunRequest{MessageID: "m", SessionID: "r"}, "")
			return err
		},
	} {
		if err := post(); err != nil {
			t.Fatal(err)
		}
	}
	var kinds []string
	for e, err := range w.Events(id, 1) {
		if err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, strings.TrimPrefix(e.Payload.Type(), "continuity_"))
	}
	if got := strings.Join(kinds, " "); got != "message_appended thread_referenced message_appended thread_referenced message_appended thread_referenced run_spawned" {
		t.Error(got)
	}
	made, err := w.CutOf(other, &m.ID, nil)
	if err != nil || made.Seq != 1 || *made.MessageID != m.ID {
		t.Errorf("%+v, %v", made, err)
	}
	if _, err := w.Refer(ctx, id, made, By{}); err != nil {
		t.Error(err)
	}
	got, err := w.References(id, 4, 9)
	if err != nil || len(got) != 2 || got[1].ThreadID != other || got[1].Seq != 1 || *got[1].Note != note {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := w.References(id, 99, 1); err != nil || len(got) != 1 || got[0].Note != nil {
		t.Errorf("%+v, %v: want the last", got, err)
	}
	for _, c := range []struct {
		ref  bundle.ThreadRef
		kind error
		says string
	}{
		{bundle.ThreadRef{ThreadID: "none"}, fs.ErrNotExist, "refs.threads[0].thread_id"},
		{bundle.ThreadRef{ThreadID: "../x"}, handoff.ErrInvalid, "refs.threads[0]"},
		{bundle.ThreadRef{ThreadID: other, Seq: 3}, handoff.ErrInvalid, "the last event is 2"},
		{bundle.ThreadRef{ThreadID: other, Note: new("source cut")}, handoff.ErrInvalid, "choose another"},
	} {
		refs := []bundle.ThreadRef{c.ref}
		_, posted := w.PostMessage(ctx, id, MessageRequest{Content: "x", Refs: MessageRefs{refs}})
		_, handed := w.Handoff(ctx, id, HandoffRequest{SummaryMarkdown: new("s"), Refs: HandoffRefs{Threads: refs}})
		for _, err := range []error{posted, handed} {
			if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%+v: %v", c.ref, err)
			}
		}
	}
	if head, _ := w.HeadFrom(id, 99); head != 8 {
		t.Errorf("the last event is %d: a refused message was written", head)
	}
}

// TestBackward reads threads of many lengths from the end, over the edges of blocks, and one that is damaged.
func TestBackward(t *testing.T) {
	w := newFixture(t)
	for _, n := range []int{0, 1, leastBack - 2, leastBack - 1, leastBack, 5*leastBack - 1, 5 * leastBack, 700} {
		id := w.create("t")
		w.posts(id, n)
		seq := uint64(n + 1)
		for _, upTo := range []uint64{math.MaxUint64, math.MaxUint64 - 1, uint64(n + 1), uint64(n), uint64(n) / 2, 0} {
			seq := min(seq, upTo+1)
			if upTo == math.MaxUint64 {
				seq = uint64(n + 1)
			}
			for e, err := range w.Backward(id, upTo) {
				if seq--; err != nil || e.Seq != seq {
					t.Fatalf("%d events up to %d: event %d, %v, want %d", n+1, upTo, e.Seq, err, seq)
				}
			}
			if seq != 0 {
				t.Errorf("%d events up to %d: ended before event %d", n+1, upTo, seq)
			}
		}
	}
	for _, err := range w.Backward("none", math.MaxUint64) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Error(err)
		}
	}
}
