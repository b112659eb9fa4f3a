package thread

import (
	"context"
	"encoding/json"
	"math"

	"handoff/internal/journal"
)

// CutPoint is a message at which a checkpoint is due by the stride.
type CutPoint struct {
	Planned
	AlreadyCheckpointed bool    `json:"already_checkpointed"`
	LatestCheckpointID  *string `json:"latest_checkpoint_id"`
}

// CutPoints are the last ones of a thread, the newest first.
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
	StrideMessages *uint64 `json:"stride_messages,omitempty" min:"1" doc:"number of messages per cut; default: 10,000"`
	Limit          *uint32 `json:"limit,omitempty" doc:"maximum number, up to 32; default: 1"`
}

// CutPoints returns the last cut points, the latest first.
func (s *Store) CutPoints(_ context.Context, id string, r CutPointsRequest) (CutPoints, error) {
	every, err := strideOf(r.StrideMessages)
	if err != nil {
		return CutPoints{}, err
	}
	most := uint32(1)
	if r.Limit != nil {
		most = min(max(*r.Limit, 1), maxCutPoints)
	}
	j, release, err := s.thread(id)
	if err != nil {
		return CutPoints{}, err
	}
	defer release()
	return cutPoints(j, id, every, most)
}

func cutPoints(j *journal.Journal, id string, stride uint64, most uint32) (CutPoints, error) {
	count, err := j.Count(listMessages)
	if err != nil {
		return CutPoints{}, err
	}
	c := CutPoints{id, stride, count, strideRule(stride), []CutPoint{}}
	for ordinal := count / stride * stride; ordinal > 0 && len(c.CutPoints) < int(most); ordinal -= stride {
		message, err := nthMessage(j, ordinal)
		if err != nil {
			return CutPoints{}, err
		}
		point := CutPoint{Planned: Planned{TargetMessageOrdinal: ordinal, ToSeq: message.Seq, ToMessageID: message.ID}}
		made, err := j.Find(checkpointKey(message.Seq))
		if err != nil {
			return CutPoints{}, err
		}
		if point.AlreadyCheckpointed = len(made) > 0; point.AlreadyCheckpointed {
			_, p, err := payloadAt[*CheckpointCreated](j, made[len(made)-1])
			if err != nil {
				return CutPoints{}, err
			}
			point.LatestCheckpointID = &p.CheckpointID
		}
		c.CutPoints = append(c.CutPoints, point)
	}
	return c, nil
}

// due are the cut points that have no checkpoint, the newest first.
func (c CutPoints) due(most uint32) []Planned {
	planned := []Planned{}
	for _, p := range c.CutPoints {
		if !p.AlreadyCheckpointed && len(planned) < int(most) {
			planned = append(planned, p.Planned)
		}
	}
	return planned
}

// CompactionStatus is how far a thread is summed up.
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

// StatusCheckpoint is a checkpoint, as an event has it.
type StatusCheckpoint struct {
	CheckpointID      string  `json:"checkpoint_id"`
	CutRuleID         string  `json:"cut_rule_id"`
	SummaryKind       string  `json:"summary_kind"`
	SummaryArtifactID string  `json:"summary_artifact_id"`
	ToSeq             uint64  `json:"to_seq"`
	ToMessageID       *string `json:"to_message_id"`
}

// StatusSchedule is a decision about checkpoints that were due.
type StatusSchedule struct {
	DecisionID      string    `json:"decision_id"`
	PolicyID        string    `json:"policy_id"`
	Decision        string    `json:"decision"`
	Execute         bool      `json:"execute"`
	StrideMessages  uint64    `json:"stride_messages"`
	MaxNew          uint32    `json:"max_new_checkpoints"`
	BlockOnInflight bool      `json:"block_on_inflight"`
	MessageCount    uint64    `json:"message_count"`
	CutRuleID       string    `json:"cut_rule_id"`
	Planned         []Planned `json:"planned"`
	JobID           *string   `json:"job_id"`
	JobKind         *string   `json:"job_kind"`
	ActorID         string    `json:"actor_id"`
	Origin          string    `json:"origin"`
	Seq             uint64    `json:"seq"`
	TimestampMS     uint64    `json:"timestamp_ms"`
}

// StatusJob is how a compaction came out.
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

// CreatedHere is a checkpoint that a job has made.
type CreatedHere struct {
	CheckpointID      string `json:"checkpoint_id"`
	SummaryArtifactID string `json:"summary_artifact_id"`
	ToSeq             uint64 `json:"to_seq"`
	ToMessageID       string `json:"to_message_id"`
	CutRuleID         string `json:"cut_rule_id"`
}

// StrideRequest names a stride.
type StrideRequest struct {
	StrideMessages *uint64 `json:"stride_messages,omitempty" min:"1" doc:"number of messages per cut; default: 10,000"`
}

// CompactionStatus returns how far a thread is compacted, and what is due by
// the stride.
func (s *Store) CompactionStatus(_ context.Context, id string, r StrideRequest) (CompactionStatus, error) {
	every, err := strideOf(r.StrideMessages)
	if err != nil {
		return CompactionStatus{}, err
	}
	j, release, err := s.thread(id)
	if err != nil {
		return CompactionStatus{}, err
	}
	defer release()
	points, err := cutPoints(j, id, every, maxCutPoints)
	if err != nil {
		return CompactionStatus{}, err
	}
	status := CompactionStatus{ThreadID: id, StrideMessages: every, MessageCount: points.MessageCount}
	if due := points.due(1); len(due) > 0 {
		status.NextCutPoint = &due[0]
	}
	if status.InflightJobID, err = inflightJob(j); err != nil {
		return CompactionStatus{}, err
	}
	return status, status.read(j)
}

func (status *CompactionStatus) read(j *journal.Journal) error {
	e, ok, err := latestCheckpoint(j, math.MaxUint64, math.MaxUint64, "")
	if err != nil {
		return err
	}
	if ok {
		p := e.Payload.(*CheckpointCreated)
		status.LatestCheckpoint = &StatusCheckpoint{p.CheckpointID, p.CutRuleID, p.SummaryKind, p.SummaryArtifactID, p.ToSeq, p.ToMessageID}
	}
	err = newest(j, listSchedules, func(e Event, p *ScheduleDecided) bool {
		status.LastSchedule = &StatusSchedule{p.DecisionID, p.PolicyID, p.Decision, p.Execute, p.StrideMessages, p.MaxNew, p.BlockOnInflight,
			p.MessageCount, p.CutRuleID, append([]Planned{}, p.Planned...), p.JobID, p.JobKind, p.ActorID, p.Origin, e.Seq, e.TimestampMS}
		return false
	})
	if err != nil {
		return err
	}
	read := 0
	return newest(j, listJobsEnded, func(e Event, p *JobEnded) bool {
		if p.JobKind == summarizerJob {
			status.LastJob = &StatusJob{p.JobID, p.JobKind, p.Status, p.Error, createdBy(p.Result), p.ActorID, p.Origin, e.Seq, e.TimestampMS}
			return false
		}
		read++
		return read < maxJobsRead
	})
}

// createdBy reads the result of a job. One in another form says nothing.
func createdBy(result json.RawMessage) []CreatedHere {
	var r struct{ Created []CreatedHere }
	if result == nil || json.Unmarshal(result, &r) != nil || r.Created == nil {
		return []CreatedHere{}
	}
	return r.Created
}

// summarizerJob is the kind of job that makes checkpoints.
const summarizerJob = "compaction_summarizer_v1"

// maxJobsRead is how many jobs are looked back over: one that was killed long
// ago holds up nothing.
const maxJobsRead = 64

// inflightJob is the newest job that makes checkpoints and has not ended.
func inflightJob(j *journal.Journal) (id *string, err error) {
	read := 0
	var findErr error
	err = newest(j, listJobsBegun, func(_ Event, p *JobSpawned) bool {
		if p.JobKind == summarizerJob {
			var ended bool
			if ended, findErr = jobEnded(j, p.JobID); findErr == nil && !ended {
				id = &p.JobID
			}
		}
		read++
		return id == nil && findErr == nil && read < maxJobsRead
	})
	if err == nil {
		err = findErr
	}
	return id, err
}

func jobEnded(j *journal.Journal, id string) (bool, error) {
	positions, err := j.Find(jobKey(id))
	for _, pos := range positions {
		e, err := eventAt(j, pos)
		if err != nil {
			return false, err
		}
		if _, ok := e.Payload.(*JobEnded); ok {
			return true, nil
		}
	}
	return false, err
}
