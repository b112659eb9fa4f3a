package thread

import (
	"strings"

	"handoff/internal/json/jsoncodec"
)

// otherFields are those of a frame without a struct.
func otherFields(spec string) (list []jsoncodec.Field) {
	for one := range strings.FieldsSeq(spec) {
		name, how, _ := strings.Cut(one, ":")
		how, mayMiss := strings.CutSuffix(how, "?")
		list = append(list, jsoncodec.Field{Name: name, How: how, Omitted: mayMiss, Null: mayMiss})
	}
	return list
}

// described are the frames that have a struct.
var described = [...]struct{ name, doc string }{
	{"continuity_created", "First event of a thread."},
	{"continuity_message_appended", "A message of the thread. The event's id is the message ID."},
	{"continuity_run_spawned", "A run was started for a message."},
	{"continuity_context_selection_decided", "Inputs selected for a run's context."},
	{"continuity_context_compiled", "The context bundle passed to a run."},
	{"continuity_provider_cursor_updated", "A provider's cursor was saved or invalidated."},
	{"continuity_compaction_checkpoint_created", "A summary replaces the thread up to a message."},
	{"continuity_compaction_auto_schedule_decided", "Decision on the checkpoints that are due."},
	{"continuity_job_spawned", "A job was started."},
	{"continuity_job_ended", "A job ended."},
	{"continuity_run_ended", "A run ended."},
	{"continuity_tool_side_effects", "Side effects of a tool on the workspace; affected_paths is null if unknown."},
	{"continuity_branched", "Second event of a thread created by branching another."},
	{"continuity_handoff_created", "Second event of a thread created by a handoff from another."},
	{"session_started", "First event of a run."},
	{"output_text_delta", "A chunk of a run's output."},
	{"session_ended", "Last event of a run."},
	{"tool_started", "A run called a tool."},
	{"tool_stdout", "A chunk of a tool's standard output."},
	{"tool_stderr", "A chunk of a tool's standard error."},
	{"tool_ended", "A tool call ended."},
	{"tool_failed", "A tool call failed."},
}

// Schemas of all the frames that a thread or a run can have.
const (
	ThreadFrame  = "ThreadFrame"
	SessionFrame = "SessionFrame"
)

// Schemas describe the frames as they are written, each as JSON Schema 2020-12
// under a name of its own, and those of threads and of runs under
// [ThreadFrame] and [SessionFrame]. They refer to each other among the
// components of an OpenAPI document.
func Schemas() map[string]any {
	s := frameSchemas{named: map[string]any{}, of: map[StreamKind][]any{}}
	for _, d := range described {
		p := newPayload(d.name)
		s.add(d.name, Event{Payload: p}.Kind(), d.doc, jsoncodec.Fields(p.fields))
	}
	for _, t := range otherTypes {
		if t.stream == Session { // the tasks are RIP's alone
			s.add(t.name, t.stream, "An event defined by RIP.", otherFields(t.fields))
		}
	}
	s.named[ThreadFrame] = object{"anyOf": s.of[Continuity], "description": "An event of a thread, by type."}
	s.named[SessionFrame] = object{"anyOf": s.of[Session], "description": "An event of a run, by type."}
	return s.named
}

type object = map[string]any

type frameSchemas struct {
	named object
	of    map[StreamKind][]any // references
}

func (s *frameSchemas) add(kind string, stream StreamKind, doc string, fields []jsoncodec.Field) {
	o := jsoncodec.Schema(append([]jsoncodec.Field{{Name: "id", How: "text"}, {Name: "session_id", How: "text"}, {Name: "stream_kind", How: string(stream) + "|"},
		{Name: "stream_id", How: "text"}, {Name: "timestamp_ms", How: "u64"}, {Name: "seq", How: "u64"}, {Name: "type", How: kind + "|"}}, fields...))
	o["description"] = doc
	name := ""
	for word := range strings.SplitSeq(kind, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	name += "Frame"
	s.named[name] = o
	s.of[stream] = append(s.of[stream], object{"$ref": "#/components/schemas/" + name})
}
