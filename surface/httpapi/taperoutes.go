package httpapi

import (
	"reflect"

	"handoff/internal/openapi"
	"handoff/tape"
)

// entrySchema names the schema of an entry.
const entrySchema = "TapeEntry"

// tapeEntrySchema describes an entry, which writes its own JSON: the line that
// stands on the tape.
func tapeEntrySchema() map[string]any {
	type object = map[string]any
	return object{
		"type":        "object",
		"description": "An entry of a tape. What others have written may have further members.",
		"properties": object{
			"id":      object{"type": "integer", "format": "int64", "description": "rising and unique, but for what other programs have written; a reset begins at 1 again"},
			"kind":    object{"type": "string", "description": "message, tool_call, tool_result, anchor, event, system, error, or another"},
			"payload": object{"type": "object", "additionalProperties": object{}, "description": "by kind; of an anchor name and state"},
			"meta":    object{"type": "object", "additionalProperties": object{}},
			"date":    object{"type": []string{"string", "null"}, "description": "ISO 8601, where others have not written something else"},
		},
		"required":             []string{"id", "kind", "payload", "meta", "date"},
		"additionalProperties": object{},
	}
}

// written are the types that write their own JSON.
var written = map[reflect.Type]string{reflect.TypeFor[tape.Entry](): entrySchema}

// tapeOperations are those on tapes: what the REST service of Bub's family was
// to have, and streams.
func (s *Server) tapeOperations() []openapi.Operation {
	const tag = "tapes"
	notFound, bad, conflict := refuses(400, 404), refuses(400, 404), refuses(400, 409)
	again := func(t openapi.Answer) []openapi.Answer { return append([]openapi.Answer{t}, conflict...) }
	const replayed = "The same Idempotency-Key had appended it"
	return []openapi.Operation{
		openapi.Call("GET", "/tapes", 200, s.listTapes).Says(tag, "tape_list", "List the tapes by name"),
		openapi.Call("GET", "/tapes/{tape}", 200, s.getTape).Says(tag, "tape_get", "Get what is known of a tape", notFound...),
		openapi.Call("PUT", "/tapes/{tape}", 201, s.createTape).
			Says(tag, "tape_create", "Create a tape that is not there", append([]openapi.Answer{openapi.JSON[tapeCreated](200, "It was there, and is left as it is")}, conflict...)...),
		openapi.Call("DELETE", "/tapes/{tape}", 200, s.deleteTape).
			Says(tag, "tape_delete", "Delete a tape, and archive what it has", refuses(400, 404, 409)...),
		openapi.Raw("GET", "/tapes/{tape}/entries", s.getEntries).
			Says(tag, "tape_entries", "Get entries: chosen by anchors, then dates, text, kinds, and the first so many of what is left",
				append([]openapi.Answer{openapi.JSON[[]tape.Entry](200, "The entries, in the order of the tape")}, bad...)...),
		openapi.Call("POST", "/tapes/{tape}/entries", 201, s.appendTape).
			Says(tag, "tape_append", "Append entries, all or none, to a tape, which is begun if need be", again(openapi.JSON[tapeAppended](200, replayed))...),
		openapi.Call("GET", "/tapes/{tape}/entries/{id}", 200, s.getEntry).Says(tag, "tape_entry", "Get the last entry of an id", notFound...),
		openapi.Raw("GET", "/tapes/{tape}/events", s.streamTape).
			Says(tag, "tape_stream_events", "Follow a tape's entries, beyond resets",
				append([]openapi.Answer{tapeStream()}, bad...)...),
		openapi.Call("POST", "/tapes/{tape}/handoff", 201, s.handOffTape).
			Says(tag, "tape_handoff", "Write an anchor, from which the context begins, and its event", again(openapi.JSON[tapeAppended](200, replayed))...),
		openapi.Call("GET", "/tapes/{tape}/anchors", 200, s.getAnchors).Says(tag, "tape_anchors", "List the last anchors", notFound...),
		openapi.Call("GET", "/tapes/{tape}/search", 200, s.searchTape).Says(tag, "tape_search", "Look for a text, the newest first", notFound...),
		openapi.Raw("GET", "/tapes/{tape}/context", s.getTapeContext).
			Says(tag, "tape_context", "Make what a model is to be given", append([]openapi.Answer{openapi.JSON[tapeContext](200, "OK")}, refuses(400, 404, 413)...)...),
		openapi.Raw("GET", "/tapes/{tape}/recover", s.recoverTape).
			Says(tag, "tape_recover", "Get what an agent needs that starts again: last anchor, state, entries since, unfinished calls",
				append([]openapi.Answer{openapi.JSON[tape.Recovery](200, "OK")}, refuses(400, 404, 413)...)...),
		openapi.Call("POST", "/tapes/{tape}/fork", 201, s.forkTape).
			Says(tag, "tape_fork", "Make a tape that goes on from another, which is not written to", append(refuses(404), again(openapi.JSON[tapeForked](200, "The same Idempotency-Key had made it"))...)...),
		openapi.Call("POST", "/tapes/{tape}/merge", 200, s.mergeTape).
			Says(tag, "tape_merge", "Append what a fork has of its own to its parent, and archive the fork", bad...),
		openapi.Call("POST", "/tapes/{tape}/discard", 200, s.discardTape).Says(tag, "tape_discard", "Archive a fork, and take nothing over", bad...),
		openapi.Call("POST", "/tapes/{tape}/reset", 200, s.resetTape).Says(tag, "tape_reset", "Begin a tape anew, and archive what it has; once, with an Idempotency-Key", refuses(400, 404, 409)...),
		openapi.Call("POST", "/tapes/{tape}/send", 200, s.sendTape).
			Says(tag, "tape_send", "Hand a tape over to another agent: make an envelope, and note that it was sent", refuses(400, 404, 409)...),
		openapi.Call("POST", "/tapes/{tape}/receive", 201, s.receiveTape).
			Says(tag, "tape_receive", "Take an envelope over: write its anchor, once", append([]openapi.Answer{openapi.JSON[tapeReceived](200, "It had been received before")}, conflict...)...),
	}
}

func tapeStream() openapi.Answer {
	a := eventStream(entrySchema)
	a.What = "Server-sent events: data is one entry as JSON, id a place on the tape for Last-Event-ID"
	return a
}
