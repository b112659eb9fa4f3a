package thread

import (
	"context"
	"encoding/json"
	"iter"
	"math"
	"slices"

	"handoff/internal/journal"
)

// CutPoint is a message at which a checkpoint is due by the stride.
type CutPoint struct {
	Planned
	AlreadyCheckpointed bool    `json:"already_checkpointed"`
	LatestCheckpointID  *string `json:"latest_checkpoint_id"`
}

// CutPoints are the last cut points of a thread, the newest first.
type CutPoints struct {
	ThreadID       string     `json:"thread_id"`
	StrideMessages uint64     `json:"stride_messages"`
	MessageCount   uint64     `json:"message_count"`
	CutRuleID      string     `json:"cut_rule_id"`
	CutPoints      []CutPoint `json:"cut_points"`
}

const maxCutPoints = 32

// CutPointsRequest asks for the last cut points of a stride.
type CutPointsRequest struct {
	StrideMessages *uint64 `json:"stride_messages,omitempty" flag:"stride-messages=N" usage:"messages from one cut to the next" unset:"10000" min:"1" doc:"number of messages per cut; default: 10,000"`
	Limit          *uint32 `json:"limit,omitempty" flag:"limit=N" usage:"most to list" unset:"1" doc:"maximum number, up to 32; default: 1"`
}

// CutPoints returns the last cut points, the latest first.
func (s *Store) CutPoints(ctx context.Context, id string, r CutPointsRequest) (CutPoints, error) {
	every, err := strideOf(r.StrideMessages)
	if err != nil {
		return CutPoints{}, err
	}
	return onThread(ctx, s, id, func(j *journal.Journal) (CutPoints, error) { return cutPoints(j, id, every, upTo32(r.Limit)) })
}

// upTo32 is a limit between 1, which nil means, and 32.
func upTo32(n *uint32) uint32 {
	if n == nil {
		return 1
	}
	return min(max(*n, 1), maxCutPoints)
}

func cutPoints(j *journal.Journal, id string, stride uint64, most uint32) (CutPoints, error) {
	count, err := j.Count(listMessages)
	if err != nil {
		return CutPoints{}, err
	}
	c := CutPoints{id, stride, count, strideRule(stride), []CutPoint{}}
	for p, err := range lastCutPoints(j, count, stride, most) {
		if err != nil {
			return CutPoints{}, err
		}
		c.CutPoints = append(c.CutPoints, p)
	}
	return c, nil
}

// lastCutPoints yields the last cut points of so many messages, the newest first. Each that is asked for is read.
func lastCutPoints(j *journal.Journal, messages, stride uint64, most uint32) iter.Seq2[CutPoint, error] {
	return func(yield func(CutPoint, error) bool) {
		for ordinal := messages / stride * stride; ordinal > 0 && most > 0; ordinal, most = ordinal-stride, most-1 {
			if p, err := cutPoint(j, ordinal); !yield(p, err) || err != nil {
				return
			}
		}
	}
}

func cutPoint(j *journal.Journal, ordinal uint64) (CutPoint, error) {
	message, err := nthMessage(j, ordinal)
	if err != nil {
		return CutPoint{}, err
	}
	p := CutPoint{Planned: Planned{TargetMessageOrdinal: ordinal, ToSeq: message.Seq, ToMessageID: message.ID}}
	made, err := j.Find(checkpointKey(message.Seq))
	if err != nil || len(made) == 0 {
		return p, err
	}
	last, err := foundAt[*CheckpointCreated](j, made[len(made)-1])
	if err != nil {
		return CutPoint{}, err
	}
	p.AlreadyCheckpointed, p.LatestCheckpointID = true, &last.payload.CheckpointID
	return p, nil
}

// due are the cut points without a checkpoint, the newest first.
func (c CutPoints) due(most uint32) []Planned {
	planned := []Planned{}
	for _, p := range c.CutPoints {
		if !p.AlreadyCheckpointed && len(planned) < int(most) {
			planned = append(planned, p.Planned)
		}
	}
	return planned
}

// CompactionStatus is how far a thread is summarized.
type CompactionStatus struct {
	ThreadID         string            `json:"thread_id"`
	StrideMessages   uint64            `json:"stride_messages"`
	MessageCount     uint64            `json:"message_count"`
	LatestCheckpoint *StatusCheckpoint `json:"latest_checkpoint"`
	NextCutPoint     *Planned          `json:"next_cut_point"`
	InflightJobID    *string           `json:"inflight_job_id"`
	LastSchedule     *StatusSchedule   `json:"last_schedule_decision"`
	LastJob          *StatusJob        `json:"last_job_outcome"`
}

// StatusCheckpoint is the newest checkpoint.
type StatusCheckpoint struct {
	CheckpointID      string  `json:"checkpoint_id"`
	CutRuleID         string  `json:"cut_rule_id"`
	SummaryKind       string  `json:"summary_kind"`
	SummaryArtifactID string  `json:"summary_artifact_id"`
	ToSeq             uint64  `json:"to_seq"`
	ToMessageID       *string `json:"to_message_id"`
}

// StatusSchedule is a decision on checkpoints that were due, with its event.
type StatusSchedule struct {
	ScheduleDecided
	Seq         uint64 `json:"seq"`
	TimestampMS uint64 `json:"timestamp_ms"`
}

// StatusJob is the outcome of a compaction.
type StatusJob struct {
	JobID       string        `json:"job_id"`
	JobKind     string        `json:"job_kind"`
	Status      string        `json:"status"`
	Error       *string       `json:"error"`
	Created     []CreatedHere `json:"created"`
	ActorID     string        `json:"actor_id"`
	Origin      string        `json:"origin"`
	Seq         uint64        `json:"seq"`
	TimestampMS uint64        `json:"timestamp_ms"`
}

// CreatedHere is a checkpoint that a job has created.
type CreatedHere struct {
	CheckpointID      string `json:"checkpoint_id"`
	SummaryArtifactID string `json:"summary_artifact_id"`
	ToSeq             uint64 `json:"to_seq"`
	ToMessageID       string `json:"to_message_id"`
	CutRuleID         string `json:"cut_rule_id"`
}

// StrideRequest names a stride.
type StrideRequest struct {
	StrideMessages *uint64 `json:"stride_messages,omitempty" flag:"stride-messages=N" usage:"messages from one cut to the next" unset:"10000" min:"1" doc:"number of messages per cut; default: 10,000"`
}

// CompactionStatus returns how far a thread is compacted, and what is due by
// the stride.
func (s *Store) CompactionStatus(ctx context.Context, id string, r StrideRequest) (CompactionStatus, error) {
	every, err := strideOf(r.StrideMessages)
	if err != nil {
		return CompactionStatus{}, err
	}
	return onThread(ctx, s, id, func(j *journal.Journal) (CompactionStatus, error) {
		count, err := j.Count(listMessages)
		if err != nil {
			return CompactionStatus{}, err
		}
		status := CompactionStatus{ThreadID: id, StrideMessages: every, MessageCount: count}
		for p, err := range lastCutPoints(j, count, every, maxCutPoints) {
			if err != nil {
				return CompactionStatus{}, err
			}
			if !p.AlreadyCheckpointed {
				status.NextCutPoint = &p.Planned
				break
			}
		}
		if status.InflightJobID, err = inflightJob(j); err != nil {
			return CompactionStatus{}, err
		}
		return status, status.read(j)
	})
}

func (status *CompactionStatus) read(j *journal.Journal) error {
	last, ok, err := latestCheckpoint(j, math.MaxUint64, math.MaxUint64, "")
	if err != nil {
		return err
	}
	if ok {
		p := last.payload
		status.LatestCheckpoint = &StatusCheckpoint{p.CheckpointID, p.CutRuleID, p.SummaryKind, p.SummaryArtifactID, p.ToSeq, p.ToMessageID}
	}
	for e, err := range newest[*ScheduleDecided](j, listSchedules, 1) {
		if err != nil {
			return err
		}
		status.LastSchedule = &StatusSchedule{*e.payload, e.Seq, e.TimestampMS}
		status.LastSchedule.Planned = append([]Planned{}, e.payload.Planned...) // never null
	}
	for e, err := range newest[*JobEnded](j, listJobsEnded, maxJobsRead) {
		if err != nil {
			return err
		}
		if p := e.payload; p.JobKind == summarizerJob {
			status.LastJob = &StatusJob{p.JobID, p.JobKind, p.Status, p.Error, createdBy(p.Result), p.ActorID, p.Origin, e.Seq, e.TimestampMS}
			break
		}
	}
	return nil
}

// createdBy reads the result of a job, empty if it has another form.
func createdBy(result json.RawMessage) []CreatedHere {
	var r struct{ Created []CreatedHere }
	if result == nil || json.Unmarshal(result, &r) != nil || r.Created == nil {
		return []CreatedHere{}
	}
	return r.Created
}

// summarizerJob is the kind of job that makes checkpoints.
const summarizerJob = "compaction_summarizer_v1"

// maxJobsRead is how many jobs are searched: a job that was killed long ago
// blocks nothing.
const maxJobsRead = 64

// inflightJob is the newest job that makes checkpoints and has not ended.
func inflightJob(j *journal.Journal) (id *string, err error) {
	for e, err := range newest[*JobSpawned](j, listJobsBegun, maxJobsRead) {
		if err != nil {
			return nil, err
		}
		if e.payload.JobKind != summarizerJob {
			continue
		}
		events, err := withKey(j, jobKey(e.payload.JobID))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(events, func(e Event) bool { _, ended := e.Payload.(*JobEnded); return ended }) {
			return &e.payload.JobID, nil
		}
	}
	return nil, nil
}
