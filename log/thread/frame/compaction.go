package frame

import (
	"encoding/json"

	"handoff/internal/json/jsoncodec"
)

// CheckpointCreated records that a summary replaces a thread up to a message.
type CheckpointCreated struct {
	CheckpointID      string // the id of the frame
	CutRuleID         string // "manual_v1" or "stride_messages_v1/<n>"
	SummaryKind       string // "cumulative_v1"
	SummaryArtifactID string
	FromSeq           uint64
	FromMessageID     *string
	ToSeq             uint64
	ToMessageID       *string
	ActorID, Origin   string
}

func (*CheckpointCreated) Type() string { return "continuity_compaction_checkpoint_created" }

func (p *CheckpointCreated) fields(c *codec) {
	c.Text("checkpoint_id", &p.CheckpointID)
	c.Text("cut_rule_id", &p.CutRuleID)
	c.Text("summary_kind", &p.SummaryKind)
	c.Text("summary_artifact_id", &p.SummaryArtifactID)
	c.Number("from_seq", &p.FromSeq)
	c.OmitText("from_message_id", &p.FromMessageID)
	c.Number("to_seq", &p.ToSeq)
	c.OmitText("to_message_id", &p.ToMessageID)
	actor(c, &p.ActorID, &p.Origin)
}

// ScheduleDecided is a decision on the checkpoints that are due.
type ScheduleDecided struct {
	DecisionID string `json:"decision_id"` // the id of the frame
	Schedule
	Reason  json.RawMessage `json:"-"` // nil for none
	ActorID string          `json:"actor_id"`
	Origin  string          `json:"origin"`
}

// Schedule is a decision with what it was based on.
type Schedule struct {
	PolicyID        string    `json:"policy_id"`
	Decision        string    `json:"decision"` // "scheduled", "skipped_inflight"
	Execute         bool      `json:"execute"`
	StrideMessages  uint64    `json:"stride_messages"`
	MaxNew          uint32    `json:"max_new_checkpoints"`
	BlockOnInflight bool      `json:"block_on_inflight"`
	MessageCount    uint64    `json:"message_count"`
	CutRuleID       string    `json:"cut_rule_id"`
	Planned         []Planned `json:"planned"`
	JobID           *string   `json:"job_id"`
	JobKind         *string   `json:"job_kind"`
}

func (*ScheduleDecided) Type() string { return "continuity_compaction_auto_schedule_decided" }

func (p *ScheduleDecided) fields(c *codec) {
	c.Text("decision_id", &p.DecisionID)
	c.Text("policy_id", &p.PolicyID)
	c.Text("decision", &p.Decision)
	c.Bool("execute", &p.Execute)
	c.Number("stride_messages", &p.StrideMessages)
	c.Uint32("max_new_checkpoints", &p.MaxNew)
	c.Bool("block_on_inflight", &p.BlockOnInflight)
	c.Number("message_count", &p.MessageCount)
	c.Text("cut_rule_id", &p.CutRuleID)
	jsoncodec.Records(c, "planned", &p.Planned, (*Planned).fields)
	c.OmitText("job_id", &p.JobID)
	c.OmitText("job_kind", &p.JobKind)
	c.OmitValue("reason", &p.Reason)
	actor(c, &p.ActorID, &p.Origin)
}

// Planned is a message at which a checkpoint is due.
type Planned struct {
	TargetMessageOrdinal uint64 `json:"target_message_ordinal"` // from 1
	ToSeq                uint64 `json:"to_seq"`
	ToMessageID          string `json:"to_message_id"`
}

func (p *Planned) fields(c *codec) {
	c.Number("target_message_ordinal", &p.TargetMessageOrdinal)
	c.Number("to_seq", &p.ToSeq)
	c.Text("to_message_id", &p.ToMessageID)
}

// JobSpawned records that a job was started.
type JobSpawned struct {
	JobID, JobKind  string
	Details         json.RawMessage // nil for none
	ActorID, Origin string
}

func (*JobSpawned) Type() string { return "continuity_job_spawned" }

func (p *JobSpawned) fields(c *codec) {
	c.Text("job_id", &p.JobID)
	c.Text("job_kind", &p.JobKind)
	c.OmitValue("details", &p.Details)
	actor(c, &p.ActorID, &p.Origin)
}

// JobEnded records that a job has ended.
type JobEnded struct {
	JobID, JobKind  string
	Status          string          // "completed", "failed"
	Result          json.RawMessage // nil for none
	Error           *string
	ActorID, Origin string
}

func (*JobEnded) Type() string { return "continuity_job_ended" }

func (p *JobEnded) fields(c *codec) {
	c.Text("job_id", &p.JobID)
	c.Text("job_kind", &p.JobKind)
	c.Text("status", &p.Status)
	c.OmitValue("result", &p.Result)
	c.OmitText("error", &p.Error)
	actor(c, &p.ActorID, &p.Origin)
}
