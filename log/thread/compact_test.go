package thread

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
)

func asJSON(t *testing.T, v any) string {
	t.Helper()
	src, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

// posts a number of messages and returns their ids.
func (w *fixture) posts(id string, n int) []string {
	w.t.Helper()
	var ids []string
	for i := range n {
		ids = append(ids, w.post(id, fmt.Sprintf("m%d", i+1)).ID)
	}
	return ids
}

func (w *fixture) summaryOf(artifactID string) bundle.Summary {
	w.t.Helper()
	s, err := w.summary("x", artifactID)
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// TestRIPCompaction has RIP's own tests of checkpoints, cut points and jobs, under
// their names.
func TestRIPCompaction(t *testing.T) {
	stride := func(n uint64) *uint64 { return &n }
	for name, test := range map[string]func(*testing.T, *fixture, string){
		"thread_compaction_checkpoint_404": func(t *testing.T, w *fixture, id string) {
			wantKind(t, "thread", second(w.Checkpoint(ctx, "unknown", CheckpointRequest{SummaryMarkdown: new("s")})), fs.ErrNotExist)
			w.posts(id, 1)
			wantKind(t, "message", second(w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: new("s"), ToMessageID: new("unknown")})), fs.ErrNotExist)
		},
		"thread_compaction_checkpoint_400": testCheckpointInvalid,
		"thread_compaction_checkpoint_creates": func(t *testing.T, w *fixture, id string) {
			m := w.posts(id, 1)
			c, err := w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: new("checkpoint summary"), ToMessageID: &m[0]})
			if err != nil || c.CutRuleID != "manual_v1" || c.ToSeq != 1 || c.ToMessageID != m[0] || c.ThreadID != id {
				t.Fatalf("%+v, %v", c, err)
			}
			e := w.events(id)[2]
			if p := e.Payload.(*CheckpointCreated); p.CheckpointID != e.ID || p.CheckpointID != c.CheckpointID || p.FromSeq != 0 || p.SummaryKind != "cumulative_v1" {
				t.Errorf("%+v", p)
			}
			artifactID, _ := artifact.ParseID(c.SummaryArtifactID)
			blob, err := w.artifacts.Get(artifactID)
			want := `{"schema":"rip.compaction_summary.v1","kind":"cumulative_v1","coverage":{"thread_id":"` + id + `","from_seq":0,"to_seq":1,"to_message_id":"` + m[0] +
				`"},"provenance":{"actor_id":"user","origin":"handoff","produced_by":{"type":"manual","id":"handoff"}},"summary_markdown":"checkpoint summary"}`
			if err != nil || string(blob) != want {
				t.Errorf("%v\n got %s\nwant %s", err, blob, want)
			}
		},
		"thread_compaction_cut_points_returns_latest_first_and_respects_limit": func(t *testing.T, w *fixture, id string) {
			m := w.posts(id, 5)
			got, err := w.CutPoints(t.Context(), id, CutPointsRequest{StrideMessages: stride(2), Limit: new(uint32(2))})
			want := `{"thread_id":"` + id + `","stride_messages":2,"message_count":5,"cut_rule_id":"stride_messages_v1/2","cut_points":[` +
				`{"target_message_ordinal":4,"to_seq":4,"to_message_id":"` + m[3] + `","already_checkpointed":false,"latest_checkpoint_id":null},` +
				`{"target_message_ordinal":2,"to_seq":2,"to_message_id":"` + m[1] + `","already_checkpointed":false,"latest_checkpoint_id":null}]}`
			if err != nil || asJSON(t, got) != want {
				t.Errorf("%v\n got %s\nwant %s", err, asJSON(t, got), want)
			}
			for limit, want := range map[uint32]int{0: 1, 1: 1, 99: 2} {
				if got, err := w.CutPoints(t.Context(), id, CutPointsRequest{StrideMessages: stride(2), Limit: &limit}); err != nil || len(got.CutPoints) != want {
					t.Errorf("%d: %+v, %v", limit, got, err)
				}
			}
			if got, err := w.CutPoints(t.Context(), id, CutPointsRequest{}); err != nil || got.StrideMessages != 10_000 || got.CutPoints == nil || len(got.CutPoints) != 0 {
				t.Errorf("%+v, %v", got, err)
			}
		},
		"thread_compaction_cut_points_invalid_stride_is_400": func(t *testing.T, w *fixture, id string) {
			wantKind(t, "before it is looked for", second(w.CutPoints(t.Context(), "unknown", CutPointsRequest{StrideMessages: stride(0)})), handoff.ErrInvalid)
		},
		"thread_compaction_cut_points_unknown_thread_is_404": func(t *testing.T, w *fixture, id string) {
			wantKind(t, "", second(w.CutPoints(t.Context(), "unknown", CutPointsRequest{})), fs.ErrNotExist)
		},
		"thread_compaction_cut_points_marks_already_checkpointed": func(t *testing.T, w *fixture, id string) {
			m := w.posts(id, 2)
			var last Checkpoint
			for i := range 2 {
				last, _ = w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: new(fmt.Sprint(i)), ToMessageID: &m[1]})
			}
			got, err := w.CutPoints(t.Context(), id, CutPointsRequest{StrideMessages: stride(1), Limit: new(uint32(9))})
			if err != nil || !got.CutPoints[0].AlreadyCheckpointed || text(got.CutPoints[0].LatestCheckpointID) != last.CheckpointID || got.CutPoints[1].AlreadyCheckpointed {
				t.Errorf("%s, %v", asJSON(t, got), err)
			}
		},
		"thread_compaction_status_invalid_stride_is_400": func(t *testing.T, w *fixture, id string) {
			wantKind(t, "", second(w.CompactionStatus(t.Context(), id, StrideRequest{StrideMessages: stride(0)})), handoff.ErrInvalid)
		},
		"thread_compaction_status_unknown_thread_is_404": func(t *testing.T, w *fixture, id string) {
			wantKind(t, "", second(w.CompactionStatus(t.Context(), "unknown", StrideRequest{})), fs.ErrNotExist)
		},
		"compaction_status_v1_reports_next_cut_point_and_latest_checkpoint":                  testStatus,
		"thread_compaction_auto_dry_run_emits_no_job_frames":                                 testAutoDryRun,
		"thread_compaction_auto_invalid_stride_is_400":                                       testAutoInvalid,
		"thread_compaction_auto_spawns_job_and_emits_checkpoint_and_job_ended":               testAuto,
		"thread_compaction_auto_schedule_dry_run_emits_no_frames":                            testScheduleDryRun,
		"thread_compaction_auto_schedule_spawns_job_emits_decision_and_completes":            testSchedule,
		"thread_compaction_auto_schedule_skips_when_inflight_and_execute_is_false":           testScheduleInflight,
		"compaction_auto_schedule_is_replay_safe_under_concurrent_calls":                     testScheduleConcurrent,
		"latest_compaction_checkpoint_for_compile_tie_breaks_by_stream_order":                testTies,
		"a_job_goes_on_from_the_summary_before_and_starts_anew_where_that_cannot_be_read":    testBasis,
		"a_failed_job_ends_as_failed":                                                        testFailedJob,
		"a_given_summary_is_checked_and_answered_with_400_or_404_where_rip_answers_with_500": testGivenSummary,
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t)
			test(t, w, w.create("p"))
		})
	}
}

func testCheckpointInvalid(t *testing.T, w *fixture, id string) {
	wantKind(t, "no message yet", second(w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: new("s")})), handoff.ErrInvalid)
	w.posts(id, 3)
	for what, r := range map[string]CheckpointRequest{
		"no summary":      {},
		"empty summary":   {SummaryMarkdown: new("")},
		"empty id":        {SummaryArtifactID: new("")},
		"both":            {SummaryMarkdown: new("s"), ToMessageID: new("m"), ToSeq: new(uint64(1))},
		"no message":      {SummaryMarkdown: new("s"), ToSeq: new(uint64(0))},
		"beyond":          {SummaryMarkdown: new("s"), ToSeq: new(uint64(9))},
		"stride 0":        {SummaryMarkdown: new("s"), StrideMessages: new(uint64(0))},
		"not reached":     {SummaryMarkdown: new("s"), StrideMessages: new(uint64(4))},
		"the usual one":   {SummaryMarkdown: new("s")},
		"is not UTF-8":    {SummaryMarkdown: new("\xff"), ToSeq: new(uint64(1)), ActorID: "\xff"},
		"is not an id":    {SummaryArtifactID: new("../x"), ToSeq: new(uint64(1))},
		"none with both":  {ToMessageID: new("m"), ToSeq: new(uint64(1))},
		"unknown thread":  {SummaryMarkdown: new("s"), ToMessageID: new("m"), ToSeq: new(uint64(1))},
		"stride is large": {SummaryMarkdown: new("s"), StrideMessages: new(uint64(1 << 63))},
	} {
		wantKind(t, what, second(w.Checkpoint(ctx, id, r)), handoff.ErrInvalid)
	}
	wantKind(t, "before it is looked for", second(w.Checkpoint(ctx, "unknown", CheckpointRequest{})), handoff.ErrInvalid)
	if c, err := w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: new("s"), StrideMessages: new(uint64(2))}); err != nil || c.CutRuleID != "stride_messages_v1/2" || c.ToSeq != 2 {
		t.Errorf("%+v, %v", c, err)
	}
}

func testStatus(t *testing.T, w *fixture, id string) {
	m := w.posts(id, 2)
	status, err := w.CompactionStatus(t.Context(), id, StrideRequest{StrideMessages: new(uint64(1))})
	want := `{"thread_id":"` + id + `","stride_messages":1,"message_count":2,"latest_checkpoint":null,"next_cut_point":{"target_message_ordinal":2,"to_seq":2,"to_message_id":"` +
		m[1] + `"},"inflight_job_id":null,"last_schedule_decision":null,"last_job_outcome":null}`
	if err != nil || asJSON(t, status) != want {
		t.Errorf("%v\n got %s\nwant %s", err, asJSON(t, status), want)
	}
	if _, err := w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: new("s"), ToMessageID: &m[1]}); err != nil {
		t.Fatal(err)
	}
	status, err = w.CompactionStatus(t.Context(), id, StrideRequest{StrideMessages: new(uint64(1))})
	if err != nil || status.LatestCheckpoint == nil || text(status.LatestCheckpoint.ToMessageID) != m[1] || status.NextCutPoint.ToMessageID != m[0] {
		t.Errorf("%s, %v", asJSON(t, status), err)
	}
}

func testAutoDryRun(t *testing.T, w *fixture, id string) {
	m := w.posts(id, 2)
	got, job, err := w.AutoCompact(ctx, id, AutoRequest{StrideMessages: new(uint64(2)), DryRun: true})
	want := `{"thread_id":"` + id + `","job_id":null,"job_kind":null,"status":"noop","stride_messages":2,"message_count":2,"cut_rule_id":"stride_messages_v1/2","planned":[{"target_message_ordinal":2,"to_seq":2,"to_message_id":"` +
		m[1] + `"}],"result":[],"error":null}`
	if err != nil || job != nil || asJSON(t, got) != want || len(w.events(id)) != 3 {
		t.Errorf("%v\n got %s\nwant %s", err, asJSON(t, got), want)
	}
}

func testAutoInvalid(t *testing.T, w *fixture, id string) {
	_, _, err := w.AutoCompact(ctx, "unknown", AutoRequest{StrideMessages: new(uint64(0))})
	wantKind(t, "stride", err, handoff.ErrInvalid)
	_, _, err = w.AutoCompact(ctx, "unknown", AutoRequest{})
	wantKind(t, "thread", err, fs.ErrNotExist)
	_, _, err = w.ScheduleCompact(ctx, "unknown", ScheduleRequest{AutoRequest: AutoRequest{StrideMessages: new(uint64(0))}})
	wantKind(t, "stride", err, handoff.ErrInvalid)
	_, _, err = w.ScheduleCompact(ctx, "unknown", ScheduleRequest{})
	wantKind(t, "thread", err, fs.ErrNotExist)
	if got, job, err := w.AutoCompact(ctx, id, AutoRequest{}); err != nil || job != nil || got.Status != "noop" || got.Planned == nil {
		t.Errorf("%+v, %v", got, err)
	}
	if got, job, err := w.ScheduleCompact(ctx, id, ScheduleRequest{}); err != nil || job != nil || got.Decision != "noop" || got.DecisionID != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

func testAuto(t *testing.T, w *fixture, id string) {
	m := w.posts(id, 5)
	got, job, err := w.AutoCompact(ctx, id, AutoRequest{StrideMessages: new(uint64(2)), MaxNew: new(uint32(5)), ActorID: "alice", Origin: "cli"})
	if err != nil || got.Status != "spawned" || text(got.JobKind) != "compaction_summarizer_v1" || text(got.JobID) != job.JobID || len(got.Planned) != 2 || got.Planned[0].ToMessageID != m[3] {
		t.Fatalf("%s, %v", asJSON(t, got), err)
	}
	status, _ := w.CompactionStatus(t.Context(), id, StrideRequest{StrideMessages: new(uint64(2))})
	if text(status.InflightJobID) != job.JobID {
		t.Errorf("%s", asJSON(t, status))
	}
	created, err := w.RunJob(ctx, *job)
	if err != nil || len(created) != 2 || created[0].ToSeq != 2 || created[1].ToSeq != 4 {
		t.Fatalf("%+v, %v", created, err)
	}
	events := w.events(id)
	if got := types(events[6:]); got != "job_spawned compaction_checkpoint_created compaction_checkpoint_created job_ended" {
		t.Error(got)
	}
	line, _ := events[6].Line()
	if want := `"details":{"cut_rule_id":"stride_messages_v1/2","planned":[{"target_message_ordinal":4,"to_message_id":"` + m[3] + `","to_seq":4},{"target_message_ordinal":2,"to_message_id":"` + m[1] +
		`","to_seq":2}],"schema":"rip.job.compaction_summarizer.v1","stride_messages":2},"actor_id":"alice","origin":"cli"}`; !strings.Contains(string(line), want) {
		t.Errorf("%s\nwant %s", line, want)
	}
	line, _ = events[9].Line()
	if want := `"status":"completed","result":{"created":[{"checkpoint_id":"` + created[0].CheckpointID + `","cut_rule_id":"stride_messages_v1/2","summary_artifact_id":"`; !strings.Contains(string(line), want) {
		t.Errorf("%s\nwant %s", line, want)
	}
	status, _ = w.CompactionStatus(t.Context(), id, StrideRequest{StrideMessages: new(uint64(2))})
	if status.InflightJobID != nil || status.LastJob == nil || len(status.LastJob.Created) != 2 || status.LastJob.Created[1] != created[1] || status.NextCutPoint != nil {
		t.Errorf("%s", asJSON(t, status))
	}
	if again, job, err := w.AutoCompact(ctx, id, AutoRequest{StrideMessages: new(uint64(2)), MaxNew: new(uint32(5))}); err != nil || job != nil || again.Status != "noop" {
		t.Errorf("%+v, %v", again, err)
	}
	if s := w.summaryOf(created[1].SummaryArtifactID); s.Basis == nil || s.Basis.BaseSummary.String() != created[0].SummaryArtifactID || s.Provenance.ProducedBy.ID != job.JobID {
		t.Errorf("%+v", s)
	}
}

func testScheduleDryRun(t *testing.T, w *fixture, id string) {
	w.posts(id, 2)
	got, job, err := w.ScheduleCompact(ctx, id, ScheduleRequest{AutoRequest: AutoRequest{StrideMessages: new(uint64(2)), DryRun: true}})
	if err != nil || job != nil || got.Decision != "dry_run" || got.DecisionID != nil || len(got.Planned) != 1 || len(w.events(id)) != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

func testSchedule(t *testing.T, w *fixture, id string) {
	m := w.posts(id, 1)
	got, job, err := w.ScheduleCompact(ctx, id, ScheduleRequest{AutoRequest: AutoRequest{StrideMessages: new(uint64(1)), ActorID: "user", Origin: "cli"}})
	if err != nil || job == nil || got.Decision != "scheduled" {
		t.Fatalf("%+v, %v", got, err)
	}
	want := `{"thread_id":"` + id + `","decision_id":"` + text(got.DecisionID) + `","policy_id":"compaction_auto_schedule_v1/stride_messages_v1/1/max_new_checkpoints_v1/1/block_on_inflight_v1/true","decision":"scheduled","execute":true,"stride_messages":1,"max_new_checkpoints":1,"block_on_inflight":true,"message_count":1,"cut_rule_id":"stride_messages_v1/1","planned":[{"target_message_ordinal":1,"to_seq":1,"to_message_id":"` +
		m[0] + `"}],"job_id":"` + job.JobID + `","job_kind":"compaction_summarizer_v1","result":[],"error":null}`
	if asJSON(t, got) != want {
		t.Errorf("\n got %s\nwant %s", asJSON(t, got), want)
	}
	if _, err := w.RunJob(ctx, *job); err != nil {
		t.Error(err)
	}
	events := w.events(id)
	if got := types(events[2:]); got != "job_spawned compaction_auto_schedule_decided compaction_checkpoint_created job_ended" {
		t.Error(got)
	}
	if p := events[3].Payload.(*ScheduleDecided); p.DecisionID != events[3].ID || p.DecisionID != text(got.DecisionID) {
		t.Errorf("%+v", p)
	}
	status, err := w.CompactionStatus(t.Context(), id, StrideRequest{StrideMessages: new(uint64(1))})
	if err != nil || status.LastSchedule == nil || status.LastSchedule.Decision != "scheduled" || status.LastJob == nil || status.LastJob.Status != "completed" {
		t.Errorf("%s, %v", asJSON(t, status), err)
	}
}

func testScheduleInflight(t *testing.T, w *fixture, id string) {
	w.posts(id, 2)
	r := ScheduleRequest{AutoRequest: AutoRequest{StrideMessages: new(uint64(2))}, Execute: new(false)}
	first, job, err := w.ScheduleCompact(ctx, id, r)
	if err != nil || job != nil || first.Decision != "scheduled" || first.JobID == nil {
		t.Fatalf("%+v, %v", first, err)
	}
	skipped, job, err := w.ScheduleCompact(ctx, id, r)
	if err != nil || job != nil || skipped.Decision != "skipped_inflight" || skipped.JobID != nil || skipped.DecisionID == nil {
		t.Errorf("%+v, %v", skipped, err)
	}
	events := w.events(id)
	line, _ := events[5].Line()
	if !strings.Contains(string(line), `"reason":{"job_id":"`+text(first.JobID)+`","kind":"inflight_job"},"actor_id"`) {
		t.Errorf("%s", line)
	}
	r.BlockOnInflight = new(false)
	if again, _, err := w.ScheduleCompact(ctx, id, r); err != nil || again.Decision != "scheduled" {
		t.Errorf("%+v, %v", again, err)
	}
}

func testScheduleConcurrent(t *testing.T, w *fixture, id string) {
	w.posts(id, 2)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if _, _, err := w.ScheduleCompact(ctx, id, ScheduleRequest{AutoRequest: AutoRequest{StrideMessages: new(uint64(2))}, Execute: new(false)}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	scheduled := strings.Count(fmt.Sprint(types(w.events(id))), "job_spawned")
	if scheduled != 1 {
		t.Errorf("%d jobs were begun at once: %s", scheduled, types(w.events(id)))
	}
}

func testTies(t *testing.T, w *fixture, id string) {
	m := w.posts(id, 4)
	at := func(n int, markdown string) Checkpoint {
		c, err := w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: &markdown, ToMessageID: &m[n-1]})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	at(1, "summary-1")
	second := at(1, "summary-2")
	third := at(3, "summary-3")
	late := at(2, "made late, reaches less")
	w.record(id, &CheckpointCreated{SummaryKind: "other_v1", ToSeq: 4, ActorID: "a", Origin: "o"})
	for _, c := range []struct {
		upTo uint64
		kind string
		want string
	}{{0, "", ""}, {1, "", second.CheckpointID}, {2, "", late.CheckpointID}, {3, "", third.CheckpointID}, {99, bundle.Cumulative, third.CheckpointID}} {
		got, err := w.CheckpointUpTo(id, c.upTo, math.MaxUint64, c.kind)
		if (got != nil) != (c.want != "") || got != nil && got.CheckpointID != c.want || err != nil {
			t.Errorf("%+v: %+v, %v", c, got, err)
		}
	}
	if got, _ := w.CheckpointUpTo(id, 99, math.MaxUint64, ""); got == nil || got.SummaryKind != "other_v1" {
		t.Errorf("%+v", got)
	}
	if s := w.summaryOf(late.SummaryArtifactID); s.Basis == nil || s.Basis.BaseSummary.String() != second.SummaryArtifactID {
		t.Errorf("%+v", s.Basis)
	}
}

func testBasis(t *testing.T, w *fixture, id string) {
	m := w.posts(id, 2)
	manual, err := w.Checkpoint(ctx, id, CheckpointRequest{SummaryMarkdown: new("# Mine\n\nWritten by hand."), ToMessageID: &m[1]})
	if err != nil {
		t.Fatal(err)
	}
	auto := func(n uint64) bundle.Summary {
		w.posts(id, 2)
		_, job, err := w.AutoCompact(ctx, id, AutoRequest{StrideMessages: &n})
		if err != nil {
			t.Fatal(err)
		}
		created, err := w.RunJob(ctx, *job)
		if err != nil || len(created) != 1 {
			t.Fatal(created, err)
		}
		return w.summaryOf(created[0].SummaryArtifactID)
	}
	s := auto(4)
	if s.Basis.BaseSummary.String() != manual.SummaryArtifactID || !strings.Contains(s.SummaryMarkdown, "Written by hand.") || !strings.Contains(s.SummaryMarkdown, "here: 2, by alice (2)") {
		t.Errorf("%s", s.Bytes())
	}
	if removed, err := w.artifacts.Remove(artifact.Sum(s.Bytes()), time.Now().Add(time.Hour)); !removed || err != nil {
		t.Fatal(removed, err)
	}
	s = auto(6)
	if s.Basis == nil || s.Basis.Note == nil || strings.Contains(s.SummaryMarkdown, "Written by hand.") || !strings.Contains(s.SummaryMarkdown, "here: 6, by alice (6)") {
		t.Errorf("%s", s.Bytes())
	}
}

func testFailedJob(t *testing.T, w *fixture, id string) {
	w.posts(id, 2)
	_, job, err := w.AutoCompact(ctx, id, AutoRequest{StrideMessages: new(uint64(2))})
	if err != nil {
		t.Fatal(err)
	}
	job.Planned[0].ToMessageID = "another"
	if _, err := w.RunJob(ctx, *job); err == nil {
		t.Error("made a checkpoint at no message")
	}
	status, err := w.CompactionStatus(t.Context(), id, StrideRequest{})
	if err != nil || status.InflightJobID != nil || status.LastJob.Status != "failed" || !strings.Contains(text(status.LastJob.Error), "another") || status.LastJob.Created == nil {
		t.Errorf("%s, %v", asJSON(t, status), err)
	}
}

func testGivenSummary(t *testing.T, w *fixture, id string) {
	m := w.posts(id, 2)
	put := func(kind, thread string, seq uint64) *string {
		s := bundle.Summary{Kind: kind, Coverage: bundle.Coverage{ThreadID: thread, ToSeq: seq}, SummaryMarkdown: "s"}
		artifactID, _, err := w.artifacts.Put(s.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		return new(artifactID.String())
	}
	other, _, _ := w.artifacts.Put([]byte(`{"schema":"rip.context_bundle.v1"}`))
	for what, c := range map[string]struct {
		r    CheckpointRequest
		kind error
	}{
		"fits":           {CheckpointRequest{SummaryArtifactID: put("cumulative_v1", id, 2)}, nil},
		"says the same":  {CheckpointRequest{SummaryArtifactID: put("cumulative_v1", id, 2), SummaryMarkdown: new("s")}, nil},
		"says another":   {CheckpointRequest{SummaryArtifactID: put("cumulative_v1", id, 2), SummaryMarkdown: new("S")}, handoff.ErrInvalid},
		"another kind":   {CheckpointRequest{SummaryArtifactID: put("other_v1", id, 2)}, handoff.ErrInvalid},
		"another thread": {CheckpointRequest{SummaryArtifactID: put("cumulative_v1", "x", 2)}, handoff.ErrInvalid},
		"another cut":    {CheckpointRequest{SummaryArtifactID: put("cumulative_v1", id, 1)}, handoff.ErrInvalid},
		"no summary":     {CheckpointRequest{SummaryArtifactID: new(other.String())}, handoff.ErrInvalid},
		"not there":      {CheckpointRequest{SummaryArtifactID: new(strings.Repeat("0a", 32))}, fs.ErrNotExist},
	} {
		c.r.ToMessageID = &m[1]
		before := len(w.events(id))
		got, err := w.Checkpoint(ctx, id, c.r)
		if c.kind == nil {
			if err != nil || got.SummaryArtifactID != *c.r.SummaryArtifactID {
				t.Errorf("%s: %+v, %v", what, got, err)
			}
			continue
		}
		if wantKind(t, what, err, c.kind); len(w.events(id)) != before {
			t.Errorf("%s: appended an event", what)
		}
	}
}

// TestHierarchicalFixture is RIP's own: 60 messages, checkpoints that reach to
// 8, 16 and 32.
func TestHierarchicalFixture(t *testing.T) {
	w := newFixture(t)
	id := w.create("p")
	w.posts(id, 60)
	for i, to := range []uint64{8, 16, 32} {
		w.record(id, &CheckpointCreated{SummaryKind: bundle.Cumulative, SummaryArtifactID: strings.Repeat(string('a'+rune(i)), 64), ToSeq: to, ActorID: "a", Origin: "o"})
	}
	var reach []uint64
	for at := uint64(63); ; {
		c, err := w.CheckpointUpTo(id, at, math.MaxUint64, bundle.Cumulative)
		if err != nil || c == nil {
			break
		}
		reach = append(reach, c.ToSeq)
		at = reach[len(reach)-1] / 2
	}
	if fmt.Sprint(reach) != "[32 16 8]" {
		t.Error(reach)
	}
	if _, err := os.Stat(filepath.Join(w.root, ".handoff")); err != nil {
		t.Error(err)
	}
}
