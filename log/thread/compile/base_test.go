package compile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
)

func wantShape(t *testing.T, r Result, want ...string) {
	t.Helper()
	if got := shape(r); !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

func wantStrategy(t *testing.T, r Result, id, strategy string) {
	t.Helper()
	if got := r.Bundle.Compiler; got.ID != id || got.Strategy != strategy || r.Decision.CompilerID != id || r.Decision.CompilerStrategy != strategy {
		t.Errorf("%s by %s (decision: %s by %s), want %s by %s", got.Strategy, got.ID, r.Decision.CompilerStrategy, r.Decision.CompilerID, strategy, id)
	}
}

// TestBranch is the smallest branch: message, run, message; branched after the
// run.
func TestBranch(t *testing.T) {
	s := newStory()
	s.thread("p")
	s.turns("p", 1, 1) // message 1, run 2 and 3
	s.message("p", "p/m2")
	s.branch("p", 3, "c")
	s.message("c", "c/m1")
	req := Request{ThreadID: "c", MessageID: "c/m1", RunSessionID: "run", ActorID: "user", Origin: "cli"}

	r := s.compile(t, req)
	wantShape(t, r, "message 2")
	wantStrategy(t, r, RIP, "recent_messages_v1")

	req.Base = true
	r = s.compile(t, req)
	wantShape(t, r, "message 1 of p", "reply 1 of p", "message 2")
	wantStrategy(t, r, ID, "base_recent_messages_v1")
	const want = `{"schema":"rip.context_bundle.v1","compiler":{"id":"handoff.context_compiler.v1","strategy":"base_recent_messages_v1"},"source":{"thread_id":"c","from_seq":2,"from_message_id":"c/m1"},"provenance":{"run_session_id":"run","actor_id":"user","origin":"cli"},"items":[` +
		`{"type":"message","role":"user","content":"content of p/m1","actor_id":"alice","origin":"team","thread_seq":1,"thread_event_id":"p/m1","thread_id":"p"},` +
		`{"type":"message","role":"assistant","content":"reply 1","actor_id":null,"origin":null,"thread_seq":null,"thread_event_id":null,"thread_id":"p"},` +
		`{"type":"message","role":"user","content":"content of c/m1","actor_id":"alice","origin":"team","thread_seq":2,"thread_event_id":"c/m1"}]}`
	if got := string(r.Bundle.Bytes()); got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	const reason = `{"base":[{"from_seq":3,"kind":"branch","messages":1,"summaries":0,"thread_id":"p"}],"cause":"no_compaction_checkpoint","selected":"base_recent_messages_v1"}`
	if string(r.Decision.Reason) != reason {
		t.Errorf("%s", r.Decision.Reason)
	}
	if c := r.Compiled(); c.BundleArtifactID != artifact.Sum([]byte(want)).String() || c.FromSeq != 2 || *c.FromMessageID != "c/m1" || c.CompilerStrategy != "base_recent_messages_v1" {
		t.Errorf("%+v", c)
	}
}

// TestBranchCut has the reply outside of the cut: it is not inherited.
func TestBranchCut(t *testing.T) {
	s := newStory()
	s.thread("p")
	s.turns("p", 1, 2)
	for cut, want := range map[uint64][]string{
		0: nil, 1: {"message 1 of p"}, 2: {"message 1 of p"}, 3: {"message 1 of p", "reply 1 of p"},
		6: {"message 1 of p", "reply 1 of p", "message 4 of p", "reply 4 of p"},
	} {
		child := fmt.Sprint("c", cut)
		s.branch("p", cut, child)
		r := s.compile(t, Request{ThreadID: child, Base: true})
		wantShape(t, r, want...)
		if r.Bundle.Source.FromSeq != 1 || r.Bundle.Source.FromMessageID != nil {
			t.Errorf("source %+v", r.Bundle.Source)
		}
		before := s.compile(t, Request{ThreadID: child, Base: true, Seq: new(uint64)})
		wantShape(t, before) // at event 0 it had not branched
	}
}

// TestLimitsAreShared goes through three generations: the nearest messages and
// summaries fill the limits.
func TestLimitsAreShared(t *testing.T) {
	s := newStory()
	s.thread("g")
	s.turns("g", 1, 20) // message i is event 3i-2
	s.checkpoint("g", bundle.Cumulative, 7)
	s.checkpoint("g", bundle.Cumulative, 16)
	s.checkpoint("g", bundle.Cumulative, 40)
	s.branch("g", 63, "p")
	s.turns("p", 1, 10) // message i is event 3i-1
	s.checkpoint("p", bundle.Cumulative, 5)
	s.branch("p", 32, "c")
	s.message("c", "c/m1")
	r := s.compile(t, Request{ThreadID: "c", Base: true, Limits: Limits{Messages: 12, Summaries: 3}})
	want := []string{"summary 16 of g", "summary 40 of g"}
	for i := 18; i <= 20; i++ {
		want = append(want, fmt.Sprintf("message %d of g", 3*i-2), fmt.Sprintf("reply %d of g", 3*i-2))
	}
	want = append(want, "summary 5 of p")
	for i := 3; i <= 10; i++ {
		want = append(want, fmt.Sprintf("message %d of p", 3*i-1), fmt.Sprintf("reply %d of p", 3*i-1))
	}
	wantShape(t, r, append(want, "message 2")...)
	wantStrategy(t, r, ID, "base_recent_messages_v1")
	if len(r.Decision.Checkpoints) != 0 {
		t.Errorf("checkpoints of other threads in the decision: %v", r.Decision.Checkpoints)
	}
	ref := r.Bundle.Items[1].(bundle.SummaryRef)
	if *ref.Note != "compaction checkpoint to_seq=40 of thread g" || string(ref.Extra[0].Value) != `"g"` {
		t.Errorf("%s %s", *ref.Note, ref.Extra)
	}
	const reason = `{"base":[{"from_seq":32,"kind":"branch","messages":8,"summaries":1,"thread_id":"p"},{"from_seq":63,"kind":"branch","messages":3,"summaries":2,"thread_id":"g"}],"cause":"no_compaction_checkpoint","selected":"base_recent_messages_v1"}`
	if string(r.Decision.Reason) != reason {
		t.Errorf("%s", r.Decision.Reason)
	}

	s.turns("c", 2, 30) // its own fill all: as if it had no parent
	s.checkpoint("c", bundle.Cumulative, 3)
	s.checkpoint("c", bundle.Cumulative, 6)
	s.checkpoint("c", bundle.Cumulative, 12)
	own := s.compile(t, Request{ThreadID: "c"})
	base := s.compile(t, Request{ThreadID: "c", Base: true})
	wantStrategy(t, base, RIP, "hierarchical_summaries_recent_messages_v1")
	if string(own.Bundle.Bytes()) != string(base.Bundle.Bytes()) || string(own.Decision.Reason) != string(base.Decision.Reason) {
		t.Errorf("\n%s\n%s", own.Bundle.Bytes(), base.Bundle.Bytes())
	}
}

func handoffBundle() bundle.Handoff {
	return bundle.Handoff{SummaryMarkdown: "# Summary\n\n- hello", Refs: bundle.Refs{
		Threads:   []bundle.ThreadRef{{ThreadID: "p", Seq: 3, Note: new(thread.SourceCut)}},
		Files:     []bundle.FileRef{{Path: "a/ü.go", Note: new("current state")}, {Path: "b"}},
		Artifacts: []bundle.ArtifactRef{{ID: artifact.Sum([]byte("log")), Note: new("the \"log\"")}},
	}}
}

// TestHandoff starts from the bundle's summary and from nothing else, in the
// thread itself and in a branch of it.
func TestHandoff(t *testing.T) {
	s := newStory()
	s.thread("p")
	s.turns("p", 1, 3)
	s.handoff("p", 9, "c", handoffBundle())
	s.message("c", "c/m1")
	s.branch("c", 2, "d")
	s.message("d", "d/m1")

	r := s.compile(t, Request{ThreadID: "c"})
	wantShape(t, r, "message 2")
	r = s.compile(t, Request{ThreadID: "c", Base: true})
	wantShape(t, r, "handoff 1", "message 2")
	wantStrategy(t, r, ID, "base_recent_messages_v1")
	m := r.Bundle.Items[0].(bundle.Message)
	if m.Role != "system" || m.Content != "Handoff summary (report from an earlier thread)\n# Summary\n\n- hello" || *m.ThreadSeq != 1 || *m.ThreadEventID != "c/handoff" || m.ActorID != nil {
		t.Errorf("%+v", m)
	}
	const reason = `{"base":[{"from_seq":9,"kind":"handoff","thread_id":"p"}],"cause":"no_compaction_checkpoint","selected":"base_recent_messages_v1"}`
	if string(r.Decision.Reason) != reason {
		t.Errorf("%s", r.Decision.Reason)
	}
	wantShape(t, s.compile(t, Request{ThreadID: "d", Base: true}), "handoff 1 of c", "message 2 of c", "message 2")
}

func TestRefs(t *testing.T) {
	s := newStory()
	s.thread("p")
	id := s.handoff("p", 0, "c", handoffBundle())
	m := s.message("c", "c/m1")
	s.run("c", "c/m1", "r1", "done")
	s.add("c", "fx", &thread.SideEffects{RunSessionID: "r1", ToolID: "t1", ToolName: "write", AffectedPaths: []string{"a.txt"}, CheckpointID: new("k"), ActorID: "user", Origin: "cli"})
	s.add("c", "fy", &thread.SideEffects{RunSessionID: "r1", ToolID: "t2", ToolName: "bash", ActorID: "user", Origin: "cli"})
	s.add("c", "fz", &thread.SideEffects{RunSessionID: "another", ToolID: "t3", ToolName: "bash", ActorID: "user", Origin: "cli"})
	r := s.compile(t, Request{ThreadID: "c", Base: true, Refs: true})
	wantShape(t, r, "handoff 1", "file a/ü.go", "file b", "artifact "+artifact.Sum([]byte("log")).String(),
		fmt.Sprint("message ", m.Seq), "reply 2", "side_effects 2", "side_effects 2")
	wantStrategy(t, r, ID, "base_refs_recent_messages_v1")
	for _, want := range []string{
		`{"type":"handoff_bundle_ref","artifact_id":"` + id.String() + `"}`,
		`{"type":"file_ref","path":"a/ü.go","note":"current state"},{"type":"file_ref","path":"b"}`,
		`{"type":"artifact_ref","artifact_id":"` + artifact.Sum([]byte("log")).String() + `","note":"the \"log\""}`,
		`{"type":"tool_side_effect_ref","run_session_id":"r1","tool_id":"t1","affected_paths":["a.txt"],"checkpoint_id":"k"},{"type":"tool_side_effect_ref","run_session_id":"r1","tool_id":"t2"}]`,
	} {
		if !strings.Contains(string(r.Bundle.Bytes()), want) {
			t.Errorf("no %s in %s", want, r.Bundle.Bytes())
		}
	}
	r = s.compile(t, Request{ThreadID: "c", Refs: true})
	wantStrategy(t, r, ID, "refs_recent_messages_v1")
}

// TestUnavailable deletes and changes parts of a context: that is an error. If the context
// may be incomplete, it is compiled without them, and the decision lists them.
func TestUnavailable(t *testing.T) {
	s := newStory()
	s.thread("p")
	s.turns("p", 1, 4)
	s.checkpoint("p", bundle.Cumulative, 3)
	gone := s.checkpoint("p", bundle.Cumulative, 6)
	delete(s.blobs, gone)
	s.noted("p", bundle.Cumulative, "NO ID", 9)
	s.wantLost(t, Request{ThreadID: "p"}, "summary up to event 9", "not an artifact id")
	r := s.compile(t, Request{ThreadID: "p", Incomplete: true})
	wantShape(t, r, "note 0", "summary 3", "message 4", "reply 4", "message 7", "reply 7", "message 10", "reply 10")
	wantStrategy(t, r, ID, "incomplete_summaries_recent_messages_v1")
	if m := r.Bundle.Items[0].(bundle.Message); m.Role != "system" || !strings.Contains(m.Content, "summary up to event 9; summary up to event 6.") {
		t.Errorf("%+v", m)
	}
	var refs []string
	for _, reset := range r.Decision.Resets {
		refs = append(refs, reset.Input+" "+reset.Action+" "+reset.Reason+" "+string(reset.Ref))
	}
	want := []string{
		`compaction_checkpoint ignored artifact_unavailable {"checkpoint_id":"p/cp15","summary_artifact_id":"NO ID","to_seq":9}`,
		`compaction_checkpoint ignored artifact_unavailable {"checkpoint_id":"p/cp14","summary_artifact_id":"` + gone.String() + `","to_seq":6}`,
	}
	if !slices.Equal(refs, want) {
		t.Errorf("\n got %q\nwant %q", refs, want)
	}

	h := s.handoff("p", 3, "c", handoffBundle())
	delete(s.blobs, h)
	s.wantLost(t, Request{ThreadID: "c", Base: true}, "summary of the handoff", "not exist")
	r = s.compile(t, Request{ThreadID: "c", Base: true, Incomplete: true})
	wantShape(t, r, "note 0")
	if len(r.Explanation.Notes()) != 1 || len(r.Decision.Resets) != 1 || r.Decision.Resets[0].Input != "handoff_bundle" || r.Explanation.LeftOut[0].ID != h.String() {
		t.Errorf("%+v %+v", r.Decision.Resets, r.Explanation.LeftOut)
	}
	s.streams["c"][1].Payload.(*thread.HandedOff).SummaryMarkdown = new("of the frame")
	s.wantLost(t, Request{ThreadID: "c", Base: true, Refs: true}, "summary of the handoff", "not exist") // its references are in the bundle only
	r = s.compile(t, Request{ThreadID: "c", Base: true})
	if m := r.Bundle.Items[0].(bundle.Message); !strings.HasSuffix(m.Content, "\nof the frame") || len(r.Decision.Resets) > 0 || r.Explanation.LeftOut[0].ID != h.String() {
		t.Errorf("%+v %+v %+v", m, r.Decision.Resets, r.Explanation.LeftOut)
	}
	s.failing = map[artifact.ID]error{h: &artifact.DamagedError{Want: h, Got: gone}}
	s.wantLost(t, Request{ThreadID: "c", Base: true}, "summary of the handoff", "damaged")
	s.failing[h] = errors.New("input/output error") // that may pass: it is not lost
	if _, err := Compile(s.source(), Request{ThreadID: "c", Base: true, Incomplete: true}); err == nil || errors.As(err, new(*Lost)) {
		t.Error(err)
	}

	s.message("empty2", "empty2/m")
	s.run("empty2", "empty2/m", "r9", "said")
	delete(s.streams, "r9")
	s.wantLost(t, Request{ThreadID: "empty2"}, "reply to event", "not exist")
	r = s.compile(t, Request{ThreadID: "empty2", Incomplete: true})
	if len(r.Explanation.Notes()) != 1 || len(r.Decision.Resets) != 1 || r.Decision.Resets[0].Input != "run_output" {
		t.Errorf("%q %+v", r.Explanation.Notes(), r.Decision.Resets)
	}

	s.branch("nowhere", 3, "orphan")
	s.branch("p", 99, "later")
	s.thread("empty")
	s.branch("empty", 0, "whole")
	s.streams["empty"] = nil
	for id, want := range map[string]string{
		"orphan": "no thread nowhere here, but thread orphan branches off after its event 3",
		"later":  "thread p has 16 events, but thread later branches off after its event 99",
		"whole":  "no thread empty here",
	} {
		var lost *LostParent
		if _, err := Compile(s.source(), Request{ThreadID: id, Base: true}); !errors.As(err, &lost) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", id, err)
		}
		s.compile(t, Request{ThreadID: id}) // its own part is complete
	}
	s.branch("loop", 1, "loop")
	if _, err := Compile(s.source(), Request{ThreadID: "loop", Base: true}); err == nil || !strings.Contains(err.Error(), "is its own ancestor") {
		t.Error(err)
	}
}
