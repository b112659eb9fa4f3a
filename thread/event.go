// Package thread keeps threads: append-only streams of events, in the frames
// of RIP, one JSON object a line, one file a thread. It posts messages,
// branches, hands off, records runs and compactions, and tells what a thread
// has inherited.
//
// It knows no provider and no prompt; what a context is compiled to is for
// package compile.
package thread

import (
	"fmt"
	"slices"

	"handoff/bundle"
	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
)

// codec is given the fields of frames, each once, in their order.
type codec = jsoncodec.Codec

// StreamKind is what a stream is of.
type StreamKind string

// The streams of RIP. A continuity is a thread, a session is a run.
const (
	Continuity StreamKind = "continuity"
	Session    StreamKind = "session"
	Task       StreamKind = "task"
)

// Event is one frame of a stream. One that was read keeps its line and gives
// that back; one that was put together is written as RIP writes it.
type Event struct {
	ID          string
	StreamID    string // of the thread or run; RIP's "session_id" too
	TimestampMS uint64 // milliseconds since 1970, UTC
	Seq         uint64 // from 0 in each stream, without gaps
	Payload     Payload
	// Extra are the fields that are none of the payload's. RIP ignores them.
	Extra []bundle.Field

	line string
}

// Kind is the kind of the stream that the event stands in. As for RIP, it is
// the type that tells; only of one that is not known, what the line says.
func (e Event) Kind() StreamKind {
	if other, ok := e.Payload.(*Other); ok {
		if t := otherType(other.Kind); t != nil {
			return t.stream
		}
		return other.Stream
	}
	if _, ok := e.Payload.(sessionFrame); ok {
		return Session
	}
	return Continuity
}

// Artifact is the artifact that the event cannot be understood without, as it
// is written there, "" for none: the bundle of a handoff or a context, the
// summary of a checkpoint.
func (e Event) Artifact() string {
	switch p := e.Payload.(type) {
	case *HandedOff:
		if p.SummaryArtifactID != nil {
			return *p.SummaryArtifactID
		}
	case *CheckpointCreated:
		return p.SummaryArtifactID
	case *ContextCompiled:
		return p.BundleArtifactID
	}
	return ""
}

// Known reports whether RIP knows the event's type. One type that it does not
// know makes a whole store unreadable to it.
func (e Event) Known() bool {
	other, ok := e.Payload.(*Other)
	return !ok || otherType(other.Kind) != nil
}

// Parse reads a line, which may have its newline still. It is as strict as
// RIP, for which one bad line spoils a store: UTF-8, whole numbers in plain
// digits, no field twice. The names that older versions used are read.
//
// A type that is not known is read as [Other].
func Parse(line []byte) (Event, error) {
	src := string(line)
	if n := len(src); n > 0 && src[n-1] == '\n' {
		src = src[:n-1]
	}
	e := Event{line: src}
	if err := jsoncodec.Read(jsontext.Strict, src, e.read); err != nil {
		return Event{}, err
	}
	return e, nil
}

func (e *Event) read(c *codec) {
	var kind string
	c.Text("id", &e.ID)
	c.Text("session_id", &e.StreamID)
	stream := c.Take("stream_kind") // it is the type that counts,
	c.Take("stream_id")             // and the session_id
	c.Number("timestamp_ms", &e.TimestampMS)
	c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload = newPayload(kind)
	if e.Payload == nil {
		e.Payload = readOther(c, kind, stream)
	} else {
		e.Payload.fields(c)
		e.Extra = rest(c)
	}
}

// rest are the members that were not taken.
func rest(c *codec) (fields []bundle.Field) {
	c.Rest(func(name, value string) { fields = append(fields, bundle.Field{Name: name, Value: []byte(value)}) })
	return fields
}

// Line is the event as a line without its newline: the bytes that it was read
// from, or else those that RIP would write. The error tells what RIP could not
// read: a type that it does not know, text that is not UTF-8, a value that is
// not JSON.
func (e Event) Line() ([]byte, error) {
	if e.line != "" {
		return []byte(e.line), nil
	}
	if e.Payload == nil {
		return nil, fmt.Errorf("event %s has no payload", e.ID)
	}
	line, err := jsoncodec.Write(jsontext.Strict, make([]byte, 0, 512), e.write)
	if err == nil {
		err = e.readable(line)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Payload.Type(), err)
	}
	return line, nil
}

func (e *Event) write(c *codec) {
	stream, kind := string(e.Kind()), e.Payload.Type()
	c.Text("id", &e.ID)
	c.Text("session_id", &e.StreamID)
	c.Text("stream_kind", &stream)
	c.Text("stream_id", &e.StreamID)
	c.Number("timestamp_ms", &e.TimestampMS)
	c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload.fields(c)
	writeExtra(c, e.Extra)
}

func writeExtra(c *codec, extra []bundle.Field) {
	for i := range extra {
		c.Value(extra[i].Name, &extra[i].Value)
	}
}

// readable checks that what was written can be read, by RIP too. Fields that
// have a struct can: reading and writing them is one list.
func (e *Event) readable(line []byte) error {
	if !e.Known() {
		return fmt.Errorf("not an event type of RIP")
	}
	if _, other := e.Payload.(*Other); !other && len(e.Extra) == 0 {
		return nil
	}
	back, err := Parse(line)
	if err == nil && len(back.Extra) != len(e.Extra) {
		err = fmt.Errorf("an additional field has the name of a known one")
	}
	return err
}

// MarshalJSON is [Event.Line].
func (e Event) MarshalJSON() ([]byte, error) { return e.Line() }

// Equal reports whether two events have the same line.
func (e Event) Equal(other Event) bool {
	a, errA := e.Line()
	b, errB := other.Line()
	return errA == nil && errB == nil && slices.Equal(a, b)
}

// newPayload is nil for a type that has no struct.
func newPayload(kind string) Payload {
	switch kind {
	case "continuity_created":
		return new(Created)
	case "continuity_message_appended":
		return new(Message)
	case "continuity_run_spawned":
		return new(RunSpawned)
	case "continuity_context_selection_decided":
		return new(SelectionDecided)
	case "continuity_context_compiled":
		return new(ContextCompiled)
	case "continuity_provider_cursor_updated":
		return new(CursorUpdated)
	case "continuity_compaction_checkpoint_created":
		return new(CheckpointCreated)
	case "continuity_compaction_auto_schedule_decided":
		return new(ScheduleDecided)
	case "continuity_job_spawned":
		return new(JobSpawned)
	case "continuity_job_ended":
		return new(JobEnded)
	case "continuity_run_ended":
		return new(RunEnded)
	case "continuity_tool_side_effects":
		return new(SideEffects)
	case "continuity_branched":
		return new(Branched)
	case "continuity_handoff_created":
		return new(HandedOff)
	}
	return newSessionPayload(kind)
}

func newSessionPayload(kind string) Payload {
	switch kind {
	case "session_started":
		return new(SessionStarted)
	case "output_text_delta", "output": // output in older logs
		return new(OutputDelta)
	case "session_ended":
		return new(SessionEnded)
	case "tool_started":
		return new(ToolStarted)
	case "tool_stdout":
		return new(ToolStdout)
	case "tool_stderr":
		return new(ToolStderr)
	case "tool_ended":
		return new(ToolEnded)
	case "tool_failed":
		return new(ToolFailed)
	}
	return nil
}

// sessionFrame marks the frames of runs.
type sessionFrame interface{ ofSession() }

func (*SessionStarted) ofSession() {}
func (*OutputDelta) ofSession()    {}
func (*SessionEnded) ofSession()   {}
func (*ToolStarted) ofSession()    {}
func (*ToolStdout) ofSession()     {}
func (*ToolStderr) ofSession()     {}
func (*ToolEnded) ofSession()      {}
func (*ToolFailed) ofSession()     {}
