package thread

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/journal"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread/digest"
)

// RunJob creates the checkpoints of a job that was started, and appends its
// outcome. What it created before a failure is returned as well.
func (s *Store) RunJob(ctx context.Context, job Job) ([]CreatedHere, error) {
	return onThread(ctx, s, job.ThreadID, func(j *journal.Journal) (_ []CreatedHere, err error) {
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
		// A cancelled job has ended too.
		_, endErr := s.appendTo(context.WithoutCancel(ctx), j, Continuity, job.ThreadID, ended)
		return created, errors.Join(err, jsonErr, endErr)
	})
}

// compact creates one checkpoint.
func (s *Store) compact(ctx context.Context, j *journal.Journal, job Job, p Planned) (Checkpoint, error) {
	if err := ctx.Err(); err != nil {
		return Checkpoint{}, err
	}
	message, err := eventAt(j, p.ToSeq)
	if err != nil {
		return Checkpoint{}, err
	}
	if _, ok := message.Payload.(*Message); !ok || message.ID != p.ToMessageID {
		return Checkpoint{}, fmt.Errorf("the cut point is not the message %s at event %d: %w", foreign(p.ToMessageID), p.ToSeq, handoff.ErrInvalid)
	}
	c := compaction{thread: job.ThreadID, rule: strideRule(job.StrideMessages), to: message, actorID: job.ActorID, origin: job.Origin,
		by: bundle.ProducedBy{Type: "job", ID: job.JobID}}
	text, from, err := s.basis(j, &c)
	if err != nil {
		return Checkpoint{}, err
	}
	d, err := digestOf(ctx, j, from, p.ToSeq)
	if err != nil {
		return Checkpoint{}, err
	}
	return s.summarize(ctx, j, c, d.Markdown(c.head(p.TargetMessageOrdinal), text))
}

// basis returns the previous summary, which the new one continues, and the last
// event that it covers. If it cannot be read, a note records that and the whole
// thread is summarized again.
func (s *Store) basis(j *journal.Journal, c *compaction) (markdown string, from *uint64, err error) {
	e, ok, err := summaryBefore(j, c.to)
	if err != nil || !ok {
		return "", nil, err
	}
	p := e.payload
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

// digestOf digests the messages after one event (nil for the start) up to another.
func digestOf(ctx context.Context, j *journal.Journal, after *uint64, last uint64) (d *digest.Digest, err error) {
	from := uint64(0)
	if after != nil {
		if from, err = j.UpTo(listMessages, *after); err != nil {
			return nil, err
		}
	}
	d = digest.New()
	for e, err := range since[*Message](j, listMessages, from) {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		if e.Seq > last {
			break
		}
		d.Message(e.payload.ActorID, e.payload.Content)
	}
	return d, nil
}
