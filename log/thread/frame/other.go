package frame

import (
	"encoding/json"
	"slices"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
)

// Other is a frame whose fields have no struct here: RIP's frames of providers,
// workspace checkpoints and tasks, which are validated as RIP does, and unknown
// types, which are read and never written.
type Other struct {
	Kind   string
	Stream StreamKind
	Fields []bundle.Field
}

// Type is the frame's type.
func (p *Other) Type() string { return p.Kind }

// Field is the value of a field as JSON, nil if there is none.
func (p *Other) Field(name string) json.RawMessage {
	for _, f := range p.Fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

func (p *Other) fields(c *codec) {
	writeExtra(c, p.Fields)
}

// readOther reads all the remaining members.
func readOther(c *codec, kind, stream string) *Other {
	p := &Other{Kind: kind}
	p.Fields = rest(c)
	if t := otherType(kind); t != nil {
		p.Stream = t.stream
		checkFields(c, t.fields)
		return p
	}
	p.Stream = StreamKind(jsontext.Text(stream))
	return p
}

type otherFrame struct {
	name   string
	stream StreamKind
	fields string
}

func otherType(kind string) *otherFrame {
	for i := range otherTypes {
		if otherTypes[i].name == kind {
			return &otherTypes[i]
		}
	}
	return nil
}

// otherTypes are RIP's frames without a struct, each field with its type. A
// question mark means that it may be null or missing.
var otherTypes = [...]otherFrame{
	{"openresponses_request", Session, "endpoint:text model:text? request_index:u64 kind:text body_artifact_id:text body_bytes:u64 total_bytes:u64 truncated:bool"},
	{"openresponses_request_started", Session, "endpoint:text model:text? request_index:u64 kind:text"},
	{"openresponses_response_headers", Session, "request_index:u64 status:u16 request_id:text? content_type:text?"},
	{"openresponses_response_first_byte", Session, "request_index:u64"},
	{"provider_event", Session, "provider:text status:event|done|invalid_json event_name:text? data:any? raw:text? errors:texts response_errors:texts"},
	{"checkpoint_created", Session, "checkpoint_id:text label:text created_at_ms:u64 files:texts auto:bool tool_name:text?"},
	{"checkpoint_rewound", Session, "checkpoint_id:text label:text files:texts"},
	{"checkpoint_failed", Session, "action:create|rewind error:text"},
	{"tool_task_spawned", Task, "task_id:text tool_name:text args:any cwd:text? title:text? execution_mode:pipes|pty origin_session_id:text? artifacts:any?"},
	{"tool_task_status", Task, "task_id:text status:queued|running|exited|cancelled|failed exit_code:i32? started_at_ms:u64? ended_at_ms:u64? artifacts:any? error:text?"},
	{"tool_task_cancel_requested", Task, "task_id:text reason:text"},
	{"tool_task_cancelled", Task, "task_id:text reason:text wall_time_ms:u64?"},
	{"tool_task_output_delta", Task, "task_id:text stream:stdout|stderr|pty chunk:text artifacts:any?"},
	{"tool_task_stdin_written", Task, "task_id:text chunk_b64:text"},
	{"tool_task_resized", Task, "task_id:text rows:u16 cols:u16"},
	{"tool_task_signalled", Task, "task_id:text signal:text"},
}

// checkFields validates the fields.
func checkFields(c *codec, spec string) {
	for field := range strings.FieldsSeq(spec) {
		name, how, _ := strings.Cut(field, ":")
		how, mayMiss := strings.CutSuffix(how, "?")
		if raw := c.Raw(name); mayMiss && (raw == "" || raw == "null") {
			c.Take(name)
			continue
		}
		checkField(c, name, how)
	}
}

func checkField(c *codec, name, how string) {
	var text string
	switch how {
	case "text":
		c.Text(name, &text)
	case "u64":
		c.Number(name, new(uint64))
	case "u16":
		c.Uint(name, 16, new(uint64))
	case "i32":
		c.Int32(name, new(int32))
	case "bool":
		c.Bool(name, new(bool))
	case "texts":
		c.Texts(name, new([]string))
	case "any":
		c.Value(name, new(json.RawMessage))
	default:
		c.Text(name, &text)
		if c.Err() == nil && !slices.Contains(strings.Split(how, "|"), text) {
			c.Complain(name, "is %q, want %s", text, strings.ReplaceAll(how, "|", " or "))
		}
	}
}
