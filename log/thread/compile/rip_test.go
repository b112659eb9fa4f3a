package compile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"handoff/log/bundle"
	"handoff/log/thread"
)

// ripCompile is a copy of RIP's compiler: it goes over all events of the stream
// and builds JSON by hand. It uses nothing of this package.
func ripCompile(events []thread.Event, outputs map[string]string, messageID, run string) (bundleJSON, decisionJSON string) {
	fromSeq := events[len(events)-1].Seq
	found := false
	for _, e := range events {
		if _, ok := e.Payload.(*thread.Message); !ok {
			continue
		}
		if found {
			fromSeq = e.Seq - 1
			break
		}
		found = e.ID == messageID
	}
	checkpoints := ripHierarchy(events, fromSeq)
	after, strategy, reason := int64(-1), "recent_messages_v1", ripNone(events, fromSeq)
	var items, selected, toSeqs []string
	for _, cp := range checkpoints {
		items = append(items, fmt.Sprintf(`{"type":"summary_ref","artifact_id":%q,"note":"compaction checkpoint to_seq=%d"}`, cp.SummaryArtifactID, cp.ToSeq))
		selected = append(selected, fmt.Sprintf(`{"checkpoint_id":%q,"summary_kind":"cumulative_v1","summary_artifact_id":%q,"to_seq":%d}`, cp.CheckpointID, cp.SummaryArtifactID, cp.ToSeq))
		toSeqs = append(toSeqs, fmt.Sprint(cp.ToSeq))
		after = int64(cp.ToSeq)
	}
	switch {
	case len(checkpoints) == 1:
		strategy = "summaries_recent_messages_v1"
		reason = `"reason":{"cause":"compaction_checkpoint","selected":"summaries_recent_messages_v1"}`
	case len(checkpoints) > 1:
		strategy = "hierarchical_summaries_recent_messages_v1"
		reason = fmt.Sprintf(`"reason":{"cause":"compaction_checkpoint_hierarchy","levels":%d,"selected":%q,"to_seqs":[%s]}`, len(toSeqs), strategy, strings.Join(toSeqs, ","))
	}
	items = append(items, ripMessages(events, outputs, fromSeq, after)...)
	bundleJSON = fmt.Sprintf(`{"schema":"rip.context_bundle.v1","compiler":{"id":"rip.context_compiler.v1","strategy":%q},"source":{"thread_id":"t","from_seq":%d,"from_message_id":%q},"provenance":{"run_session_id":%q,"actor_id":"user","origin":"cli"},"items":[%s]}`,
		strategy, fromSeq, messageID, run, strings.Join(items, ","))
	chosen := ""
	if n := len(selected); n > 0 {
		chosen = fmt.Sprintf(`"compaction_checkpoint":%s,"compaction_checkpoints":[%s],`, selected[n-1], strings.Join(selected, ","))
	}
	decisionJSON = fmt.Sprintf(`"type":"continuity_context_selection_decided","run_session_id":%q,"message_id":%q,"compiler_id":"rip.context_compiler.v1","compiler_strategy":%q,"limits":{"hierarchical_summaries_v1_max_refs":3,"recent_messages_v1_limit":16},%s%s,"actor_id":"user","origin":"cli"}`,
		run, messageID, strategy, chosen, reason)
	return bundleJSON, decisionJSON
}

func ripHierarchy(events []thread.Event, fromSeq uint64) []*thread.CheckpointCreated {
	latest := map[uint64]*thread.CheckpointCreated{}
	for _, e := range events {
		if p, ok := e.Payload.(*thread.CheckpointCreated); ok && p.ToSeq <= fromSeq && p.SummaryKind == "cumulative_v1" {
			latest[p.ToSeq] = p
		}
	}
	var unique []uint64
	for to := range latest {
		unique = append(unique, to)
	}
	slices.Sort(unique)
	if len(unique) == 0 {
		return nil
	}
	current := unique[len(unique)-1]
	picked := []*thread.CheckpointCreated{latest[current]}
	for len(picked) < 3 && current > 1 {
		threshold, best, ok := current/2, uint64(0), false
		for _, to := range unique {
			if to <= threshold {
				best, ok = to, true
			}
		}
		if !ok || best >= current {
			break
		}
		picked, current = append(picked, latest[best]), best
	}
	slices.Reverse(picked)
	return picked
}

func ripNone(events []thread.Event, fromSeq uint64) string {
	var best *thread.CheckpointCreated
	for _, e := range events {
		if p, ok := e.Payload.(*thread.CheckpointCreated); ok && p.ToSeq <= fromSeq && (best == nil || p.ToSeq >= best.ToSeq) {
			best = p
		}
	}
	if best == nil {
		return `"reason":{"cause":"no_compaction_checkpoint","selected":"recent_messages_v1"}`
	}
	return fmt.Sprintf(`"resets":[{"input":"compaction_checkpoint","action":"ignored","reason":"unsupported_summary_kind","ref":{"summary_kind":%q}}],"reason":{"cause":"unsupported_compaction_summary_kind","selected":"recent_messages_v1"}`, best.SummaryKind)
}

func ripMessages(events []thread.Event, outputs map[string]string, fromSeq uint64, after int64) []string {
	ended := map[string]string{}
	for _, e := range events {
		if p, ok := e.Payload.(*thread.RunEnded); ok && e.Seq <= fromSeq {
			ended[p.MessageID] = p.RunSessionID
		}
	}
	var turns [][]string
	for i := len(events) - 1; i >= 0 && len(turns) < 16; i-- {
		e := events[i]
		p, ok := e.Payload.(*thread.Message)
		if !ok || e.Seq > fromSeq || int64(e.Seq) <= after {
			continue
		}
		turn := []string{fmt.Sprintf(`{"type":"message","role":"user","content":%s,"actor_id":%q,"origin":%q,"thread_seq":%d,"thread_event_id":%q}`, quote(p.Content), p.ActorID, p.Origin, e.Seq, e.ID)}
		if text := outputs[ended[e.ID]]; text != "" {
			turn = append(turn, fmt.Sprintf(`{"type":"message","role":"assistant","content":%s,"actor_id":null,"origin":null,"thread_seq":null,"thread_event_id":null}`, quote(text)))
		}
		turns = append(turns, turn)
	}
	slices.Reverse(turns)
	return slices.Concat(turns...)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// TestEqualToRIP generates all kinds of threads and compiles at any message:
// bundle and decision have RIP's bytes.
func TestEqualToRIP(t *testing.T) {
	strategies := map[string]int{}
	rapid.Check(t, func(rt *rapid.T) {
		s := newStory()
		outputs := map[string]string{}
		s.thread("t")
		var messages []string
		var seqs []uint64
		for i := range rapid.IntRange(1, 120).Draw(rt, "events") {
			id := fmt.Sprintf("e%d", i)
			kind := rapid.IntRange(0, 9).Draw(rt, "kind")
			if len(messages) == 0 {
				kind = 0
			}
			switch {
			case kind < 5:
				e := s.add("t", id, &thread.Message{ActorID: "alice", Origin: "team", Content: rapid.SampledFrom([]string{"", "x", "say \"é\"\n"}).Draw(rt, "content")})
				messages, seqs = append(messages, e.ID), append(seqs, e.Seq)
			case kind < 8: // a run that ends, of any message so far
				m := rapid.SampledFrom(messages).Draw(rt, "message")
				outputs[id] = rapid.SampledFrom([]string{"", "ok", "more\tand more"}).Draw(rt, "output")
				if outputs[id] == "" {
					s.says(id)
				} else {
					s.says(id, outputs[id][:1], outputs[id][1:])
				}
				s.add("t", id+"/ended", &thread.RunEnded{RunSessionID: id, MessageID: m, Reason: "completed"})
			case kind == 8:
				s.checkpoint("t", rapid.SampledFrom([]string{"cumulative_v1", "cumulative_v1", "topical_v1"}).Draw(rt, "summary kind"), rapid.SampledFrom(seqs).Draw(rt, "to"))
			default:
				s.add("t", id, &thread.SideEffects{RunSessionID: "r", ToolID: "x", ToolName: "write", ActorID: "user", Origin: "cli"})
			}
		}
		m := rapid.SampledFrom(messages).Draw(rt, "anchor")
		wantBundle, wantDecision := ripCompile(s.streams["t"], outputs, m, "run")
		for _, base := range []bool{false, true} { // there is nothing to inherit
			r, err := Compile(s.source(), Request{ThreadID: "t", MessageID: m, RunSessionID: "run", ActorID: "user", Origin: "cli", Base: base})
			if err != nil {
				rt.Fatal(err)
			}
			if got := string(r.Bundle.Bytes()); got != wantBundle {
				rt.Fatalf("\n got %s\nwant %s", got, wantBundle)
			}
			line, err := thread.Event{ID: "d", StreamID: "t", Payload: r.Decision}.Line()
			if err != nil || !strings.HasSuffix(string(line), wantDecision) {
				rt.Fatalf("%v\n got %s\nwant %s", err, line, wantDecision)
			}
			strategies[r.Bundle.Compiler.Strategy]++
		}
	})
	if len(strategies) != 3 {
		t.Errorf("only these strategies came up: %v", strategies)
	}
}

// TestHierarchicalFixture is RIP's fixture: 60 messages, checkpoints at 8, 16
// and 32 that were written after the last of them.
func TestHierarchicalFixture(t *testing.T) {
	s := newStory()
	const id = "11111111-1111-1111-1111-111111111111"
	s.add(id, "99999999-9999-9999-9999-999999999999", &thread.Created{Workspace: "fixture", Title: new("hierarchical_summaries_v1")})
	for i := 1; i <= 60; i++ {
		s.add(id, fmt.Sprintf("00000000-0000-0000-0000-%012x", i), &thread.Message{ActorID: "user", Origin: "fixture", Content: fmt.Sprint("m", i)})
	}
	for i, toSeq := range []uint64{8, 16, 32} {
		cp := fmt.Sprintf("22222222-2222-2222-2222-2222222222%02d", toSeq)
		s.add(id, cp, &thread.CheckpointCreated{CheckpointID: cp, CutRuleID: "fixture_v1", SummaryKind: "cumulative_v1",
			SummaryArtifactID: strings.Repeat("abc"[i:i+1], 64), ToSeq: toSeq, ToMessageID: new(fmt.Sprintf("00000000-0000-0000-0000-%012x", toSeq)), ActorID: "user", Origin: "fixture"})
	}
	src := s.source()
	src.Artifact = nil // its blobs are not with the fixture
	r, err := Compile(src, Request{ThreadID: id, MessageID: "00000000-0000-0000-0000-00000000003c", RunSessionID: "run_1", ActorID: "user", Origin: "fixture"})
	if err != nil {
		t.Fatal(err)
	}
	var toSeqs []uint64
	for _, cp := range r.Decision.Checkpoints {
		toSeqs = append(toSeqs, cp.ToSeq)
	}
	if !slices.Equal(toSeqs, []uint64{8, 16, 32}) || r.Decision.Checkpoint.ToSeq != 32 {
		t.Errorf("checkpoints %v", toSeqs)
	}
	if len(r.Bundle.Items) != 3+16 || r.Bundle.Source.FromSeq != 63 {
		t.Errorf("%d items, cut %d", len(r.Bundle.Items), r.Bundle.Source.FromSeq)
	}
	for i, item := range r.Bundle.Items {
		switch item := item.(type) {
		case bundle.SummaryRef:
			if want := strings.Repeat("abc"[i:i+1], 64); i >= 3 || item.ArtifactID.String() != want {
				t.Errorf("item %d is the summary %s", i, item.ArtifactID)
			}
		case bundle.Message:
			if want := fmt.Sprint("m", 45+i-3); i < 3 || item.Content != want {
				t.Errorf("item %d is the message %s, want %s", i, item.Content, want)
			}
		}
	}
	const reason = `{"cause":"compaction_checkpoint_hierarchy","levels":3,"selected":"hierarchical_summaries_recent_messages_v1","to_seqs":[8,16,32]}`
	if string(r.Decision.Reason) != reason || r.Bundle.Compiler.ID != RIP {
		t.Errorf("%s by %s", r.Decision.Reason, r.Bundle.Compiler.ID)
	}
}

// TestBytesOfTheContract is a context bundle as RIP writes it.
func TestBytesOfTheContract(t *testing.T) {
	const (
		id   = "11111111-1111-4111-8111-111111111111"
		m    = "22222222-2222-4222-8222-222222222222"
		run  = "33333333-3333-4333-8333-333333333333"
		want = `{"schema":"rip.context_bundle.v1","compiler":{"id":"rip.context_compiler.v1","strategy":"summaries_recent_messages_v1"},"source":{"thread_id":"11111111-1111-4111-8111-111111111111","from_seq":8,"from_message_id":"22222222-2222-4222-8222-222222222222"},"provenance":{"run_session_id":"33333333-3333-4333-8333-333333333333","actor_id":"user","origin":"cli"},"items":[{"type":"summary_ref","artifact_id":"dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd","note":"compaction checkpoint to_seq=1"},{"type":"message","role":"user","content":"Ship it.","actor_id":"user","origin":"cli","thread_seq":7,"thread_event_id":"22222222-2222-4222-8222-222222222222"},{"type":"message","role":"assistant","content":"ack: Ship it.","actor_id":null,"origin":null,"thread_seq":null,"thread_event_id":null}]}`
	)
	s := newStory()
	s.thread(id)
	s.message(id, "first")
	s.noted(id, bundle.Cumulative, strings.Repeat("d", 64), 1)
	for i := range 4 {
		s.add(id, fmt.Sprint("x", i), &thread.SideEffects{RunSessionID: "r", ToolID: "t", ToolName: "write"})
	}
	s.add(id, m, &thread.Message{ActorID: "user", Origin: "cli", Content: "Ship it."})
	s.says(run, "ack: ", "Ship it.")
	s.add(id, "ended", &thread.RunEnded{RunSessionID: run, MessageID: m, Reason: "completed"})
	src := s.source()
	src.Artifact = nil
	r, err := Compile(src, Request{ThreadID: id, MessageID: m, RunSessionID: run, ActorID: "user", Origin: "cli", Base: true})
	if err != nil || string(r.Bundle.Bytes()) != want {
		t.Errorf("%v\n got %s\nwant %s", err, r.Bundle.Bytes(), want)
	}
}
