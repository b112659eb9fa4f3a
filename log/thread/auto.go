package thread

import (
	"context"
	"encoding/json"
	"fmt"

	"handoff/internal/journal"
)

// AutoRequest asks for the checkpoints that are due by a stride.
type AutoRequest struct {
	StrideMessages *uint64 `json:"stride_messages" flag:"stride-messages=N" usage:"messages from one cut to the next" unset:"10000" min:"1" doc:"number of messages per cut; default: 10,000"`
	MaxNew         *uint32 `json:"max_new_checkpoints" flag:"max-new-checkpoints=N" usage:"most checkpoints to create" unset:"1" doc:"maximum number, up to 32; default: 1"`
	DryRun         bool    `json:"dry_run,omitempty" flag:"dry-run" usage:"list what is due, create nothing" doc:"dry run: only report what is due"`
	ActorID        string  `json:"actor_id" flag:"actor-id=WHO" usage:"who asks" preset:"user" default:"user" doc:"actor; blank means user"`
	Origin         string  `json:"origin" flag:"origin=WHERE" usage:"where it was asked" preset:"cli" default:"server" doc:"origin of the request; blank means server"`
}

// AutoResult lists what is due, and the job that was started for it.
type AutoResult struct {
	ThreadID       string        `json:"thread_id"`
	JobID          *string       `json:"job_id"`
	JobKind        *string       `json:"job_kind"`
	Status         string        `json:"status"` // noop, spawned; with RunJob completed, failed
	StrideMessages uint64        `json:"stride_messages"`
	MessageCount   uint64        `json:"message_count"`
	CutRuleID      string        `json:"cut_rule_id"`
	Planned        []Planned     `json:"planned"` // the newest first
	Result         []CreatedHere `json:"result"`
	Error          *string       `json:"error"`
}

// Job is the input of [Store.RunJob].
type Job struct {
	ThreadID, JobID string
	StrideMessages  uint64
	Planned         []Planned
	ActorID, Origin string
}

// AutoCompact starts a job for the checkpoints that are due; job is nil if there
// are none. [Store.RunJob] does the work.
func (s *Store) AutoCompact(ctx context.Context, id string, r AutoRequest) (result AutoResult, job *Job, err error) {
	stride, err := strideOf(r.StrideMessages)
	if err != nil {
		return AutoResult{}, nil, err
	}
	_, err = s.decide(ctx, id, func(j *journal.Journal) ([]Payload, error) {
		points, err := cutPoints(j, id, stride, maxCutPoints)
		if err != nil {
			return nil, err
		}
		result = AutoResult{ThreadID: id, Status: "noop", StrideMessages: stride, MessageCount: points.MessageCount, CutRuleID: points.CutRuleID,
			Planned: points.due(upTo32(r.MaxNew)), Result: []CreatedHere{}}
		if len(result.Planned) == 0 || r.DryRun {
			return nil, nil
		}
		job = s.newJob(id, stride, result.Planned, r.ActorID, r.Origin)
		result.Status, result.JobID, result.JobKind = "spawned", &job.JobID, new(summarizerJob)
		return []Payload{job.spawned()}, nil
	})
	if err != nil {
		return AutoResult{}, nil, err
	}
	return result, job, nil
}

func (s *Store) newJob(id string, stride uint64, planned []Planned, actorID, origin string) *Job {
	return &Job{id, s.options.NewID(), stride, planned, or(actorID, defaultActor), or(origin, defaultOrigin)}
}

func (job *Job) spawned() *JobSpawned {
	details, err := json.Marshal(map[string]any{"schema": "rip.job.compaction_summarizer.v1", "cut_rule_id": strideRule(job.StrideMessages),
		"stride_messages": job.StrideMessages, "planned": job.Planned})
	if err != nil {
		panic(err) // texts and numbers
	}
	return &JobSpawned{JobID: job.JobID, JobKind: summarizerJob, Details: details, ActorID: job.ActorID, Origin: job.Origin}
}

// ScheduleRequest is an [AutoRequest] with the policy for a job that has not
// ended.
type ScheduleRequest struct {
	AutoRequest
	BlockOnInflight *bool `json:"block_on_inflight" flag:"!allow-inflight" usage:"also while another job runs" doc:"start no job while one is running; default: true"`
	Execute         *bool `json:"execute" flag:"!no-execute" usage:"leave the job to others" doc:"run the job, not only record the decision; default: true"`
}

// ScheduleResult is the decision. Decision is noop, dry_run, skipped_inflight or
// scheduled, and after RunJob completed or failed.
type ScheduleResult struct {
	ThreadID   string  `json:"thread_id"`
	DecisionID *string `json:"decision_id"`
	Schedule
	Result []CreatedHere `json:"result"`
	Error  *string       `json:"error"`
}

// ScheduleCompact is AutoCompact that also appends its decision. job is nil if
// there is nothing for the caller to run.
func (s *Store) ScheduleCompact(ctx context.Context, id string, r ScheduleRequest) (result ScheduleResult, job *Job, err error) {
	stride, err := strideOf(r.StrideMessages)
	if err != nil {
		return ScheduleResult{}, nil, err
	}
	result = ScheduleResult{ThreadID: id, Result: []CreatedHere{}, Schedule: Schedule{Execute: r.Execute == nil || *r.Execute, StrideMessages: stride,
		MaxNew: upTo32(r.MaxNew), BlockOnInflight: r.BlockOnInflight == nil || *r.BlockOnInflight, CutRuleID: strideRule(stride)}}
	result.PolicyID = fmt.Sprintf("compaction_auto_schedule_v1/%s/max_new_checkpoints_v1/%d/block_on_inflight_v1/%v", result.CutRuleID, result.MaxNew, result.BlockOnInflight)
	events, err := s.decide(ctx, id, func(j *journal.Journal) (payloads []Payload, err error) {
		payloads, job, err = s.schedule(j, &result, r)
		return payloads, err
	})
	if err != nil {
		return ScheduleResult{}, nil, err
	}
	if n := len(events); n > 0 {
		result.DecisionID = &events[n-1].ID
	}
	if !result.Execute {
		job = nil
	}
	return result, job, nil
}

// schedule decides, and returns what has to be appended: the job first, as in
// RIP.
func (s *Store) schedule(j *journal.Journal, result *ScheduleResult, r ScheduleRequest) ([]Payload, *Job, error) {
	points, err := cutPoints(j, result.ThreadID, result.StrideMessages, maxCutPoints)
	if err != nil {
		return nil, nil, err
	}
	result.MessageCount, result.Planned = points.MessageCount, points.due(result.MaxNew)
	result.Decision, result.JobID, result.JobKind = "noop", nil, nil
	switch {
	case len(result.Planned) == 0:
		return nil, nil, nil
	case r.DryRun:
		result.Decision = "dry_run"
		return nil, nil, nil
	}
	decided := &ScheduleDecided{ActorID: or(r.ActorID, defaultActor), Origin: or(r.Origin, defaultOrigin)}
	if result.BlockOnInflight {
		inflight, err := inflightJob(j)
		if err != nil {
			return nil, nil, err
		}
		if inflight != nil {
			result.Decision = "skipped_inflight"
			decided.Schedule = result.Schedule
			decided.Reason, err = json.Marshal(map[string]string{"kind": "inflight_job", "job_id": *inflight})
			return []Payload{decided}, nil, err
		}
	}
	job := s.newJob(result.ThreadID, result.StrideMessages, result.Planned, r.ActorID, r.Origin)
	result.Decision, result.JobID, result.JobKind = "scheduled", &job.JobID, new(summarizerJob)
	decided.Schedule = result.Schedule
	return []Payload{job.spawned(), decided}, job, nil
}
