package frame

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"handoff/internal/json/jsoncodec"
)

// Created is the first frame of a thread.
type Created struct {
	Workspace string // the root of the workspace, as it was given
	Title     *string
}

func (*Created) Type() string { return "continuity_created" }

func (p *Created) fields(c *codec) {
	c.Text("workspace", &p.Workspace)
	c.NullText("title", &p.Title)
}

// Message is a message of the thread. The id of its frame is the message's id.
type Message struct{ ActorID, Origin, Content string }

func (*Message) Type() string { return "continuity_message_appended" }

func (p *Message) fields(c *codec) {
	actor(c, &p.ActorID, &p.Origin)
	c.Text("content", &p.Content)
}

// RunSpawned records that a run was started for a message.
type RunSpawned struct {
	RunSessionID, MessageID string
	ActorID, Origin         *string
}

func (*RunSpawned) Type() string { return "continuity_run_spawned" }

func (p *RunSpawned) fields(c *codec) {
	c.Text("run_session_id", &p.RunSessionID)
	c.Text("message_id", &p.MessageID)
	c.OmitText("actor_id", &p.ActorID)
	c.OmitText("origin", &p.Origin)
}

// RunEnded records that a run has ended.
type RunEnded struct {
	RunSessionID, MessageID string
	Reason                  string // "completed", "cancelled", "provider_error", …
	ActorID, Origin         *string
	Partial                 json.RawMessage // "true" if it was cancelled here: what it had said may be a part of an answer; else nil
}

func (*RunEnded) Type() string { return "continuity_run_ended" }

func (p *RunEnded) fields(c *codec) {
	c.Text("run_session_id", &p.RunSessionID)
	c.Text("message_id", &p.MessageID)
	c.Text("reason", &p.Reason)
	c.OmitText("actor_id", &p.ActorID)
	c.OmitText("origin", &p.Origin)
	c.OmitValue("handoff_partial", &p.Partial) // RIP ignores it
}

// SelectionDecided lists the inputs that were selected for a run's context.
type SelectionDecided struct {
	RunSessionID     string               `json:"run_session_id"`
	MessageID        string               `json:"message_id"`
	CompilerID       string               `json:"compiler_id"`
	CompilerStrategy string               `json:"compiler_strategy"`
	Limits           json.RawMessage      `json:"limits" doc:"what bounded the context, a JSON object"`
	Checkpoint       *SelectedCheckpoint  `json:"compaction_checkpoint"`
	Checkpoints      []SelectedCheckpoint `json:"compaction_checkpoints,omitempty"`
	Resets           []Reset              `json:"resets"`
	Reason           json.RawMessage      `json:"reason" doc:"why it was decided so, a JSON object; null if that is not known"` // nil for none
	ActorID          string               `json:"actor_id"`
	Origin           string               `json:"origin"`
}

func (*SelectionDecided) Type() string { return "continuity_context_selection_decided" }

func (p *SelectionDecided) fields(c *codec) {
	c.Text("run_session_id", &p.RunSessionID)
	c.Text("message_id", &p.MessageID)
	c.Text("compiler_id", &p.CompilerID)
	c.Text("compiler_strategy", &p.CompilerStrategy)
	c.Value("limits", &p.Limits)
	jsoncodec.OmitRecord(c, "compaction_checkpoint", &p.Checkpoint, (*SelectedCheckpoint).fields)
	jsoncodec.OmitRecords(c, "compaction_checkpoints", &p.Checkpoints, (*SelectedCheckpoint).fields)
	jsoncodec.OmitRecords(c, "resets", &p.Resets, (*Reset).fields)
	c.OmitValue("reason", &p.Reason)
	actor(c, &p.ActorID, &p.Origin)
}

// SelectedCheckpoint is a checkpoint that a context starts from.
type SelectedCheckpoint struct {
	CheckpointID      string `json:"checkpoint_id"`
	SummaryKind       string `json:"summary_kind"`
	SummaryArtifactID string `json:"summary_artifact_id"`
	ToSeq             uint64 `json:"to_seq"`
}

func (s *SelectedCheckpoint) fields(c *codec) {
	c.Text("checkpoint_id", &s.CheckpointID)
	c.Text("summary_kind", &s.SummaryKind)
	c.Text("summary_artifact_id", &s.SummaryArtifactID)
	c.Number("to_seq", &s.ToSeq)
}

// Reset records that an input of a context was not used, or only in part.
type Reset struct {
	Input  string          `json:"input"`
	Action string          `json:"action"`
	Reason string          `json:"reason"`
	Ref    json.RawMessage `json:"ref" doc:"what caused it, a JSON object; null for none"` // nil for none
}

func (r *Reset) fields(c *codec) {
	c.Text("input", &r.Input)
	c.Text("action", &r.Action)
	c.Text("reason", &r.Reason)
	c.OmitValue("ref", &r.Ref)
}

// ContextCompiled links the context bundle that was passed to a run.
type ContextCompiled struct {
	RunSessionID, BundleArtifactID string
	CompilerID, CompilerStrategy   string
	FromSeq                        uint64
	FromMessageID                  *string
	ActorID, Origin                string
}

func (*ContextCompiled) Type() string { return "continuity_context_compiled" }

func (p *ContextCompiled) fields(c *codec) {
	c.Text("run_session_id", &p.RunSessionID)
	c.Text("bundle_artifact_id", &p.BundleArtifactID)
	c.Text("compiler_id", &p.CompilerID)
	c.Text("compiler_strategy", &p.CompilerStrategy)
	c.Number("from_seq", &p.FromSeq)
	c.OmitText("from_message_id", &p.FromMessageID)
	actor(c, &p.ActorID, &p.Origin)
}

// CursorUpdated records where a provider can resume.
type CursorUpdated struct {
	Provider     string          `json:"provider"`
	Endpoint     *string         `json:"endpoint"`
	Model        *string         `json:"model"`
	Cursor       json.RawMessage `json:"cursor" doc:"what the provider gave, any JSON; null for none"` // nil for none, as after a rotation
	Action       string          `json:"action"`                                                       // "set", "rotated"
	Reason       *string         `json:"reason"`
	RunSessionID *string         `json:"run_session_id"`
	ActorID      string          `json:"actor_id"`
	Origin       string          `json:"origin"`
}

// Number is a hash of the provider, endpoint and model: events about the same cursor have the same number.
func (p *CursorUpdated) Number() uint64 {
	h := sha256.New()
	for _, text := range []*string{&p.Provider, p.Endpoint, p.Model} {
		if text == nil {
			h.Write([]byte{0})
			continue
		}
		h.Write(binary.LittleEndian.AppendUint64([]byte{1}, uint64(len(*text))))
		h.Write([]byte(*text))
	}
	return binary.LittleEndian.Uint64(h.Sum(nil))
}

func (*CursorUpdated) Type() string { return "continuity_provider_cursor_updated" }

func (p *CursorUpdated) fields(c *codec) {
	c.Text("provider", &p.Provider)
	c.OmitText("endpoint", &p.Endpoint)
	c.OmitText("model", &p.Model)
	c.NullValue("cursor", &p.Cursor)
	c.Text("action", &p.Action)
	c.OmitText("reason", &p.Reason)
	c.OmitText("run_session_id", &p.RunSessionID)
	actor(c, &p.ActorID, &p.Origin)
}

// SideEffects records what a tool did to the workspace.
type SideEffects struct {
	RunSessionID     string
	ToolID, ToolName string
	AffectedPaths    []string // nil if unknown, as for a shell
	CheckpointID     *string
	ActorID, Origin  string
}

func (*SideEffects) Type() string { return "continuity_tool_side_effects" }

func (p *SideEffects) fields(c *codec) {
	c.Text("run_session_id", &p.RunSessionID)
	c.Text("tool_id", &p.ToolID)
	c.Text("tool_name", &p.ToolName)
	c.NullTexts("affected_paths", &p.AffectedPaths)
	c.NullText("checkpoint_id", &p.CheckpointID)
	actor(c, &p.ActorID, &p.Origin)
}

// Branched is the second frame of a thread that continues another one from a
// cut: it inherits everything before the cut.
type Branched struct {
	ParentThreadID  string
	ParentSeq       uint64
	ParentMessageID *string // the last message before the cut
	ActorID, Origin string
}

func (*Branched) Type() string { return "continuity_branched" }

func (p *Branched) fields(c *codec) {
	c.Text("parent_thread_id", &p.ParentThreadID)
	c.Number("parent_seq", &p.ParentSeq)
	c.OmitText("parent_message_id", &p.ParentMessageID)
	actor(c, &p.ActorID, &p.Origin)
}

// HandedOff is the second frame of a thread that starts from a summary of
// another.
type HandedOff struct {
	FromThreadID      string
	FromSeq           uint64
	FromMessageID     *string
	SummaryArtifactID *string // a handoff bundle
	SummaryMarkdown   *string
	ActorID, Origin   string
}

func (*HandedOff) Type() string { return "continuity_handoff_created" }

func (p *HandedOff) fields(c *codec) {
	c.Text("from_thread_id", &p.FromThreadID)
	c.Number("from_seq", &p.FromSeq)
	c.OmitText("from_message_id", &p.FromMessageID)
	c.OmitText("summary_artifact_id", &p.SummaryArtifactID)
	c.OmitText("summary_markdown", &p.SummaryMarkdown)
	actor(c, &p.ActorID, &p.Origin)
}

// ThreadReferenced refers to another thread up to a cut, whose context may be compiled with that of this one. RIP plans
// the frame and cannot read it yet.
type ThreadReferenced struct {
	FromThreadID        string // the thread with this frame
	ToThreadID          string // the other thread
	Selector            json.RawMessage
	ExtractedArtifactID *string // nil: the context is that of the thread's own events
	ActorID, Origin     string
}

func (*ThreadReferenced) Type() string { return "continuity_thread_referenced" }

func (p *ThreadReferenced) fields(c *codec) {
	c.Text("from_thread_id", &p.FromThreadID)
	c.Text("to_thread_id", &p.ToThreadID)
	c.Value("selector", &p.Selector)
	c.NullText("extracted_artifact_id", &p.ExtractedArtifactID)
	actor(c, &p.ActorID, &p.Origin)
}

func actor(c *codec, actorID, origin *string) {
	c.Text("actor_id", actorID)
	c.Text("origin", origin)
}
