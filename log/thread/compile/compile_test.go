package compile

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
	"handoff/log/thread/compile/render"
)

// TestCut has runs that interleave: each message's context ends before the
// next message, with the replies that were there by then.
func TestCut(t *testing.T) {
	s := newStory()
	s.thread("t")
	s.message("t", "m1")                                                      // 1
	s.add("t", "s1", &thread.RunSpawned{RunSessionID: "r1", MessageID: "m1"}) // 2
	s.message("t", "m2")                                                      // 3
	s.add("t", "s2", &thread.RunSpawned{RunSessionID: "r2", MessageID: "m2"}) // 4
	s.says("r1", "one")
	s.says("r2", "two")
	s.says("r3", "again")
	s.add("t", "e2", &thread.RunEnded{RunSessionID: "r2", MessageID: "m2"}) // 5
	s.add("t", "e1", &thread.RunEnded{RunSessionID: "r1", MessageID: "m1"}) // 6
	s.add("t", "e3", &thread.RunEnded{RunSessionID: "r3", MessageID: "m1"}) // 7
	for _, c := range []struct {
		req   Request
		seq   uint64
		texts string
	}{
		{Request{MessageID: "m1"}, 2, "m1"},
		{Request{MessageID: "m2"}, 7, "m1 again m2 two"},
		{Request{Seq: new(uint64(6))}, 6, "m1 one m2 two"},
		{Request{Seq: new(uint64(5))}, 5, "m1 m2 two"},
		{Request{Seq: new(uint64(3))}, 3, "m1 m2"},
		{Request{Seq: new(uint64(0))}, 0, ""},
		{Request{}, 7, "m1 again m2 two"},
	} {
		c.req.ThreadID = "t"
		r := s.compile(t, c.req)
		var texts []string
		for _, item := range r.Bundle.Items {
			texts = append(texts, strings.TrimPrefix(item.(bundle.Message).Content, "content of "))
		}
		if got := strings.Join(texts, " "); got != c.texts || r.Bundle.Source.FromSeq != c.seq {
			t.Errorf("%+v: %q up to %d, want %q up to %d", c.req, got, r.Bundle.Source.FromSeq, c.texts, c.seq)
		}
	}
	for _, c := range []struct {
		req  Request
		kind error
	}{
		{Request{ThreadID: "t", Seq: new(uint64(8))}, handoff.ErrInvalid},
		{Request{ThreadID: "t", Seq: new(uint64(1)), MessageID: "m1"}, handoff.ErrInvalid},
		{Request{ThreadID: "t", MessageID: "m9"}, fs.ErrNotExist},
		{Request{ThreadID: "t", MessageID: "s1"}, fs.ErrNotExist}, // an event, and no message
		{Request{ThreadID: "u"}, fs.ErrNotExist},
	} {
		if _, err := Compile(s.source(), c.req); !errors.Is(err, c.kind) {
			t.Errorf("%+v: %v, want %v", c.req, err, c.kind)
		}
	}
}

// TestNoSummaries are the causes of a context without one.
func TestNoSummaries(t *testing.T) {
	s := newStory()
	s.thread("t")
	s.turns("t", 1, 2)
	cause := func(want string, limits Limits) {
		t.Helper()
		r := s.compile(t, Request{ThreadID: "t", Limits: limits})
		if string(r.Decision.Reason) != `{"cause":"`+want+`","selected":"recent_messages_v1"}` {
			t.Errorf("%s, want the cause %s", r.Decision.Reason, want)
		}
	}
	cause("no_compaction_checkpoint", Limits{})
	s.checkpoint("t", "topical_v1", 3)
	cause("unsupported_compaction_summary_kind", Limits{})
	s.checkpoint("t", bundle.Cumulative, 4)
	cause("no_supported_compaction_checkpoint", Limits{Messages: 16})
	r := s.compile(t, Request{ThreadID: "t"})
	wantShape(t, r, "summary 4")
	r = s.compile(t, Request{ThreadID: "t", Seq: new(uint64(3))})
	wantShape(t, r, "message 1", "reply 1")
}

// TestTieBreak has two checkpoints at one message: the later one counts.
func TestTieBreak(t *testing.T) {
	s := newStory()
	s.thread("t")
	s.turns("t", 1, 1)
	s.noted("t", bundle.Cumulative, strings.Repeat("f", 64), 1)
	s.noted("t", bundle.Cumulative, strings.Repeat("0", 64), 1)
	src := s.source()
	src.Artifact = nil
	r, err := Compile(src, Request{ThreadID: "t"})
	if err != nil || r.Decision.Checkpoint.SummaryArtifactID != strings.Repeat("0", 64) || len(r.Decision.Checkpoints) != 1 {
		t.Error(err, r.Decision.Checkpoints)
	}
}

// TestTwoMachines builds the same thread on two machines, whose clocks and time zones
// differ: the contexts, decisions, explanations and renderings are the same.
func TestTwoMachines(t *testing.T) {
	local := time.Local
	t.Cleanup(func() { time.Local = local })
	var first []string
	for i, zone := range []string{"UTC", "Pacific/Kiritimati", "UTC"} {
		time.Local = time.FixedZone(zone, i*14*3600)
		s := newStory()
		s.clock += uint64(i) * 7_777_777_777
		s.thread("p")
		s.turns("p", 1, 30)
		s.checkpoint("p", bundle.Cumulative, 10)
		s.checkpoint("p", bundle.Cumulative, 40)
		s.handoff("p", 50, "h", handoffBundle())
		s.turns("h", 1, 4)
		s.branch("h", 9, "c")
		s.turns("c", 1, 3)
		for _, id := range []string{"p", "h", "c"} {
			for _, budget := range []int{0, 150} {
				r := s.compile(t, Request{ThreadID: id, RunSessionID: "run", Base: true, Budget: budget, Refs: budget > 0})
				decision, err := thread.Event{ID: "d", StreamID: id, Payload: r.Decision}.Line()
				if err != nil {
					t.Fatal(err)
				}
				texts := []string{string(r.Bundle.Bytes()), string(decision), r.Explanation.String()}
				for _, f := range render.Formats {
					got, err := f.Render(r.Bundle, render.Options{Artifact: s.source().Artifact, InlineBytes: 0})
					if err != nil {
						t.Fatal(err)
					}
					texts = append(texts, string(got.Bytes))
				}
				all := strings.Join(texts, "\n")
				if i == 0 {
					first = append(first, all)
				} else if all != first[0] {
					t.Errorf("machine %d, thread %s:\n got %s\nwant %s", i, id, all, first[0])
				}
				if i > 0 {
					first = append(first[1:], all)
				}
			}
		}
	}
}

// TestFewReads has a thread of 2^62 events, a message each, with a checkpoint
// at every tenth: events that are not requested must cost nothing.
func TestFewReads(t *testing.T) {
	const head = uint64(math.MaxInt64 / 2)
	calls := 0
	src := Source{
		Head: func(string, uint64) (uint64, error) { calls++; return head, nil },
		Recent: func(_ string, upTo uint64, limit int) (all []Message, err error) {
			for i := limit - 1; i >= 0; i-- {
				calls++
				n := upTo - uint64(i)
				all = append(all, Message{fmt.Sprint("m", n), n, thread.Message{Content: "x"}})
			}
			return all, nil
		},
		Reach: func(_, id string) (seq uint64, err error) {
			calls++
			_, err = fmt.Sscanf(id, "m%d", &seq)
			return seq, err
		},
		Count: func(_ string, upTo uint64) (uint64, error) { calls++; return upTo, nil },
		Checkpoint: func(_ string, upTo, _ uint64, _ string) (*thread.SelectedCheckpoint, error) {
			calls++
			return &thread.SelectedCheckpoint{CheckpointID: "c", SummaryKind: bundle.Cumulative, SummaryArtifactID: artifact.Sum(nil).String(), ToSeq: upTo / 10 * 10}, nil
		},
		Decided: func(string, string, uint64) (uint64, bool, error) { return 0, false, nil },
		Run:     func(_, id string, _ uint64) (string, string, error) { calls++; return "r" + id, "", nil },
		Output:  func(string, int) (string, bool, error) { calls++; return "y", false, nil },
		Origin:  func(string) (thread.Event, error) { calls++; return thread.Event{}, nil },
	}
	r, err := Compile(src, Request{ThreadID: "t", MessageID: fmt.Sprint("m", head-5), Base: true})
	if want := 3 + 2*int((head-5)%10); err != nil || r.Bundle.Source.FromSeq != head-5 || len(r.Bundle.Items) != want {
		t.Fatal(err, r.Bundle.Source, len(r.Bundle.Items), want)
	}
	if calls > 80 {
		t.Errorf("%d reads", calls)
	}

	// All summaries are lost: it does not look at 2^58 of them.
	src.Artifact = func(artifact.ID) ([]byte, error) { calls++; return nil, fs.ErrNotExist }
	calls = 0
	r, err = Compile(src, Request{ThreadID: "t", Incomplete: true})
	if err != nil || r.Bundle.Compiler.Strategy != "incomplete_"+recentMessages || len(r.Decision.Resets) != maxUnusable || calls > 80 {
		t.Errorf("%s, %d resets, %d reads, %v", r.Bundle.Compiler.Strategy, len(r.Decision.Resets), calls, err)
	}
}
