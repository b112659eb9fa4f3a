package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"handoff/log/bundle"
	"handoff/log/thread"
)

// longStory has everything that can be packed.
func longStory() *story {
	s := newStory()
	s.thread("p")
	s.handoff("p", 0, "h", handoffBundle())
	s.turns("h", 1, 6) // messages are events 2, 5, …, 17
	s.branch("h", 19, "c")
	s.turns("c", 1, 9) // messages are events 2, 5, …, 26
	s.checkpoint("c", bundle.Cumulative, 4)
	s.checkpoint("c", bundle.Cumulative, 10)
	s.message("c", "c/last") // event 31
	return s
}

func TestPack(t *testing.T) {
	s := longStory()
	req := Request{ThreadID: "c", Base: true, Refs: true}
	all := s.compile(t, req)
	cost := map[string]int{}
	for i, p := range all.Explanation.Kept {
		cost[shape(all)[i]] += p.Tokens
	}
	need := 0
	var inOrder []string
	for _, p := range []string{"message 31", "handoff 1 of h", "summary 10", "message 26", "reply 26"} {
		need += cost[p]
		inOrder = append(inOrder, p)
		req.Budget = need
		r := s.compile(t, req)
		if got := shape(r); len(got) != len(inOrder) || !sameSet(got, inOrder) || r.Explanation.Tokens != need {
			t.Errorf("budget %d: %q (%d tokens), want %q", need, got, r.Explanation.Tokens, inOrder)
		}
		wantStrategy(t, r, ID, map[bool]string{false: "packed_", true: "packed_base_refs_"}[len(inOrder) > 1]+"hierarchical_summaries_recent_messages_v1")
	}
	req.Budget = all.Explanation.Tokens
	r := s.compile(t, req)
	if string(r.Bundle.Bytes()) != string(all.Bundle.Bytes()) {
		t.Error("all fits, and something was left out")
	}
	if want := fmt.Sprintf(`{"hierarchical_summaries_v1_max_refs":3,"recent_messages_v1_limit":16,"token_budget":%d}`, req.Budget); string(r.Decision.Limits) != want {
		t.Errorf("%s, want %s", r.Decision.Limits, want)
	}

	req.Budget = cost["message 31"] - 1
	var over *OverBudget
	if _, err := Compile(s.source(), req); !errors.As(err, &over) || *over != (OverBudget{req.Budget, req.Budget + 1}) {
		t.Errorf("%v", err)
	}
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// TestPackedDecision: the decision has the number of items that did not fit.
func TestPackedDecision(t *testing.T) {
	s := longStory()
	all := s.compile(t, Request{ThreadID: "c"})
	r := s.compile(t, Request{ThreadID: "c", Budget: all.Explanation.Tokens - 1})
	wantStrategy(t, r, ID, "packed_hierarchical_summaries_recent_messages_v1")
	if len(r.Decision.Checkpoints) != 1 || r.Decision.Checkpoint.ToSeq != 10 || len(r.Decision.Resets) != 1 ||
		r.Decision.Resets[0].Reason != "token_budget" || !strings.HasSuffix(string(r.Decision.Resets[0].Ref), `"to_seq":4}`) {
		t.Errorf("%+v %+v", r.Decision.Checkpoints, r.Decision.Resets)
	}
	const want = `{"cause":"compaction_checkpoint_hierarchy","left_out":1,"levels":1,"selected":"packed_hierarchical_summaries_recent_messages_v1","to_seqs":[10]}`
	if string(r.Decision.Reason) != want {
		t.Errorf("%s", r.Decision.Reason)
	}
}

// TestPackNeverCuts packs into any budget: it is never exceeded, the packed parts
// have the same order and bytes as without a budget, no turn in between is missing,
// and a little more budget never loses the message to be answered.
func TestPackNeverCuts(t *testing.T) {
	s := longStory()
	req := Request{ThreadID: "c", Base: true, Refs: true}
	all := s.compile(t, req)
	rapid.Check(t, func(rt *rapid.T) {
		req := req
		req.Budget = rapid.IntRange(1, all.Explanation.Tokens+10).Draw(rt, "budget")
		r, err := Compile(s.source(), req)
		if over := (*OverBudget)(nil); errors.As(err, &over) {
			if over.Needed <= req.Budget {
				rt.Fatal(err)
			}
			return
		}
		if err != nil || r.Explanation.Tokens > req.Budget {
			rt.Fatalf("%v: %d tokens, the budget is %d", err, r.Explanation.Tokens, req.Budget)
		}
		at := 0
		turns := 0
		for _, item := range r.Bundle.Items {
			for at < len(all.Bundle.Items) && !sameItem(all.Bundle.Items[at], item) {
				if all.Explanation.Kept[at].Kind == "message" && turns > 0 {
					rt.Fatalf("a hole at %s", shape(all)[at])
				}
				at++
			}
			if at == len(all.Bundle.Items) {
				rt.Fatalf("%v is not of the whole context, or in another order", item)
			}
			if all.Explanation.Kept[at].Kind == "message" {
				turns++
			}
			at++
		}
		if last := shape(r); last[len(last)-1] != "message 31" {
			rt.Fatalf("ends with %s", last[len(last)-1])
		}
		if n := len(r.Explanation.Kept) + r.leftOut(); n != len(all.Explanation.Kept) {
			rt.Fatalf("%d pieces are accounted for, of %d", n, len(all.Explanation.Kept))
		}
	})
}

func (r Result) leftOut() (n int) {
	for _, p := range r.Explanation.LeftOut {
		if p.Budget {
			n++
		}
	}
	return n
}

func sameItem(a, b bundle.Item) bool {
	return string(bundle.Context{Items: []bundle.Item{a}}.Bytes()) == string(bundle.Context{Items: []bundle.Item{b}}.Bytes())
}

func TestExplanation(t *testing.T) {
	s := newStory()
	s.thread("p")
	s.handoff("p", 0, "h", handoffBundle())
	s.turns("h", 1, 4)
	s.checkpoint("h", bundle.Cumulative, 2)
	s.branch("h", 14, "c")
	s.turns("c", 1, 3)
	r := s.compile(t, Request{ThreadID: "c", Base: true, Budget: 90, Limits: Limits{Messages: 5, Summaries: 3}})
	const want = `thread c up to event 10: packed_base_recent_messages_v1 by handoff.context_compiler.v1
kept: 6, about 81 tokens of 90
      18  summary of the handoff of thread h
      31  summary up to event 2 of thread h
      10  message, event 5
       6  reply to event 5
      10  message, event 8
       6  reply to event 8
left out: 11
          1 message up to event 2 of thread h: a summary covers them
          1 message up to event 7 of thread h: more than the limit of 5
          file a/ü.go: references are included only on request
          file b: references are included only on request
          artifact 836ff184e7b41b1e13cb5fd89fa1de98dbbab99e9d2918913ff43b86a5c7c213: references are included only on request
          message, event 8 of thread h: older than what did not fit
          reply to event 8 of thread h: its message is left out
          message, event 11 of thread h: older than what did not fit
          reply to event 11 of thread h: its message is left out
          message, event 2: about 10 tokens, 9 are left
          reply to event 2: its message is left out
`
	if got := r.Explanation.String(); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// TestOlderSummaries: older summaries are added after the messages, the newest first.
func TestOlderSummaries(t *testing.T) {
	s := newStory()
	s.thread("t")
	s.turns("t", 1, 20) // message i is event 3i-2
	for _, toSeq := range []uint64{10, 22, 46} {
		s.checkpoint("t", bundle.Cumulative, toSeq)
	}
	all := s.compile(t, Request{ThreadID: "t"})
	r := s.compile(t, Request{ThreadID: "t", Budget: all.Explanation.Tokens - 1})
	if got := shape(r)[:3]; !slices.Equal(got, []string{"summary 22", "summary 46", "message 49"}) {
		t.Errorf("%q of %q", got, shape(all))
	}
}

// TestSideEffectsGoWithTheirTurn: none is in a context without its message.
func TestSideEffectsGoWithTheirTurn(t *testing.T) {
	s := newStory()
	s.thread("t")
	for i := range 6 {
		id := fmt.Sprint("m", i)
		s.message("t", id)
		s.run("t", id, "r"+id, strings.Repeat("word ", 50))
		s.add("t", "fx"+id, &thread.SideEffects{RunSessionID: "r" + id, ToolID: "x", ToolName: "write", ActorID: "user", Origin: "cli"})
	}
	for budget := 100; budget < 600; budget += 20 {
		r := s.compile(t, Request{ThreadID: "t", Refs: true, Budget: budget})
		messages := map[uint64]bool{}
		for _, p := range r.Explanation.Kept {
			if p.Kind == "message" {
				messages[p.Seq] = true
			}
			if p.Kind != "message" && !messages[p.Seq] {
				t.Errorf("budget %d: %q", budget, shape(r))
			}
		}
	}
}
