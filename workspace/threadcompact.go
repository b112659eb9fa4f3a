package workspace

import (
	"context"

	"handoff/thread"
)

// Checkpoint lets a summary stand for the thread up to a message.
func (t *Threads) Checkpoint(ctx context.Context, id string, r thread.CheckpointRequest) (thread.Checkpoint, error) {
	return t.Store.Checkpoint(ctx, id, r)
}

// CutPoints tells where a stride would cut, the latest first.
func (t *Threads) CutPoints(_ context.Context, id string, stride *uint64, limit *uint32) (thread.CutPoints, error) {
	return t.Store.CutPoints(id, stride, limit)
}

// CompactionStatus tells how far a thread is compacted.
func (t *Threads) CompactionStatus(_ context.Context, id string, stride *uint64) (thread.CompactionStatus, error) {
	return t.Store.CompactionStatus(id, stride)
}

// AutoCompact makes the checkpoints that are due, and waits for them: the
// status is noop, completed or failed, or noop where it was to be told only.
func (t *Threads) AutoCompact(ctx context.Context, id string, r thread.AutoRequest) (thread.AutoResult, error) {
	result, job, err := t.Store.AutoCompact(ctx, id, r)
	if err != nil || job == nil {
		return result, err
	}
	result.Status, result.Result, result.Error = t.finish(ctx, job)
	return result, nil
}

// ScheduleCompact is AutoCompact that records what it decides. Where a job was
// scheduled and is to be executed, the decision becomes completed or failed.
func (t *Threads) ScheduleCompact(ctx context.Context, id string, r thread.ScheduleRequest) (thread.ScheduleResult, error) {
	result, job, err := t.Store.ScheduleCompact(ctx, id, r)
	if err != nil || job == nil {
		return result, err
	}
	result.Decision, result.Result, result.Error = t.finish(ctx, job)
	return result, nil
}

func (t *Threads) finish(ctx context.Context, job *thread.Job) (status string, made []thread.CreatedHere, failure *string) {
	made, err := t.Store.RunJob(ctx, *job)
	if err != nil {
		return "failed", made, new(err.Error())
	}
	return "completed", made, nil
}
