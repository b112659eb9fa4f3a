package thread

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

// TestRIPStore has RIP's own tests of creating, posting, branching and handing off,
// in its store and by its routes, under their names.
func TestRIPStore(t *testing.T) {
	for name, test := range map[string]func(*testing.T, *fixture){
		"thread_list_empty_initially": func(t *testing.T, w *fixture) {
			if list, err := w.List(ctx); err != nil || list == nil || len(list) != 0 {
				t.Errorf("%#v, %v", list, err)
			}
		},
		"thread_ensure_is_idempotent_and_listed": func(t *testing.T, w *fixture) {
			a, err := w.Ensure(ctx)
			b, errB := w.Ensure(ctx)
			list, _ := w.List(ctx)
			if err != nil || errB != nil || a.ThreadID != b.ThreadID || len(list) != 1 || list[0].ThreadID != a.ThreadID || list[0].Archived || list[0].Title != nil {
				t.Errorf("%+v, %+v, %+v", a, b, list)
			}
		},
		"thread_get_unknown_is_404": func(t *testing.T, w *fixture) { wantKind(t, "", second(w.Get(ctx, "unknown")), fs.ErrNotExist) },
		"thread_post_message_unknown_is_404": func(t *testing.T, w *fixture) {
			wantKind(t, "", second(w.PostMessage(ctx, "unknown", MessageRequest{})), fs.ErrNotExist)
		},
		"thread_branch_unknown_is_404": func(t *testing.T, w *fixture) {
			wantKind(t, "", second(w.Branch(ctx, "unknown", BranchRequest{})), fs.ErrNotExist)
		},
		"thread_handoff_unknown_is_404": func(t *testing.T, w *fixture) {
			wantKind(t, "", second(w.Handoff(ctx, "unknown", HandoffRequest{SummaryMarkdown: new("s")})), fs.ErrNotExist)
		},
		"thread_branch_rejects_invalid_from_seq": func(t *testing.T, w *fixture) {
			id := w.create("p")
			wantKind(t, "", second(w.Branch(ctx, id, BranchRequest{FromSeq: new(uint64(999))})), handoff.ErrInvalid)
		},
		"thread_handoff_rejects_invalid_from_seq": func(t *testing.T, w *fixture) {
			id := w.create("p")
			wantKind(t, "", second(w.Handoff(ctx, id, HandoffRequest{SummaryMarkdown: new("s"), FromSeq: new(uint64(999))})), handoff.ErrInvalid)
		},
		"thread_handoff_rejects_missing_summary": func(t *testing.T, w *fixture) {
			wantKind(t, "", second(w.Handoff(ctx, w.create("p"), HandoffRequest{})), handoff.ErrInvalid)
			wantKind(t, "before all else", second(w.Handoff(ctx, "unknown", HandoffRequest{})), handoff.ErrInvalid)
		},
		"handoff_rejects_conflicting_cut_selectors": func(t *testing.T, w *fixture) {
			r := HandoffRequest{SummaryMarkdown: new("s"), FromMessageID: new("m"), FromSeq: new(uint64(0))}
			wantKind(t, "before it is looked for", second(w.Handoff(ctx, "unknown", r)), handoff.ErrInvalid)
		},
		"branch_rejects_conflicting_cut_selectors": func(t *testing.T, w *fixture) {
			r := BranchRequest{FromMessageID: new("m"), FromSeq: new(uint64(0))}
			wantKind(t, "before it is looked for", second(w.Branch(ctx, "unknown", r)), handoff.ErrInvalid)
		},
		"thread_post_message_preserves_actor_and_origin": func(t *testing.T, w *fixture) {
			id := w.create("p")
			w.run(id, "hello")
			events := w.events(id)
			if p := events[1].Payload.(*Message); p.ActorID != "alice" || p.Origin != "team" || types(events) != "created message_appended run_spawned run_ended" {
				t.Errorf("%+v, %s", p, types(events))
			}
			if p := events[3].Payload.(*RunEnded); p.Reason != "completed" || p.MessageID != events[1].ID {
				t.Errorf("%+v", p)
			}
		},
		"append_advances_seq": func(t *testing.T, w *fixture) {
			id := w.create("p")
			for i := range uint64(10) {
				if e := w.post(id, "x"); e.Seq != i+1 {
					t.Errorf("%d, want %d", e.Seq, i+1)
				}
			}
		},
		"branch_creates_child_with_cutpoint_and_provenance":               testBranchCutpoint,
		"branch_and_handoff_support_from_seq_and_head_defaults":           testSeqAndHead,
		"handoff_creates_child_with_cutpoint_provenance_and_summary":      testHandoffCutpoint,
		"from_message_id_reaches_behind_interleaved_runs":                 testInterleaved,
		"a_message_whose_run_is_in_flight_is_cut_behind_its_run_spawned":  testInFlight,
		"branches_of_branches_and_handoffs_of_handoffs":                   testNested,
		"the_parent_is_not_written_to":                                    testParentUntouched,
		"from_message_id_must_be_a_message_of_the_parent":                 testUnknownMessage,
		"summary_artifact_id_is_checked_where_rip_stores_what_it_is_told": testGivenArtifact,
	} {
		t.Run(name, func(t *testing.T) { test(t, newFixture(t)) })
	}
}

func testBranchCutpoint(t *testing.T, w *fixture) {
	id := w.create("p")
	m1 := w.run(id, "one")
	w.post(id, "two")
	b, err := w.Branch(ctx, id, BranchRequest{Title: new("child"), FromMessageID: &m1.ID, ActorID: "alice", Origin: "team"})
	if err != nil || b.ParentThreadID != id || b.ParentSeq != 3 || text(b.ParentMessageID) != m1.ID {
		t.Fatalf("%+v, %v", b, err)
	}
	events := w.events(b.ThreadID)
	if types(events) != "created branched" || *events[0].Payload.(*Created).Title != "child" || events[0].Payload.(*Created).Workspace != workspaceName {
		t.Errorf("%s, %+v", types(events), events[0].Payload)
	}
	if p := events[1].Payload.(*Branched); p.ParentThreadID != id || p.ParentSeq != 3 || text(p.ParentMessageID) != m1.ID || p.ActorID != "alice" || p.Origin != "team" {
		t.Errorf("%+v", p)
	}
	if e := w.post(b.ThreadID, "next"); e.Seq != 2 {
		t.Errorf("the child continues with %d", e.Seq)
	}
	if list, _ := w.List(ctx); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}

func testSeqAndHead(t *testing.T, w *fixture) {
	id := w.create("p")
	m1 := w.run(id, "one")
	m2 := w.post(id, "two")
	for _, c := range []struct {
		seq     *uint64
		want    uint64
		message string
	}{{new(uint64(2)), 2, m1.ID}, {nil, 4, m2.ID}, {new(uint64(0)), 0, "(nil)"}, {new(uint64(4)), 4, m2.ID}, {new(uint64(1)), 1, m1.ID}} {
		b, err := w.Branch(ctx, id, BranchRequest{FromSeq: c.seq})
		if err != nil || b.ParentSeq != c.want || text(b.ParentMessageID) != c.message {
			t.Errorf("branch: %+v, %s, %v", b, text(b.ParentMessageID), err)
		}
		h, err := w.Handoff(ctx, id, HandoffRequest{SummaryMarkdown: new("s"), FromSeq: c.seq})
		if err != nil || h.FromSeq != c.want || text(h.FromMessageID) != c.message {
			t.Errorf("handoff: %+v, %s, %v", h, text(h.FromMessageID), err)
		}
	}
	wantKind(t, "one beyond", second(w.Branch(ctx, id, BranchRequest{FromSeq: new(uint64(5))})), handoff.ErrInvalid)
}

func testHandoffCutpoint(t *testing.T, w *fixture) {
	id := w.create("p")
	m1 := w.run(id, "one")
	w.post(id, "two")
	const markdown = "# Summary\n\n- hello"
	h, err := w.Handoff(ctx, id, HandoffRequest{Title: new("handoff"), SummaryMarkdown: new(markdown), FromMessageID: &m1.ID, ActorID: "alice", Origin: "team"})
	if err != nil || h.FromThreadID != id || h.FromSeq != 3 || text(h.FromMessageID) != m1.ID || len(h.SummaryArtifactID) != 64 {
		t.Fatalf("%+v, %v", h, err)
	}
	events := w.events(h.ThreadID)
	p, ok := events[1].Payload.(*HandedOff)
	if !ok || types(events) != "created handoff_created" || text(p.SummaryMarkdown) != markdown || text(p.SummaryArtifactID) != h.SummaryArtifactID || p.ActorID != "alice" || p.Origin != "team" {
		t.Errorf("%+v", events)
	}
	artifactID, _ := artifact.ParseID(h.SummaryArtifactID)
	blob, err := w.artifacts.Get(artifactID)
	want := `{"schema":"rip.handoff_context_bundle.v1","summary_markdown":"# Summary\n\n- hello","refs":{"threads":[{"thread_id":"` + id + `","seq":3,"message_id":"` + m1.ID + `","note":"source cut"}],"artifacts":[],"files":[]}}`
	if err != nil || string(blob) != want {
		t.Errorf("%v\n got %s\nwant %s", err, blob, want)
	}
	empty, err := w.Handoff(ctx, id, HandoffRequest{SummaryMarkdown: new("s"), FromSeq: new(uint64(0)), Refs: HandoffRefs{Files: []bundle.FileRef{{Path: "a/b.go"}}, Artifacts: []bundle.ArtifactRef{{ID: artifactID}}}})
	if err != nil {
		t.Fatal(err)
	}
	artifactID, _ = artifact.ParseID(empty.SummaryArtifactID)
	blob, err = w.artifacts.Get(artifactID)
	want = `{"schema":"rip.handoff_context_bundle.v1","summary_markdown":"s","refs":{"threads":[{"thread_id":"` + id + `","seq":0,"message_id":null,"note":"source cut"}],"artifacts":[{"artifact_id":"` + h.SummaryArtifactID + `","note":null}],"files":[{"path":"a/b.go","note":null}]}}`
	if err != nil || string(blob) != want {
		t.Errorf("%v\n got %s\nwant %s", err, blob, want)
	}
}

func testInterleaved(t *testing.T, w *fixture) {
	id := w.create("p")
	m1 := w.post(id, "one")
	w.record(id, &RunSpawned{RunSessionID: "r1", MessageID: m1.ID})
	m2 := w.post(id, "two")
	w.record(id, &RunSpawned{RunSessionID: "r2", MessageID: m2.ID})
	w.record(id, &RunEnded{RunSessionID: "r2", MessageID: m2.ID, Reason: "completed"})
	w.record(id, &RunEnded{RunSessionID: "r1", MessageID: m1.ID, Reason: "completed"})
	b, err := w.Branch(ctx, id, BranchRequest{FromMessageID: &m1.ID})
	if err != nil || b.ParentSeq != 6 || text(b.ParentMessageID) != m1.ID {
		t.Errorf("%+v, %v", b, err)
	}
	if b, err = w.Branch(ctx, id, BranchRequest{FromMessageID: &m2.ID}); err != nil || b.ParentSeq != 5 {
		t.Errorf("%+v, %v", b, err)
	}
}

func testInFlight(t *testing.T, w *fixture) {
	id := w.create("p")
	m := w.post(id, "one")
	w.record(id, &RunSpawned{RunSessionID: "r", MessageID: m.ID}, &SideEffects{RunSessionID: "r", ToolID: "t", ToolName: "bash", ActorID: "a", Origin: "o"})
	if b, err := w.Branch(ctx, id, BranchRequest{FromMessageID: &m.ID}); err != nil || b.ParentSeq != 2 {
		t.Errorf("%+v, %v", b, err)
	}
}

func testNested(t *testing.T, w *fixture) {
	id := w.create("p")
	w.post(id, "one")
	for i := range 5 {
		b, err := w.Branch(ctx, id, BranchRequest{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := w.Handoff(ctx, b.ThreadID, HandoffRequest{SummaryMarkdown: new(fmt.Sprint(i))})
		if err != nil || h.FromSeq != 1 || h.FromMessageID != nil {
			t.Fatalf("%+v, %v", h, err)
		}
		id = h.ThreadID
	}
}

func testParentUntouched(t *testing.T, w *fixture) {
	id := w.create("p")
	w.post(id, "one")
	if _, err := w.Branch(ctx, id, BranchRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Handoff(ctx, id, HandoffRequest{SummaryMarkdown: new("s")}); err != nil {
		t.Fatal(err)
	}
	if got := types(w.events(id)); got != "created message_appended" {
		t.Error(got)
	}
}

func testUnknownMessage(t *testing.T, w *fixture) {
	id, other := w.create("p"), w.create("q")
	m := w.post(other, "one")
	w.record(id, &RunSpawned{RunSessionID: "r", MessageID: "never-posted"})
	for _, message := range []string{"", "unknown", m.ID, "never-posted", w.events(id)[0].ID} {
		wantKind(t, "branch", second(w.Branch(ctx, id, BranchRequest{FromMessageID: &message})), fs.ErrNotExist)
		wantKind(t, "handoff", second(w.Handoff(ctx, id, HandoffRequest{SummaryMarkdown: new("s"), FromMessageID: &message})), fs.ErrNotExist)
	}
	if list, _ := w.List(ctx); len(list) != 2 {
		t.Errorf("a refused request made a thread: %+v", list)
	}
}

func testGivenArtifact(t *testing.T, w *fixture) {
	id, other := w.create("p"), w.create("q")
	w.post(id, "one")
	put := func(b bundle.Handoff) *string {
		artifactID, _, err := w.artifacts.Put(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return new(artifactID.String())
	}
	cut := func(thread string, seq uint64) bundle.Refs {
		return bundle.Refs{Threads: []bundle.ThreadRef{{ThreadID: thread, Seq: seq, Note: new("source cut")}, {ThreadID: other, Seq: 7}}}
	}
	fits := put(bundle.Handoff{SummaryMarkdown: "s", Refs: cut(id, 1)})
	free := put(bundle.Handoff{SummaryMarkdown: "s"})
	noBundle, _, _ := w.artifacts.Put([]byte("no bundle"))
	for what, c := range map[string]struct {
		r    HandoffRequest
		kind error
		say  string
	}{
		"of this cut":        {HandoffRequest{SummaryArtifactID: fits}, nil, ""},
		"and says the same":  {HandoffRequest{SummaryArtifactID: fits, SummaryMarkdown: new("s")}, nil, ""},
		"of no cut":          {HandoffRequest{SummaryArtifactID: free}, nil, ""},
		"says another thing": {HandoffRequest{SummaryArtifactID: fits, SummaryMarkdown: new("S")}, handoff.ErrInvalid, "leave one of them out"},
		"of another cut":     {HandoffRequest{SummaryArtifactID: fits, FromSeq: new(uint64(0))}, handoff.ErrInvalid, "give from_seq 1"},
		"of another thread":  {HandoffRequest{SummaryArtifactID: put(bundle.Handoff{SummaryMarkdown: "s", Refs: cut(other, 1)})}, handoff.ErrInvalid, other},
		"no bundle":          {HandoffRequest{SummaryArtifactID: new(noBundle.String())}, handoff.ErrInvalid, "not a handoff bundle"},
		"not there":          {HandoffRequest{SummaryArtifactID: new(strings.Repeat("0a", 32))}, fs.ErrNotExist, "no artifact"},
		"a path":             {HandoffRequest{SummaryArtifactID: new("../../etc/passwd")}, handoff.ErrInvalid, "artifact id"},
		"empty":              {HandoffRequest{SummaryArtifactID: new("")}, handoff.ErrInvalid, "empty"},
		"blank summary":      {HandoffRequest{SummaryMarkdown: new(" \n")}, handoff.ErrInvalid, "empty"},
		"files beside it":    {HandoffRequest{SummaryArtifactID: fits, Refs: HandoffRefs{Files: []bundle.FileRef{{Path: "a"}}}}, handoff.ErrInvalid, "files"},
		"a file outside":     {HandoffRequest{SummaryMarkdown: new("s"), Refs: HandoffRefs{Files: []bundle.FileRef{{Path: "../a"}}}}, handoff.ErrInvalid, "../a"},
		"a missing artifact": {HandoffRequest{SummaryMarkdown: new("s"), Refs: HandoffRefs{Artifacts: []bundle.ArtifactRef{{ID: artifact.Sum([]byte("gone"))}}}}, fs.ErrNotExist, "artifact"},
	} {
		before, _ := w.List(ctx)
		h, err := w.Handoff(ctx, id, c.r)
		after, _ := w.List(ctx)
		if c.kind == nil {
			if err != nil || h.SummaryArtifactID != *c.r.SummaryArtifactID || len(after) != len(before)+1 {
				t.Errorf("%s: %+v, %v", what, h, err)
			}
			continue
		}
		wantKind(t, what, err, c.kind)
		if err != nil && !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s: %v does not say %q", what, err, c.say)
		}
		if len(after) != len(before) {
			t.Errorf("%s: made a thread", what)
		}
	}
}
