package httpapi

import (
	"net/http"
	"reflect"

	"handoff/internal/web/openapi"
	"handoff/log/tape"
	"handoff/log/tape/envelope"
	"handoff/log/thread"
	"handoff/surface/problem"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// entrySchema is the name of the schema of an entry.
const entrySchema = "TapeEntry"

// tapeEntrySchema describes an entry, which writes its own JSON: its line of the
// tape.
func tapeEntrySchema() map[string]any {
	type object = map[string]any
	return object{
		"type":        "object",
		"description": "An entry of a tape. Entries written by other programs may have additional members.",
		"properties": object{
			"id":      object{"type": "integer", "format": "int64", "description": "ascending and unique, unless another program wrote the entries; restarts at 1 after a reset"},
			"kind":    object{"type": "string", "description": "message, tool_call, tool_result, anchor, event, system, error, or another"},
			"payload": object{"type": "object", "additionalProperties": object{}, "description": "depends on kind; for an anchor: name and state"},
			"meta":    object{"type": "object", "additionalProperties": object{}},
			"date":    object{"type": []string{"string", "null"}, "description": "ISO 8601, unless another program wrote something else"},
		},
		"required":             []string{"id", "kind", "payload", "meta", "date"},
		"additionalProperties": object{},
	}
}

// written are the types with a schema of their own.
var written = map[reflect.Type]string{reflect.TypeFor[tape.Entry](): entrySchema, reflect.TypeFor[newHandoff](): newHandoffName, reflect.TypeFor[problem.Type](): problemTypeName, reflect.TypeFor[thread.Event](): thread.ThreadFrame}

// tapeOperations are the operations on tapes. The routes follow a REST service
// that was planned for Bub; streams are ours.
func (s *Server) tapeOperations() []openapi.Operation {
	all := append(served(s, s.tapeGroup(), tapeops.Operations, s.specialTapes()),
		openapi.Raw("GET", "/tapes/{tape}/events", s.streamTape).
			Says("tapes", "tape_stream_events", "Stream a tape's entries, across resets", append([]openapi.Answer{tapeStream()}, refuses(400, 404)...)...),
		openapi.Call("GET", "/tape-schema", 200, s.getTool).Says("tapes", "tape_schema", "Get the definition of the tool with which a model hands off"))
	all = append(all, s.archiveOperations()...)
	if s.Threads == nil { // an id may occur twice on a tape of Bub
		return all
	}
	return append(all, openapi.Raw("GET", "/tape-uri", s.getURI).
		Says("tapes", "tape_uri", "List what a tape:// URI names: one entry, or those of a tape", append([]openapi.Answer{openapi.JSON[[]tape.Entry](200, "The entries, in tape order")}, refuses(400, 404)...)...),
		openapi.Call("GET", "/tapes/{tape}/entries/{id}", 200, s.getEntry).Says("tapes", "tape_entry", "Get the last entry with an ID", refuses(400, 404)...))
}

// specialTapes are the operations that the server does in another way than a command, by
// their names.
func (s *Server) specialTapes() map[string]openapi.Operation {
	raw := func(op openapi.Operation, answers ...openapi.Answer) openapi.Operation {
		op.Answers = answers
		return op
	}
	large := openapi.Answer{Code: http.StatusRequestEntityTooLarge}
	receive := route(s, s.tapeGroup(), tapeops.Receive)
	receive.MaxBody, receive.Lenient = envelope.MaxBytes, true // new versions of the format may add members
	handOff := route(s, s.tapeGroup(), tapeops.Handoff)
	if s.Body == DefaultBody { // else a person has chosen the limit
		handOff.MaxBody = tape.MaxRequest
	}
	add := openapi.Either("POST", tapeops.Append.Path, 201, 200, "", s.appendTape)
	add.MaxBody = handOff.MaxBody
	return map[string]openapi.Operation{
		tapeops.Handoff.Name: handOff,
		tapeops.Append.Name:  raw(add, route(s, s.tapeGroup(), tapeops.Append).Answers...),
		tapeops.Read.Name:    raw(openapi.Raw("GET", tapeops.Read.Path, s.getEntries), openapi.JSON[[]tape.Entry](200, "The entries, in tape order")),
		tapeops.Context.Name: raw(openapi.Raw("GET", tapeops.Context.Path, s.getTapeContext), openapi.JSON[tapes.Context](200, "OK"), large),
		tapeops.Recover.Name: raw(openapi.Raw("GET", tapeops.Recover.Path, s.recoverTape), openapi.JSON[tape.Recovery](200, "OK"), large),
		tapeops.Receive.Name: receive,
	}
}

func tapeStream() openapi.Answer {
	a := eventStream(entrySchema)
	a.What = "Server-sent events: data is one entry as JSON, id is the position for Last-Event-ID"
	return a
}
