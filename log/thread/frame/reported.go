package frame

import (
	"encoding/json"
	"slices"
	"strings"

	"handoff/internal/json/jsoncodec"
	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
)

// usage is a line about tokens, which RIP has no frame for: it becomes a provider_event.
const usage = "usage"

// ReportedTypes are the types of [ParseReported]: what a program may report of its tools and its
// provider for the stream of its run.
var ReportedTypes = []string{usage, "provider_event", "openresponses_request_started", "openresponses_response_headers", "openresponses_response_first_byte",
	"tool_started", "tool_stdout", "tool_stderr", "tool_ended", "tool_failed"}

// eventDefaults are the members of a provider_event that a report may leave out.
var eventDefaults = []bundle.Field{{Name: "status", Value: []byte(`"event"`)}, {Name: "event_name", Value: []byte("null")}, {Name: "data", Value: []byte("null")},
	{Name: "raw", Value: []byte("null")}, {Name: "errors", Value: []byte("[]")}, {Name: "response_errors", Value: []byte("[]")}}

// ParseReported reads a frame without its envelope, which is left out if it is there: a member "type", one of
// [ReportedTypes], and the members of the type.
func ParseReported(line string) (Payload, error) {
	var payload Payload
	err := jsoncodec.Read(jsontext.Strict, line, func(c *codec) {
		var kind string
		c.Text("type", &kind)
		for _, name := range []string{"id", "session_id", "stream_kind", "stream_id", "timestamp_ms", "seq"} {
			c.Take(name)
		}
		if c.Err() != nil {
			return
		}
		if !slices.Contains(ReportedTypes, kind) {
			c.Complain("type", "is %q", kind)
			return
		}
		if payload = newPayload(kind); payload != nil {
			payload.fields(c)
			return
		}
		fields := rest(c)
		switch kind {
		case usage:
			kind, fields = "provider_event", used(c, fields)
		case "provider_event":
			fields = withDefaults(fields)
		}
		payload = &Other{Kind: kind, Stream: Session, Fields: fields}
	})
	if err == nil { // as it will be read again
		_, err = Event{ID: "id", StreamID: "id", Payload: payload}.Line()
	}
	return payload, err
}

// used is a provider_event with the counts of a report.
func used(c *codec, said []bundle.Field) []bundle.Field {
	provider, counts := []byte(nil), 0
	for _, f := range said {
		switch {
		case f.Name == "provider":
			provider = f.Value
		case strings.HasSuffix(f.Name, "_tokens"):
			if json.Unmarshal(f.Value, new(uint64)) != nil || string(f.Value) == "null" {
				c.Complain(f.Name, "is %.40s, want a number of tokens", f.Value)
			}
			counts++
		}
	}
	if provider == nil || counts == 0 {
		c.Complain("provider", "and members such as input_tokens and output_tokens are needed")
	}
	var data []string
	for _, f := range said {
		if name, err := json.Marshal(f.Name); f.Name != "provider" && err == nil {
			data = append(data, string(name)+":"+string(f.Value))
		}
	}
	return withDefaults([]bundle.Field{{Name: "provider", Value: provider}, {Name: "event_name", Value: []byte(`"usage"`)},
		{Name: "data", Value: []byte("{" + strings.Join(data, ",") + "}")}})
}

// withDefaults are the fields of a provider_event in RIP's order, then others.
func withDefaults(said []bundle.Field) []bundle.Field {
	all := []bundle.Field{}
	take := func(name string) bool {
		at := slices.IndexFunc(said, func(f bundle.Field) bool { return f.Name == name })
		if at >= 0 {
			all = append(all, said[at])
			said = slices.Delete(slices.Clone(said), at, at+1)
		}
		return at >= 0
	}
	take("provider")
	for _, d := range eventDefaults {
		if !take(d.Name) {
			all = append(all, d)
		}
	}
	return append(all, said...)
}
