package thread

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/internal/journal"
)

// RunJob makes the checkpoints of a job that was begun, and appends how it
// came out. What it made before it failed is given as well.
func (s *Store) RunJob(ctx context.Context, job Job) ([]CreatedHere, error) {
	j, release, err := s.thread(job.ThreadID)
	if err != nil {
		return nil, err
	}
	defer release()
	created := []CreatedHere{}
	planned := slices.SortedFunc(slices.Values(job.Planned), func(a, b Planned) int {
		return cmp.Or(cmp.Compare(a.ToSeq, b.ToSeq), cmp.Compare(a.ToMessageID, b.ToMessageID))
	})
	for _, p := range planned {
		c, cutErr := s.compact(ctx, j, job, p)
		if err = cutErr; err != nil {
			break
		}
		created = append(created, CreatedHere{c.CheckpointID, c.SummaryArtifactID, c.ToSeq, c.ToMessageID, c.CutRuleID})
	}
	ended := &JobEnded{JobID: job.JobID, JobKind: summarizerJob, Status: "completed", ActorID: job.ActorID, Origin: job.Origin}
	if err != nil {
		ended.Status, ended.Error = "failed", new(err.Error())
	}
	var jsonErr error
	ended.Result, jsonErr = json.Marshal(map[string]any{"schema": "rip.job_result.compaction_summarizer.v1", "created": created})
	// A job that was called off has ended too.
	_, endErr := s.appendTo(context.WithoutCancel(ctx), j, Continuity, job.ThreadID, ended)
	return created, errors.Join(err, jsonErr, endErr)
}

// compact makes one checkpoint.
func (s *Store) compact(ctx context.Context, j *journal.Journal, job Job, p Planned) (Checkpoint, error) {
	if err := ctx.Err(); err != nil {
		return Checkpoint{}, err
	}
	message, err := eventAt(j, p.ToSeq)
	if err != nil {
		return Checkpoint{}, err
	}
	if _, ok := message.Payload.(*Message); !ok || message.ID != p.ToMessageID {
		return Checkpoint{}, fmt.Errorf("the cut point is not the message %s at event %d: %w", clip(p.ToMessageID), p.ToSeq, handoff.ErrInvalid)
	}
	c := compaction{thread: job.ThreadID, rule: strideRule(job.StrideMessages), to: message, actorID: job.ActorID, origin: job.Origin,
		by: bundle.ProducedBy{Type: "job", ID: job.JobID}}
	text, from, err := s.basis(j, &c)
	if err != nil {
		return Checkpoint{}, err
	}
	d := newDigest()
	if err := eachMessage(ctx, j, from, p.ToSeq, d.message); err != nil {
		return Checkpoint{}, err
	}
	return s.summarize(ctx, j, c, d.markdown(c, p.TargetMessageOrdinal, text))
}

// basis is the summary before, which the new one goes on from, and the event
// that it goes up to. One that cannot be read is noted, and all is summed up
// anew.
func (s *Store) basis(j *journal.Journal, c *compaction) (markdown string, from *uint64, err error) {
	e, ok, err := summaryBefore(j, c.to)
	if err != nil || !ok {
		return "", nil, err
	}
	p := e.Payload.(*CheckpointCreated)
	c.base, _ = artifact.ParseID(p.SummaryArtifactID)
	summary, err := s.summary("base_summary_artifact_id", p.SummaryArtifactID)
	switch {
	case errors.Is(err, handoff.ErrInvalid), errors.Is(err, fs.ErrNotExist):
		c.note = new("the previous summary could not be read: the whole thread was summarized again")
		return "", nil, nil
	case err != nil:
		return "", nil, err
	}
	return summary.SummaryMarkdown, &p.ToSeq, nil
}

// eachMessage goes through the messages in (after, last].
func eachMessage(ctx context.Context, j *journal.Journal, after *uint64, last uint64, each func(*Message)) (err error) {
	from := uint64(0)
	if after != nil {
		if from, err = j.UpTo(listMessages, *after); err != nil {
			return err
		}
	}
	for pos, err := range listed(j, listMessages, from) {
		if err != nil || pos > last {
			return err
		}
		_, p, err := payloadAt[*Message](j, pos)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		each(p)
	}
	return nil
}
