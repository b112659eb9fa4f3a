package compile

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"handoff/log/thread"
	"handoff/log/thread/frame"
)

// TestAboveEqualsLooks compiles random deep families whose frames tell what is above, and the same families without: contexts,
// decisions and explanations must be the same.
func TestAboveEqualsLooks(t *testing.T) {
	leaps := 0
	for seed := range uint64(25) {
		random := rand.New(rand.NewPCG(seed, 39))
		s := newStory()
		ids := s.deepFamily(random)
		plain := s.open(t)
		slow := FromStore(plain, s.source().Artifact)
		slow.Pasts = nil
		leaps += s.tell(ids)
		fast := FromStore(s.open(t), s.source().Artifact)
		for range 12 {
			req := Request{ThreadID: ids[len(ids)-1-random.IntN(len(ids)/3)], Base: true, Refs: random.IntN(3) == 0,
				Limits: Limits{Messages: random.IntN(5), Summaries: random.IntN(4)}}
			a, errA := Compile(fast, req)
			b, errB := Compile(slow, req)
			if fmt.Sprint(errA) != fmt.Sprint(errB) || !reflect.DeepEqual(a, b) {
				t.Fatalf("seed %d, %+v: %v, %v\n got %s\n%s\nwant %s\n%s", seed, req, errA, errB, a.Bundle.Bytes(), a.Explanation, b.Bundle.Bytes(), b.Explanation)
			}
		}
	}
	if leaps < 40 {
		t.Errorf("only %d frames tell what is above", leaps)
	}
}

// deepFamily is a chain of branches, most of them with messages alone.
func (s *story) deepFamily(random *rand.Rand) (ids []string) {
	rare := 10 + random.IntN(200)
	for g := range 60 + random.IntN(150) {
		id := fmt.Sprint("t", g)
		if g == 0 {
			s.thread(id)
		} else {
			last := len(s.streams[ids[g-1]]) - 1
			s.branch(ids[g-1], uint64(max(min(1, last), last-random.IntN(3), 0)), id)
		}
		for i := range random.IntN(3) {
			s.message(id, fmt.Sprintf("%s-e%d", id, i))
		}
		switch random.IntN(rare) {
		case 0:
			s.checkpoint(id, "cumulative_v1", uint64(random.IntN(len(s.streams[id]))))
		case 1:
			s.add(id, id+"-ref", &thread.ThreadReferenced{FromThreadID: id, ToThreadID: "t0", Selector: []byte(`{"seq":0}`), ActorID: "a", Origin: "o"})
		}
		ids = append(ids, id)
	}
	return ids
}

// tell adds to the frames of branches what they tell of their ancestors, and counts these frames.
func (s *story) tell(ids []string) (told int) {
	for _, id := range ids[1:] {
		frames := s.streams[id]
		frames[1].Extra = frame.Climb(id, frames[1].Payload.(*thread.Branched), func(id string, upTo uint64) (frame.Past, bool) {
			var src strings.Builder
			for _, e := range s.streams[id] {
				line, _ := e.Line()
				fmt.Fprintf(&src, "%s\n", line)
			}
			return frame.Begun([]byte(src.String()), id, upTo)
		})
		told += len(frames[1].Extra)
	}
	return told
}

// TestAboveOfStore branches 100 times, also off threads that are too long to be read at once: few ancestors are looked at, those that a
// context uses must be there, and one that it does not use may be gone.
func TestAboveOfStore(t *testing.T) {
	store, err := thread.Open(t.TempDir(), thread.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	ctx := context.Background()
	root, _, err := store.Create(ctx, thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{root.ThreadID}
	for g := range 100 {
		content := "hello"
		if g%10 == 5 {
			content = strings.Repeat("long ", 10_000)
		}
		if _, err := store.PostMessage(ctx, ids[g], thread.MessageRequest{Content: content}); err != nil {
			t.Fatal(err)
		}
		child, err := store.Branch(ctx, ids[g], thread.BranchRequest{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, child.ThreadID)
	}
	looked := 0
	src := FromStore(store, nil)
	src.Pasts = func(id string, upTo uint64) iter.Seq[thread.Past] {
		return func(yield func(thread.Past) bool) {
			for p := range store.Pasts(id, upTo) {
				if looked++; !yield(p) {
					return
				}
			}
		}
	}
	compile := func() (Result, error) {
		looked = 0
		return Compile(src, Request{ThreadID: ids[100], Base: true})
	}
	whole, err := compile()
	if err != nil || looked > 40 || !strings.Contains(whole.Explanation.String(), "84 messages") {
		t.Fatalf("%v, %d ancestors were looked at\n%s", err, looked, whole.Explanation)
	}
	told := 0
	for _, id := range ids[1:] {
		e, err := store.Event(id, 1)
		if err != nil || store.Mistold(e) {
			t.Errorf("%v, %s", err, e.Extra)
		}
		if len(e.Extra) > 0 {
			told++
			e.Extra[0].Value = []byte(strings.Replace(string(e.Extra[0].Value), `"threads":`, `"threads":1`, 1))
			if !store.Mistold(e) {
				t.Errorf("%s is not found to be untrue", e.Extra)
			}
		}
	}
	if told != 3 {
		t.Errorf("%d frames tell what is above, want 3", told)
	}
	gone := func(n int) { os.Remove(filepath.Join(store.Root(), "threads", ids[n]+".jsonl")) }
	gone(20)
	if r, err := compile(); err != nil || !reflect.DeepEqual(r, whole) {
		t.Errorf("without an ancestor that is not used: %v\n%s", err, r.Explanation)
	}
	gone(0)
	if _, err := compile(); !errors.As(err, new(*LostParent)) || !strings.Contains(err.Error(), ids[0]) || !strings.Contains(err.Error(), ids[1]) {
		t.Errorf("without the last ancestor: %v", err)
	}
	gone(90)
	if _, err := compile(); !errors.As(err, new(*LostParent)) || !strings.Contains(err.Error(), ids[90]) {
		t.Errorf("without an ancestor that is used: %v", err)
	}
}
