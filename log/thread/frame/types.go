package frame

// Payload is the content of a frame besides its envelope: a pointer to one of
// the structs of this package. Pointers in a struct are nil for absent fields.
type Payload interface {
	// Type is the value of the frame's field "type".
	Type() string
	fields(*codec)
}

// payloadTypes are the types that have a struct.
var payloadTypes = [...]struct {
	name string
	new  func() Payload
	doc  string
}{
	{"continuity_created", of[Created], "First event of a thread."},
	{"continuity_message_appended", of[Message], "A message of the thread. The event's id is the message ID."},
	{"continuity_run_spawned", of[RunSpawned], "A run was started for a message."},
	{"continuity_context_selection_decided", of[SelectionDecided], "Inputs selected for a run's context."},
	{"continuity_context_compiled", of[ContextCompiled], "The context bundle passed to a run."},
	{"continuity_provider_cursor_updated", of[CursorUpdated], "A provider's cursor was saved or invalidated."},
	{"continuity_compaction_checkpoint_created", of[CheckpointCreated], "A summary replaces the thread up to a message."},
	{"continuity_compaction_auto_schedule_decided", of[ScheduleDecided], "Decision on the checkpoints that are due."},
	{"continuity_job_spawned", of[JobSpawned], "A job was started."},
	{"continuity_job_ended", of[JobEnded], "A job ended."},
	{"continuity_run_ended", of[RunEnded], "A run ended."},
	{"continuity_tool_side_effects", of[SideEffects], "Side effects of a tool on the workspace; affected_paths is null if unknown."},
	{"continuity_branched", of[Branched], "Second event of a thread created by branching another."},
	{"continuity_handoff_created", of[HandedOff], "Second event of a thread created by a handoff from another."},
	{"continuity_thread_referenced", of[ThreadReferenced], "Reference to another thread up to a cut; RIP plans this event and cannot read it."},
	{"session_started", of[SessionStarted], "First event of a run."},
	{"output_text_delta", of[OutputDelta], "A chunk of a run's output."},
	{"session_ended", of[SessionEnded], "Last event of a run."},
	{"tool_started", of[ToolStarted], "A run called a tool."},
	{"tool_stdout", of[ToolStdout], "A chunk of a tool's standard output."},
	{"tool_stderr", of[ToolStderr], "A chunk of a tool's standard error."},
	{"tool_ended", of[ToolEnded], "A tool call ended."},
	{"tool_failed", of[ToolFailed], "A tool call failed."},
}

func of[T any, P interface {
	*T
	Payload
}]() Payload {
	return P(new(T))
}

// newPayload is nil for a type that has no struct.
func newPayload(name string) Payload {
	if name == "output" { // in older logs
		name = "output_text_delta"
	}
	for i := range payloadTypes {
		if payloadTypes[i].name == name {
			return payloadTypes[i].new()
		}
	}
	return nil
}
