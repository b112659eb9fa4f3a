package thread

import "encoding/json"

// CheckpointCreated says that a summary stands for a thread up to a message.
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
	c.text("checkpoint_id", &p.CheckpointID)
	c.text("cut_rule_id", &p.CutRuleID)
	c.text("summary_kind", &p.SummaryKind)
	c.text("summary_artifact_id", &p.SummaryArtifactID)
	c.number("from_seq", &p.FromSeq)
	c.skippable("from_message_id", &p.FromMessageID)
	c.number("to_seq", &p.ToSeq)
	c.skippable("to_message_id", &p.ToMessageID)
	c.actor(&p.ActorID, &p.Origin)
}

// ScheduleDecided says whether checkpoints that are due were made.
type ScheduleDecided struct {
	DecisionID      string // the id of the frame
	PolicyID        string
	Decision        string // "scheduled", "skipped_inflight"
	Execute         bool
	StrideMessages  uint64
	MaxNew          uint32
	BlockOnInflight bool
	MessageCount    uint64
	CutRuleID       string
	Planned         []Planned
	JobID, JobKind  *string
	Reason          json.RawMessage // nil for none
	ActorID, Origin string
}

func (*ScheduleDecided) Type() string { return "continuity_compaction_auto_schedule_decided" }

func (p *ScheduleDecided) fields(c *codec) {
	c.text("decision_id", &p.DecisionID)
	c.text("policy_id", &p.PolicyID)
	c.text("decision", &p.Decision)
	c.bool("execute", &p.Execute)
	c.number("stride_messages", &p.StrideMessages)
	c.number32("max_new_checkpoints", &p.MaxNew)
	c.bool("block_on_inflight", &p.BlockOnInflight)
	c.number("message_count", &p.MessageCount)
	c.text("cut_rule_id", &p.CutRuleID)
	records(c, "planned", false, &p.Planned)
	c.skippable("job_id", &p.JobID)
	c.skippable("job_kind", &p.JobKind)
	c.skippableValue("reason", &p.Reason)
	c.actor(&p.ActorID, &p.Origin)
}

// Planned is a message at which a checkpoint is due.
type Planned struct {
	TargetMessageOrdinal uint64 `json:"target_message_ordinal"` // from 1
	ToSeq                uint64 `json:"to_seq"`
	ToMessageID          string `json:"to_message_id"`
}

func (p *Planned) fields(c *codec) {
	c.number("target_message_ordinal", &p.TargetMessageOrdinal)
	c.number("to_seq", &p.ToSeq)
	c.text("to_message_id", &p.ToMessageID)
}

// JobSpawned says that a job was begun.
type JobSpawned struct {
	JobID, JobKind  string
	Details         json.RawMessage // nil for none
	ActorID, Origin string
}

func (*JobSpawned) Type() string { return "continuity_job_spawned" }

func (p *JobSpawned) fields(c *codec) {
	c.text("job_id", &p.JobID)
	c.text("job_kind", &p.JobKind)
	c.skippableValue("details", &p.Details)
	c.actor(&p.ActorID, &p.Origin)
}

// JobEnded says how a job came out.
type JobEnded struct {
	JobID, JobKind  string
	Status          string          // "completed", "failed"
	Result          json.RawMessage // nil for none
	Error           *string
	ActorID, Origin string
}

func (*JobEnded) Type() string { return "continuity_job_ended" }

func (p *JobEnded) fields(c *codec) {
	c.text("job_id", &p.JobID)
	c.text("job_kind", &p.JobKind)
	c.text("status", &p.Status)
	c.skippableValue("result", &p.Result)
	c.skippable("error", &p.Error)
	c.actor(&p.ActorID, &p.Origin)
}
