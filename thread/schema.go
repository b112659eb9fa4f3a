package thread

import (
	"strings"

	"handoff/internal/jsoncodec"
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
	{"continuity_created", "The first frame of a thread."},
	{"continuity_message_appended", "A message of the thread. The id of the frame is the message's id."},
	{"continuity_run_spawned", "A run was started for a message."},
	{"continuity_context_selection_decided", "What a run's context was to be compiled from."},
	{"continuity_context_compiled", "The context bundle that a run was given."},
	{"continuity_provider_cursor_updated", "What a provider would go on from."},
	{"continuity_compaction_checkpoint_created", "A summary stands for the thread up to a message."},
	{"continuity_compaction_auto_schedule_decided", "Whether checkpoints that are due were made."},
	{"continuity_job_spawned", "A job was begun."},
	{"continuity_job_ended", "How a job came out."},
	{"continuity_run_ended", "How a run came out."},
	{"continuity_tool_side_effects", "What a tool did to the workspace; affected_paths is null where nobody knows."},
	{"continuity_branched", "The second frame of a thread that goes on from a cut through another."},
	{"continuity_handoff_created", "The second frame of a thread that starts from a summary of another."},
	{"session_started", "The first frame of a run."},
	{"output_text_delta", "A piece of what a run says."},
	{"session_ended", "The last frame of a run."},
	{"tool_started", "A run called a tool."},
	{"tool_stdout", "A piece of a tool's output."},
	{"tool_stderr", "A piece of a tool's complaints."},
	{"tool_ended", "How a tool came out."},
	{"tool_failed", "A tool could not be called."},
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
			s.add(t.name, t.stream, "A frame of RIP's.", otherFields(t.fields))
		}
	}
	s.named[ThreadFrame] = object{"anyOf": s.of[Continuity], "description": "A frame of a thread, by its type."}
	s.named[SessionFrame] = object{"anyOf": s.of[Session], "description": "A frame of a run, by its type."}
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
