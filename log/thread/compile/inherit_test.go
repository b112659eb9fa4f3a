package compile

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"handoff/log/bundle"
	"handoff/log/thread"
)

// TestBranchEqualsCopy branches again and again, at any event, and also copies
// the inherited events into one long thread. Without summaries both give the
// same texts: a branch is as good as a copy of its parent.
func TestBranchEqualsCopy(t *testing.T) {
	deepest := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newStory()
		s.thread("t0")
		copied := []thread.Event{} // payloads that count
		generations := rapid.IntRange(1, 6).Draw(rt, "generations")
		id := "t0"
		for g := range generations {
			if g > 0 {
				parent := id
				head := len(s.streams[parent]) - 1
				cut := rapid.IntRange(0, head).Draw(rt, "cut")
				copied = slices.DeleteFunc(copied, func(e thread.Event) bool { return e.StreamID == parent && e.Seq > uint64(cut) })
				if cut == 0 && g > 1 { // before the parent was a branch
					copied = nil
				}
				id = fmt.Sprint("t", g)
				s.branch(parent, uint64(cut), id)
			}
			var messages []string
			for i := range rapid.IntRange(0, 12).Draw(rt, "events") {
				name := fmt.Sprintf("%s/e%d", id, i)
				if len(messages) == 0 || rapid.Bool().Draw(rt, "message") {
					copied = append(copied, s.message(id, name))
					messages = append(messages, name)
					continue
				}
				s.says(name, "answer of "+name)
				copied = append(copied, s.add(id, name+"/ended", &thread.RunEnded{RunSessionID: name, MessageID: rapid.SampledFrom(messages).Draw(rt, "answered")}))
			}
		}
		s.thread("copy")
		for _, e := range copied {
			s.add("copy", e.ID, e.Payload)
		}
		limits := Limits{Messages: rapid.IntRange(1, 20).Draw(rt, "limit")}
		branch, err := Compile(s.source(), Request{ThreadID: id, Base: true, Limits: limits})
		if err != nil {
			rt.Fatal(err)
		}
		whole, err := Compile(s.source(), Request{ThreadID: "copy", Limits: limits})
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := texts(branch), texts(whole); !slices.Equal(got, want) {
			rt.Fatalf("\n got %q\nwant %q", got, want)
		}
		deepest = max(deepest, len(branch.Decision.Reason))
	})
	if deepest < 200 {
		t.Error("no context reached over several generations")
	}
}

func texts(r Result) (all []string) {
	for _, item := range r.Bundle.Items {
		m := item.(bundle.Message)
		all = append(all, m.Role+": "+m.Content)
	}
	return all
}
