package threadops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"handoff/log/thread"
	"handoff/log/thread/compile"
)

// forward is a source as a server is one: it cannot be read from the end.
type forward map[string][]thread.Event

func (f forward) EventsFrom(_ context.Context, id string, from uint64, _ bool) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		if f[id] == nil {
			yield(thread.Event{}, fs.ErrNotExist)
			return
		}
		for _, e := range f[id][min(from, uint64(len(f[id]))):] {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func (forward) RunText(context.Context, string, int) (string, bool, error) { return "", false, nil }

// both is a store, which counts what is read from the end.
type both struct {
	forward
	read *int
}

func (b both) Backward(id string, upTo uint64) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		if b.forward[id] == nil {
			yield(thread.Event{}, fs.ErrNotExist)
			return
		}
		for _, e := range slices.Backward(b.forward[id]) {
			if e.Seq > upTo {
				continue
			}
			if *b.read++; !yield(e, nil) {
				return
			}
		}
	}
}

// grow adds random events to a thread: messages, and runs that end late, twice or never.
func (f forward) grow(random *rand.Rand, id string, n int) {
	if f[id] == nil {
		f[id] = []thread.Event{{StreamID: id, Payload: &thread.Created{}}}
	}
	for range n {
		all := f[id]
		run := fmt.Sprint("r", random.IntN(10))
		all = append(all, thread.Event{ID: fmt.Sprint(id, "e", len(all)), StreamID: id, Seq: uint64(len(all)), Payload: []thread.Payload{
			&thread.Message{Content: "hi"}, &thread.RunSpawned{RunSessionID: run + id + fmt.Sprint(len(all))}, &thread.RunEnded{RunSessionID: run + id, Reason: "killed"},
			&thread.SideEffects{}, &thread.CheckpointCreated{ToSeq: 1},
		}[random.IntN(5)]})
		if n := len(all) - 1; n > 3 && random.IntN(2) == 0 { // a run of before ends
			if p, ok := all[n-2].Payload.(*thread.RunSpawned); ok {
				all[n].Payload = &thread.RunEnded{RunSessionID: p.RunSessionID, Reason: "completed"}
			}
		}
		f[id] = all
	}
}

// branch creates a thread that continues another after an event.
func (f forward) branch(parent, id string, cut uint64) {
	f[id] = []thread.Event{{StreamID: id, Payload: &thread.Created{}},
		{ID: id + "e1", StreamID: id, Seq: 1, Payload: &thread.Branched{ParentThreadID: parent, ParentSeq: cut}}}
}

// TestLastParts compares the last parts of random threads, read from the end, with those of the whole: alone and as branches of
// branches, and with children at any event.
func TestLastParts(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		all, own := forward{}, 0
		for depth := range random.IntN(4) + 1 {
			id := strings.Repeat("p", 3-depth) + "t"
			if parent := "p" + id; all[parent] != nil {
				all.branch(parent, id, uint64(random.IntN(len(all[parent]))))
			}
			all.grow(random, id, random.IntN(60))
			own = len(all[id])
		}
		id := slices.MinFunc(slices.Collect(keysOf(all)), func(a, b string) int { return len(a) - len(b) })
		var children []thread.Info
		for range random.IntN(4) {
			children = append(children, thread.Info{ThreadID: "c", Parent: &thread.Parent{Kind: thread.ByBranch, ThreadID: id, Seq: uint64(random.IntN(own))}})
		}
		talk := func() Talk { return Talk{Info: thread.Info{ThreadID: id}} }
		whole := talk()
		if err := whole.Read(t.Context(), all, children, 0); err != nil || whole.Earlier != 0 || whole.Gap != nil {
			t.Fatal(err, whole.Earlier, whole.Gap)
		}
		for last := 1; last < len(whole.Said)+2; last++ {
			read, want, got := 0, talk(), talk()
			if err := want.Read(t.Context(), all, children, last); err != nil {
				t.Fatal(err)
			}
			if err := got.Read(t.Context(), both{all, &read}, children, last); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, last %d: %v\n got %+v\nwant %+v", seed, last, err, got, want)
			}
			if end := whole.Said[max(0, len(whole.Said)-last):]; !reflect.DeepEqual(got.Said, end) && len(end) > 0 || (got.Earlier > 0) != (len(end) < len(whole.Said)) {
				t.Fatalf("seed %d, last %d: %+v, %d before", seed, last, got.Said, got.Earlier)
			}
			if last < 3 && own > 55 && len(children) == 0 && read >= own {
				t.Errorf("seed %d: %d events were read for the last %d parts", seed, read, last)
			}
		}
	}
}

func keysOf(f forward) iter.Seq[string] {
	return func(yield func(string) bool) {
		for id := range f {
			if !yield(id) {
				return
			}
		}
	}
}

// message is an event with a text.
func message(id string, seq uint64, text string) thread.Event {
	return thread.Event{ID: fmt.Sprint(id, seq), StreamID: id, Seq: seq, Payload: &thread.Message{Content: text}}
}

// lines are the parts of a conversation, a word each.
func lines(all []Said) (words []string) {
	for _, s := range all {
		word := s.Kind + ":" + s.Text + s.From + s.Run
		if s.Thread != "" {
			word += "@" + s.Thread
		}
		words = append(words, word)
	}
	return words
}

// TestInherited: a branch of a branch has what both inherit up to their cuts, marked with its thread; a run that had not ended at the cut has not
// ended; a handoff inherits nothing but its summary, and a branch of it nothing older. What is missing is left out, and reported.
func TestInherited(t *testing.T) {
	f := forward{
		"g": {{StreamID: "g", Payload: &thread.Created{}}, message("g", 1, "one"),
			{StreamID: "g", Seq: 2, Payload: &thread.RunSpawned{RunSessionID: "r"}}, message("g", 3, "not inherited"),
			{StreamID: "g", Seq: 4, Payload: &thread.RunEnded{RunSessionID: "r", Reason: "completed"}}},
		"h": {{StreamID: "h", Payload: &thread.Created{}}, {StreamID: "h", Seq: 1, Payload: &thread.HandedOff{FromThreadID: "g", SummaryMarkdown: new("sum")}}},
	}
	f.branch("g", "p", 2)
	f["p"] = append(f["p"], message("p", 2, "two"))
	f.branch("p", "c", 2)
	f["c"] = append(f["c"], message("c", 2, "three"))
	f.branch("h", "b", 1)
	f.branch("p", "short", 7)
	f.branch("nowhere", "orphan", 3)
	f.branch("orphan", "below", 1)
	f.branch("loop2", "loop1", 1)
	f.branch("loop1", "loop2", 1)
	for id, c := range map[string]struct {
		own, gap string
		lost     *compile.LostParent
	}{
		"c":      {own: "message:one@g answer:r@g branch:g@p message:two@p branch:p message:three"},
		"g":      {own: "message:one message:not inherited answer:r"},
		"h":      {own: "handoff:sumg"},
		"b":      {own: "handoff:sumg@h branch:h"},
		"short":  {own: "message:one@g answer:r@g branch:g@p message:two@p branch:p", lost: &compile.LostParent{Child: "short", Parent: "p", Cut: 7, Events: 3}},
		"orphan": {own: "branch:nowhere", lost: &compile.LostParent{Child: "orphan", Parent: "nowhere", Cut: 3}},
		"below":  {own: "branch:nowhere@orphan branch:orphan", lost: &compile.LostParent{Child: "orphan", Parent: "nowhere", Cut: 3}},
		"loop1":  {gap: "thread loop1 is its own ancestor, by way of loop2"},
	} {
		for _, last := range []int{0, 100} {
			talk := Talk{Info: thread.Info{ThreadID: id}}
			if err := talk.Read(t.Context(), both{f, new(int)}, nil, last); err != nil {
				t.Fatal(id, err)
			}
			got := strings.Join(lines(talk.Said), " ")
			if last > 0 && id == "short" { // from the end, what is before the gap is not read
				c.own = "branch:p"
			}
			if c.own != "" && got != c.own {
				t.Errorf("%s, last %d:\n got %s\nwant %s", id, last, got, c.own)
			}
			var lost *compile.LostParent
			switch {
			case c.gap != "" && (talk.Gap == nil || talk.Gap.Error() != c.gap),
				c.lost != nil && (!errors.As(talk.Gap, &lost) || *lost != *c.lost),
				c.gap == "" && c.lost == nil && talk.Gap != nil:
				t.Errorf("%s, last %d: %v", id, last, talk.Gap)
			}
		}
	}
	own := Talk{Info: thread.Info{ThreadID: "c"}, Own: true}
	if err := own.Read(t.Context(), f, nil, 0); err != nil || len(own.Said) != 2 {
		t.Error(err, lines(own.Said))
	}
	few := Talk{Info: thread.Info{ThreadID: "c"}}
	if err := few.Read(t.Context(), f, nil, 3); err != nil || few.Earlier != 2 || few.EarlierIn != "g" || few.Said[0].Thread != "p" {
		t.Error(err, few.Earlier, few.EarlierIn, lines(few.Said))
	}
}
