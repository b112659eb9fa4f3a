package threads

import (
	"context"

	"handoff/log/thread"
)

// AutoCompact creates the checkpoints that are due, and waits for them: the
// status is completed, failed, or noop. The store's own method only starts the
// job.
func (t *Threads) AutoCompact(ctx context.Context, id string, r thread.AutoRequest) (thread.AutoResult, error) {
	result, job, err := t.Store.AutoCompact(ctx, id, r)
	if err != nil || job == nil {
		return result, err
	}
	result.Status, result.Result, result.Error = t.finish(ctx, job)
	return result, nil
}

// ScheduleCompact is AutoCompact that records its decision. If a job was
// scheduled and is to be executed, the decision becomes completed or failed.
func (t *Threads) ScheduleCompact(ctx context.Context, id string, r thread.ScheduleRequest) (thread.ScheduleResult, error) {
	result, job, err := t.Store.ScheduleCompact(ctx, id, r)
	if err != nil || job == nil {
		return result, err
	}
	result.Decision, result.Result, result.Error = t.finish(ctx, job)
	return result, nil
}

func (t *Threads) finish(ctx context.Context, job *thread.Job) (status string, created []thread.CreatedHere, failure *string) {
	created, err := t.RunJob(ctx, *job)
	if err != nil {
		return "failed", created, new(err.Error())
	}
	return "completed", created, nil
}
