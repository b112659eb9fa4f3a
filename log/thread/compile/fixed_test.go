package compile

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"handoff/log/bundle"
	"handoff/log/thread"
)

// TestLaterKnowledge branches after the second of three messages. A summary
// of the parent that is written after that is not inherited, though it covers
// nothing after the cut: its author knew all of the parent.
func TestLaterKnowledge(t *testing.T) {
	s := newStory()
	s.thread("p")
	for i := 1; i <= 3; i++ {
		s.message("p", fmt.Sprint("p/m", i))
	}
	s.branch("p", 2, "c")
	before := s.compile(t, Request{ThreadID: "c", Base: true})
	s.checkpoint("p", bundle.Cumulative, 2)
	after := s.compile(t, Request{ThreadID: "c", Base: true})
	wantShape(t, after, "message 1 of p", "message 2 of p")
	if string(before.Bundle.Bytes()) != string(after.Bundle.Bytes()) {
		t.Errorf("\nbefore %s\n after %s", before.Bundle.Bytes(), after.Bundle.Bytes())
	}
	wantShape(t, s.compile(t, Request{ThreadID: "p", Seq: new(uint64(3))}), "message 1", "message 2", "message 3")
	wantShape(t, s.compile(t, Request{ThreadID: "p", Seq: new(uint64(4))}), "summary 2", "message 3")
}

// TestFixedCut compiles a branch of a branch at a fixed cut, continues all
// threads, and compiles it again: the bytes are the same.
func TestFixedCut(t *testing.T) {
	inherited := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := newStory()
		s.thread("g")
		s.anything(rt, "g", 40)
		s.branch("g", s.cut(rt, "g"), "p")
		s.anything(rt, "p", 20)
		s.branch("p", s.cut(rt, "p"), "c")
		s.anything(rt, "c", 10)
		seq := s.cut(rt, "c")
		req := Request{ThreadID: "c", Seq: &seq, Base: true, Refs: rapid.Bool().Draw(rt, "refs"), Budget: rapid.SampledFrom([]int{0, 0, 10_000}).Draw(rt, "budget")}
		before, err := Compile(s.source(), req)
		if err != nil {
			rt.Fatal(err)
		}
		if len(before.Bundle.Items) > 0 && len(before.Decision.Reason) > 200 {
			inherited++
		}
		for i := range rapid.IntRange(1, 6).Draw(rt, "later") {
			id := rapid.SampledFrom([]string{"g", "p", "c", "sibling"}).Draw(rt, "who goes on")
			if id == "sibling" {
				id = fmt.Sprint(id, i)
				of := rapid.SampledFrom([]string{"g", "p", "c"}).Draw(rt, "sibling of")
				s.branch(of, s.cut(rt, of), id)
			}
			s.anything(rt, id, 15)
		}
		after, err := Compile(s.source(), req)
		if err != nil {
			rt.Fatal(err)
		}
		if got, want := string(after.Bundle.Bytes()), string(before.Bundle.Bytes()); got != want {
			rt.Fatalf("\nbefore %s\n after %s", want, got)
		}
		if !slices.Equal(after.Decision.Reason, before.Decision.Reason) {
			rt.Fatalf("\nbefore %s\n after %s", before.Decision.Reason, after.Decision.Reason)
		}
	})
	if inherited < 10 {
		t.Errorf("only %d contexts inherited something", inherited)
	}
}

func (s *story) cut(rt *rapid.T, id string) uint64 {
	return uint64(rapid.IntRange(1, len(s.streams[id])-1).Draw(rt, "cut of "+id))
}

// anything continues a thread with messages, runs that end at once, later or
// never, side effects, and summaries of any part so far.
func (s *story) anything(rt *rapid.T, id string, most int) {
	s.message(id, fmt.Sprintf("%s/m%d", id, s.clock))
	for range rapid.IntRange(0, most).Draw(rt, "events of "+id) {
		var messages []thread.Event
		for _, e := range s.streams[id] {
			if _, ok := e.Payload.(*thread.Message); ok {
				messages = append(messages, e)
			}
		}
		m := rapid.SampledFrom(messages).Draw(rt, "message")
		name := fmt.Sprintf("%s/e%d", id, s.clock)
		switch rapid.IntRange(0, 4).Draw(rt, "kind") {
		case 0, 1:
			s.message(id, name)
		case 2:
			s.run(id, m.ID, name, "answer of ", name)
		case 3:
			s.checkpoint(id, rapid.SampledFrom([]string{bundle.Cumulative, bundle.Cumulative, "topical_v1"}).Draw(rt, "summary"), m.Seq)
		case 4:
			s.add(id, name, &thread.SideEffects{RunSessionID: name, ToolID: "x", ToolName: "write", AffectedPaths: []string{"a"}, ActorID: "user", Origin: "cli"})
		}
	}
}

// recorded adds a run whose context RIP has compiled, up to event fromSeq, and
// returns its selection's event.
func (s *story) recorded(threadID, messageID, session string, fromSeq uint64) thread.Event {
	s.add(threadID, session+"/spawned", &thread.RunSpawned{RunSessionID: session, MessageID: messageID})
	e := s.add(threadID, session+"/selected", &thread.SelectionDecided{RunSessionID: session, MessageID: messageID, CompilerID: RIP, Limits: []byte("{}")})
	s.add(threadID, session+"/compiled", &thread.ContextCompiled{RunSessionID: session, CompilerID: RIP, FromSeq: fromSeq})
	s.says(session, "said by ", session)
	s.add(threadID, session+"/ended", &thread.RunEnded{RunSessionID: session, MessageID: messageID, Reason: "completed"})
	return e
}

// TestRecordedRun has RIP answer a message that another one follows already: it
// uses a summary that was written in between. Compiled again, at the message or
// at the recorded cut, the context is that of the run, whatever came later.
func TestRecordedRun(t *testing.T) {
	s := newStory()
	s.thread("p")
	for i := 1; i <= 4; i++ {
		s.message("p", fmt.Sprint("p/m", i))
	}
	s.checkpoint("p", bundle.Cumulative, 1) // event 5
	atMessage := Request{ThreadID: "p", MessageID: "p/m3", Base: true}
	want := s.compile(t, atMessage) // as the run will
	wantShape(t, want, "summary 1", "message 2", "message 3")
	s.recorded("p", "p/m3", "r1", 3)
	s.checkpoint("p", bundle.Cumulative, 2)
	s.recorded("p", "p/m3", "r2", 3)
	s.checkpoint("p", bundle.Cumulative, 3)
	for name, src := range map[string]Source{"replay": s.source(), "store": FromStore(s.open(t), s.source().Artifact)} {
		for _, req := range []Request{atMessage, {ThreadID: "p", Seq: new(uint64(3)), Base: true}} {
			r, err := Compile(src, req)
			if err != nil {
				t.Fatal(name, err)
			}
			wantShape(t, r, "summary 1", "message 2", "message 3")
		}
	}
	// A run at another cut, and one without a context, do not affect this one.
	s.run("p", "p/m2", "r3", "x")
	s.recorded("p", "p/m2", "r4", 1)
	wantShape(t, s.compile(t, Request{ThreadID: "p", MessageID: "p/m2"}), "summary 1", "summary 2")
}

// TestFixedCutInAStore does the same with a store, whose catalogue changes
// later.
func TestFixedCutInAStore(t *testing.T) {
	ctx := t.Context()
	s := newStory()
	s.thread("p")
	for i := range 5 {
		m := s.message("p", fmt.Sprint("m", i))
		s.run("p", m.ID, fmt.Sprint("r", i), "answer")
	}
	store := s.open(t)
	child, err := store.Branch(ctx, "p", thread.BranchRequest{FromSeq: new(uint64(6))})
	if err != nil {
		t.Fatal(err)
	}
	req := Request{ThreadID: child.ThreadID, Seq: new(uint64(1)), Base: true}
	compiled := func() string {
		t.Helper()
		r, err := Compile(FromStore(store, s.source().Artifact), req)
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Bundle.Bytes())
	}
	before := compiled()
	for _, id := range []string{"p", child.ThreadID} {
		_, err1 := store.PostMessage(ctx, id, thread.MessageRequest{Content: "later"})
		_, err2 := store.Rename(ctx, id, thread.RenameRequest{Title: new("renamed")})
		_, err3 := store.Archive(ctx, id, thread.By{})
		_, err4 := store.Branch(ctx, id, thread.BranchRequest{Title: new("sibling")})
		if err := errors.Join(err1, err2, err3, err4, store.SetDefault(ctx, "/w", id)); err != nil {
			t.Fatal(err)
		}
	}
	if after := compiled(); after != before {
		t.Errorf("\nbefore %s\n after %s", before, after)
	}
}
