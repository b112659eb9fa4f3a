package threadops

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"handoff/log/thread"
)

// forward is a source as a server is one: it cannot be read from the end.
type forward []thread.Event

func (f forward) EventsFrom(_ context.Context, _ string, from uint64, _ bool) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		for _, e := range f[from:] {
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

func (b both) Backward(string) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		for _, e := range slices.Backward(b.forward) {
			if *b.read++; !yield(e, nil) {
				return
			}
		}
	}
}

// TestLastParts compares the last parts of random threads, read from the end, with those of the whole: runs that end late,
// twice or never, and children at any event.
func TestLastParts(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		all := forward{{StreamID: "t", Payload: &thread.Created{}}}
		for range random.IntN(60) {
			run := fmt.Sprint("r", random.IntN(10))
			all = append(all, thread.Event{ID: fmt.Sprint("e", len(all)), StreamID: "t", Seq: uint64(len(all)), Payload: []thread.Payload{
				&thread.Message{Content: "hi"}, &thread.RunSpawned{RunSessionID: run + fmt.Sprint(len(all))}, &thread.RunEnded{RunSessionID: run, Reason: "killed"},
				&thread.SideEffects{}, &thread.CheckpointCreated{ToSeq: 1},
			}[random.IntN(5)]})
			if n := len(all) - 1; n > 3 && random.IntN(2) == 0 { // a run of before ends
				if p, ok := all[n-2].Payload.(*thread.RunSpawned); ok {
					all[n].Payload = &thread.RunEnded{RunSessionID: p.RunSessionID, Reason: "completed"}
				}
			}
		}
		tree := &thread.Node{ThreadID: "t", Focus: true}
		for range random.IntN(4) {
			tree.Children = append(tree.Children, &thread.Node{ThreadID: "c", Parent: &thread.Parent{Kind: thread.ByBranch, ThreadID: "t", Seq: uint64(random.IntN(len(all)))}})
		}
		whole := Talk{}
		if err := whole.Read(t.Context(), all, tree, 0); err != nil || whole.Earlier != 0 {
			t.Fatal(err, whole.Earlier)
		}
		for last := 1; last < len(whole.Said)+2; last++ {
			read, want, got := 0, Talk{}, Talk{}
			if err := want.Read(t.Context(), all, tree, last); err != nil {
				t.Fatal(err)
			}
			if err := got.Read(t.Context(), both{all, &read}, tree, last); err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d, last %d: %v\n got %+v\nwant %+v", seed, last, err, got, want)
			}
			if end := whole.Said[max(0, len(whole.Said)-last):]; !reflect.DeepEqual(got.Said, end) && len(end) > 0 || (got.Earlier > 0) != (len(end) < len(whole.Said)) {
				t.Fatalf("seed %d, last %d: %+v, %d before", seed, last, got.Said, got.Earlier)
			}
			if last < 3 && len(all) > 55 && len(tree.Children) == 0 && read == len(all) {
				t.Errorf("seed %d: all %d events were read for the last %d parts", seed, read, last)
			}
		}
	}
}
