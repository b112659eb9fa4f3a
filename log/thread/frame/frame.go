// Package frame reads, writes and describes the events of threads and runs, in
// the frames of RIP: one JSON object a line. One list of fields for each type
// does all three.
//
// It knows no files: package thread stores the lines.
package frame

import (
	"fmt"
	"slices"
	"strings"

	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
)

// codec visits the fields of a frame, each once, in order.
type codec = jsoncodec.Codec

// StreamKind is the kind of a stream.
type StreamKind string

// The kinds of RIP's streams. A continuity is a thread, a session is a run.
const (
	Continuity StreamKind = "continuity"
	Session    StreamKind = "session"
	Task       StreamKind = "task"
)

// Event is one frame of a stream. An event that was read keeps its line and is
// written as that line; a new event is written as RIP writes it.
type Event struct {
	ID          string
	StreamID    string // of the thread or run; RIP's "session_id" too
	TimestampMS uint64 // milliseconds since 1970, UTC
	Seq         uint64 // from 0 in each stream, without gaps
	Payload     Payload
	// Extra are fields that the payload does not have. RIP ignores them.
	Extra []bundle.Field

	line string
}

// Kind is the kind of the stream that the event belongs to. As in RIP the type
// decides; only for a type that RIP does not know, the line's own field does.
func (e Event) Kind() StreamKind {
	if other, ok := e.Payload.(*Other); ok {
		if t := otherType(other.Kind); t != nil {
			return t.stream
		}
		return other.Stream
	}
	if strings.HasPrefix(e.Payload.Type(), "continuity_") {
		return Continuity
	}
	return Session
}

// Artifact is the id of the artifact that the event depends on, as the event
// spells it, "" for none: the bundle of a handoff or a context, the summary of a
// checkpoint.
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

// Known reports whether RIP knows the event's type. A single event of an unknown
// type makes a whole store unreadable for RIP.
func (e Event) Known() bool {
	other, ok := e.Payload.(*Other)
	return !ok || otherType(other.Kind) != nil
}

// Parse reads a line, with or without its newline. It is as strict as RIP, which
// rejects a store with one bad line: UTF-8, integers in plain digits, no
// duplicate fields. Field names of older versions are accepted.
//
// An unknown type is read as [Other].
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
	stream := c.Take("stream_kind") // the type decides,
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

// rest are the members that were not read.
func rest(c *codec) (fields []bundle.Field) {
	c.Rest(func(name, value string) { fields = append(fields, bundle.Field{Name: name, Value: []byte(value)}) })
	return fields
}

// Line is the event as a line without its newline: the bytes that it was read
// from, or those that RIP would write. It fails for what RIP could not read: an
// unknown type, invalid UTF-8, a value that is not JSON.
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

// readable checks that RIP can read what was written. That holds for the fields
// of a struct, as one list reads and writes them.
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
