package frame

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

// Names of the schemas of all frames of a thread or of a run.
const (
	ThreadFrame  = "ThreadFrame"
	SessionFrame = "SessionFrame"
)

// Schemas describes the frames as they are written: each type as JSON Schema
// 2020-12 under its name, those of threads and of runs also under [ThreadFrame]
// and [SessionFrame]. They refer to each other as components of an OpenAPI
// document.
func Schemas() map[string]any {
	s := frameSchemas{named: map[string]any{}, of: map[StreamKind][]any{}}
	for _, t := range payloadTypes {
		p := t.new()
		s.add(t.name, Event{Payload: p}.Kind(), t.doc, jsoncodec.Fields(p.fields))
	}
	for _, t := range otherTypes {
		if t.stream == Session { // only RIP has tasks
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
