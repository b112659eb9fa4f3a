package httpapi

import (
	"context"
	"net/http"

	"handoff/thread"
)

const badStride = "want a stride_messages of 1 or more"

type strideField struct {
	StrideMessages *uint64 `json:"stride_messages" min:"1" doc:"number of messages per cut; default: 10,000"`
}

type checkpointInput struct {
	threadInput
	Body checkpointBody
}

type checkpointBody struct {
	SummaryMarkdown   *string `json:"summary_markdown" doc:"summary that replaces the thread up to the cut"`
	SummaryArtifactID *string `json:"summary_artifact_id" doc:"ID of a stored compaction summary that matches the cut"`
	ToMessageID       *string `json:"to_message_id" doc:"cut at this message"`
	ToSeq             *uint64 `json:"to_seq" doc:"cut at this event, which must be a message; without either field, at the last cut of the stride"`
	strideField
	who
}

func (s *Server) checkpoint(ctx context.Context, in checkpointInput) (thread.Checkpoint, error) {
	if err := known(in.ID); err != nil {
		return thread.Checkpoint{}, err
	}
	b := in.Body
	made, err := s.Threads.Store.Checkpoint(ctx, in.ID, thread.CheckpointRequest{
		SummaryMarkdown: b.SummaryMarkdown, SummaryArtifactID: b.SummaryArtifactID,
		ToMessageID: b.ToMessageID, ToSeq: b.ToSeq, StrideMessages: b.StrideMessages, ActorID: b.actor(), Origin: b.origin(),
	})
	return made, refused(err, "no such thread or artifact",
		"want the summary_artifact_id of a compaction summary of this thread")
}

type cutPointsInput struct {
	threadInput
	Body struct {
		strideField
		Limit *uint32 `json:"limit" doc:"maximum number, up to 32; default: 1"`
	}
}

func (s *Server) cutPoints(_ context.Context, in cutPointsInput) (thread.CutPoints, error) {
	if err := known(in.ID); err != nil {
		return thread.CutPoints{}, err
	}
	points, err := s.Threads.Store.CutPoints(in.ID, in.Body.StrideMessages, in.Body.Limit)
	return points, refused(err, "", badStride)
}

type compactionStatusInput struct {
	threadInput
	Body strideField
}

func (s *Server) compactionStatus(_ context.Context, in compactionStatusInput) (thread.CompactionStatus, error) {
	if err := known(in.ID); err != nil {
		return thread.CompactionStatus{}, err
	}
	status, err := s.Threads.Store.CompactionStatus(in.ID, in.Body.StrideMessages)
	return status, refused(err, "", badStride)
}

// asker are the fields of a body that say who asks, and must.
type asker struct {
	ActorID string `json:"actor_id" doc:"actor; blank means user"`
	Origin  string `json:"origin" doc:"origin of the request; blank means server"`
}

func (a asker) actor() string  { return given(&a.ActorID, defaultActor) }
func (a asker) origin() string { return given(&a.Origin, defaultOrigin) }

type autoFields struct {
	strideField
	MaxNew *uint32 `json:"max_new_checkpoints" doc:"maximum number, up to 32; default: 1"`
	DryRun *bool   `json:"dry_run" doc:"dry run: only report what is due"`
	asker
}

func (f autoFields) request() thread.AutoRequest {
	return thread.AutoRequest{StrideMessages: f.StrideMessages, MaxNew: f.MaxNew, DryRun: f.DryRun != nil && *f.DryRun, ActorID: f.actor(), Origin: f.origin()}
}

type autoInput struct {
	threadInput
	Body autoFields
}

type autoCompacted struct{ thread.AutoResult }

// StatusCode is RIP's: a job that was begun is answered for before it is done.
func (a autoCompacted) StatusCode() int {
	if a.Status == "spawned" {
		return http.StatusAccepted
	}
	return http.StatusOK
}

func (s *Server) autoCompact(ctx context.Context, in autoInput) (autoCompacted, error) {
	if err := known(in.ID); err != nil {
		return autoCompacted{}, err
	}
	result, job, err := s.Threads.Store.AutoCompact(ctx, in.ID, in.Body.request())
	if err == nil {
		s.runJob(job)
	}
	return autoCompacted{result}, refused(err, "", badStride)
}

type scheduleInput struct {
	threadInput
	Body struct {
		autoFields
		BlockOnInflight *bool `json:"block_on_inflight" doc:"start no job while one is running; default: true"`
		Execute         *bool `json:"execute" doc:"run the job, not only record the decision; default: true"`
	}
}

type scheduled struct{ thread.ScheduleResult }

func (r scheduled) StatusCode() int {
	if r.Decision == "scheduled" {
		return http.StatusAccepted
	}
	return http.StatusOK
}

func (s *Server) scheduleCompact(ctx context.Context, in scheduleInput) (scheduled, error) {
	if err := known(in.ID); err != nil {
		return scheduled{}, err
	}
	result, job, err := s.Threads.Store.ScheduleCompact(ctx, in.ID, thread.ScheduleRequest{
		AutoRequest: in.Body.request(), BlockOnInflight: in.Body.BlockOnInflight, Execute: in.Body.Execute,
	})
	if err == nil {
		s.runJob(job)
	}
	return scheduled{result}, refused(err, "", badStride)
}

// runJob does a job that was begun, after its request was answered.
func (s *Server) runJob(job *thread.Job) {
	if job == nil {
		return
	}
	s.background(func(ctx context.Context) {
		if _, err := s.Threads.Store.RunJob(ctx, *job); err != nil {
			s.Log.Error("compaction failed", "thread", job.ThreadID, "job", job.JobID, "error", err)
		}
	})
}

type cursorStatusInput struct {
	threadInput
	Body struct{}
}

func (s *Server) cursorStatus(_ context.Context, in cursorStatusInput) (thread.CursorStatus, error) {
	if err := known(in.ID); err != nil {
		return thread.CursorStatus{}, err
	}
	status, err := s.Threads.Store.CursorStatus(in.ID)
	return status, refused(err, "", "")
}

type rotateInput struct {
	threadInput
	Body struct {
		Provider *string `json:"provider" doc:"provider of the cursor; default: any"`
		Endpoint *string `json:"endpoint" doc:"endpoint of the cursor"`
		Model    *string `json:"model" doc:"model of the cursor"`
		Reason   *string `json:"reason" doc:"reason"`
		asker
	}
}

func (s *Server) rotateCursor(ctx context.Context, in rotateInput) (thread.RotateResult, error) {
	if err := known(in.ID); err != nil {
		return thread.RotateResult{}, err
	}
	b := in.Body
	result, err := s.Threads.Store.RotateCursor(ctx, in.ID, thread.RotateRequest{
		Provider: b.Provider, Endpoint: b.Endpoint, Model: b.Model, Reason: b.Reason, ActorID: b.actor(), Origin: b.origin(),
	})
	return result, refused(err, "", "a field cannot be stored")
}

type selectionInput struct {
	threadInput
	Body struct {
		Limit *uint32 `json:"limit" doc:"maximum number, up to 50; default: 10"`
	}
}

func (s *Server) selectionStatus(_ context.Context, in selectionInput) (thread.SelectionStatus, error) {
	if err := known(in.ID); err != nil {
		return thread.SelectionStatus{}, err
	}
	status, err := s.Threads.Store.SelectionStatus(in.ID, in.Body.Limit)
	return status, refused(err, "", "")
}
