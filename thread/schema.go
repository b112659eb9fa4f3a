package thread

import (
	"encoding/json"
	"strings"
)

// field is what is known of a field of a frame without any frame at hand.
type field struct {
	name    string
	how     string // as in otherTypes; record and records have an inner
	skipped bool   // left out when there is none
	null    bool   // null when there is none
	inner   []field
}

// noted reports whether the codec only notes fields, as it then did.
func (c *codec) noted(f field) bool {
	if c.notes != nil {
		*c.notes = append(*c.notes, f)
	}
	return c.notes != nil
}

// fieldsOf are the fields of a record as they are written.
func fieldsOf(r record) (list []field) {
	r.fields(&codec{writing: true, notes: &list})
	return list
}

// otherFields are those of a frame without a struct.
func otherFields(spec string) (list []field) {
	for one := range strings.FieldsSeq(spec) {
		name, how, _ := strings.Cut(one, ":")
		how, mayMiss := strings.CutSuffix(how, "?")
		list = append(list, field{name: name, how: how, skipped: mayMiss, null: mayMiss})
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
		s.add(d.name, Event{Payload: p}.Kind(), d.doc, fieldsOf(p))
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

func (s *frameSchemas) add(kind string, stream StreamKind, doc string, fields []field) {
	o := objectSchema(append([]field{{name: "id", how: "text"}, {name: "session_id", how: "text"}, {name: "stream_kind", how: string(stream) + "|"},
		{name: "stream_id", how: "text"}, {name: "timestamp_ms", how: "u64"}, {name: "seq", how: "u64"}, {name: "type", how: kind + "|"}}, fields...))
	o["description"] = doc
	name := ""
	for word := range strings.SplitSeq(kind, "_") {
		name += strings.ToUpper(word[:1]) + word[1:]
	}
	name += "Frame"
	s.named[name] = o
	s.of[stream] = append(s.of[stream], object{"$ref": "#/components/schemas/" + name})
}

func objectSchema(fields []field) object {
	properties, required := object{}, []string{}
	for _, f := range fields {
		properties[f.name] = f.schema()
		if !f.skipped {
			required = append(required, f.name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

func (f field) schema() object {
	o := f.plain()
	if kind, ok := o["type"]; ok && f.null {
		o["type"] = []any{kind, "null"}
	}
	return o
}

func (f field) plain() object {
	switch f.how {
	case "text":
		return object{"type": "string"}
	case "u64":
		return object{"type": "integer", "format": "uint64", "minimum": 0, "maximum": json.Number("18446744073709551615")}
	case "u32":
		return object{"type": "integer", "format": "uint32", "minimum": 0, "maximum": json.Number("4294967295")}
	case "u16":
		return object{"type": "integer", "minimum": 0, "maximum": 65535}
	case "i32":
		return object{"type": "integer", "minimum": -1 << 31, "maximum": 1<<31 - 1}
	case "bool":
		return object{"type": "boolean"}
	case "any":
		return object{}
	case "texts":
		return object{"type": "array", "items": object{"type": "string"}}
	case "record":
		return objectSchema(f.inner)
	case "records":
		return object{"type": "array", "items": objectSchema(f.inner)}
	}
	return object{"type": "string", "enum": strings.Split(strings.TrimSuffix(f.how, "|"), "|")}
}
