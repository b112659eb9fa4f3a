package httpapi

import (
	"net/http"
	"reflect"

	"handoff/internal/web/openapi"
	"handoff/problem"
	"handoff/tape"
	"handoff/tape/envelope"
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
var written = map[reflect.Type]string{reflect.TypeFor[tape.Entry](): entrySchema, reflect.TypeFor[newHandoff](): newHandoffName, reflect.TypeFor[problem.Type](): problemTypeName}

// tapeOperations are the operations on tapes. The routes follow a REST service
// that was planned for Bub; streams are ours.
func (s *Server) tapeOperations() []openapi.Operation {
	const tag = "tapes"
	bad, conflict := refuses(400, 404), refuses(400, 409)
	all := refuses(400, 404, 409)
	const replayed = "Already appended with the same Idempotency-Key"
	appendedBefore := func(a tapes.Appended) bool { return a.Existed }
	large := openapi.Answer{Code: http.StatusRequestEntityTooLarge}
	receive := openapi.Either("POST", "/tapes/{tape}/receive", 201, 200, "Already received", s.receiveTape)
	receive.MaxBody, receive.Lenient = envelope.MaxBytes, true // new versions of the format may add members
	return []openapi.Operation{
		openapi.Call("GET", "/tapes", 200, s.listTapes).Says(tag, "tape_list", "List tapes by name"),
		openapi.Call("GET", "/tapes/{tape}", 200, s.getTape).Says(tag, "tape_get", "Get a tape's counts, last anchor and state", bad...),
		openapi.Either("PUT", "/tapes/{tape}", 201, 200, "Already exists; left unchanged", s.createTape).Says(tag, "tape_create", "Create a tape", conflict...),
		openapi.Call("DELETE", "/tapes/{tape}", 200, s.deleteTape).Says(tag, "tape_delete", "Archive a tape's entries and delete it", all...),
		openapi.Raw("GET", "/tapes/{tape}/entries", s.getEntries).
			Says(tag, "tape_entries", "List entries; filters apply in this order: anchors, dates, text, kinds, limit",
				append([]openapi.Answer{openapi.JSON[[]tape.Entry](200, "The entries, in tape order")}, bad...)...),
		openapi.Either("POST", "/tapes/{tape}/entries", 201, 200, replayed, eitherTape(s.tape, appendWords, appendEntries, appendedBefore)).
			Says(tag, "tape_append", "Append entries atomically, creating the tape if needed", append(conflict, queued[tapes.Appended]())...),
		openapi.Call("GET", "/tapes/{tape}/entries/{id}", 200, s.getEntry).Says(tag, "tape_entry", "Get the last entry with an ID", bad...),
		openapi.Raw("GET", "/tapes/{tape}/events", s.streamTape).
			Says(tag, "tape_stream_events", "Stream a tape's entries, across resets", append([]openapi.Answer{tapeStream()}, bad...)...),
		openapi.Either("POST", "/tapes/{tape}/handoff", 201, 200, replayed, eitherTape(s.tape, handoffWords, (*tapes.Tape).HandOff, appendedBefore)).
			Says(tag, "tape_handoff", "Write an anchor and its handoff event; the context starts again there", append(conflict, queued[tapes.Appended]())...),
		openapi.Call("GET", "/tapes/{tape}/anchors", 200, s.getAnchors).Says(tag, "tape_anchors", "List the last anchors", bad...),
		openapi.Call("GET", "/tapes/{tape}/search", 200, s.searchTape).Says(tag, "tape_search", "Search for a text, newest first", bad...),
		openapi.Raw("GET", "/tapes/{tape}/context", s.getTapeContext).
			Says(tag, "tape_context", "Build the messages for a model", append([]openapi.Answer{openapi.JSON[tapes.Context](200, "OK"), large}, bad...)...),
		openapi.Raw("GET", "/tapes/{tape}/recover", s.recoverTape).
			Says(tag, "tape_recover", "Get where to resume: last anchor, its state, entries since, unfinished calls",
				append([]openapi.Answer{openapi.JSON[tape.Recovery](200, "OK"), large}, bad...)...),
		openapi.Either("POST", "/tapes/{tape}/fork", 201, 200, "Already created with the same Idempotency-Key",
			eitherTape(s.tape, forkWords, fork, func(r tape.ForkResult) bool { return r.Existed })).
			Says(tag, "tape_fork", "Create a tape that continues another, which stays unchanged", all...),
		openapi.Call("POST", "/tapes/{tape}/merge", 200, withTape(s.existing, mergeWords, (*tapes.Tape).Merge)).
			Says(tag, "tape_merge", "Append a fork's own entries to its parent and archive the fork", bad...),
		openapi.Call("POST", "/tapes/{tape}/discard", 200, withTape(s.existing, mergeWords, (*tapes.Tape).Discard)).
			Says(tag, "tape_discard", "Archive a fork without merging it", bad...),
		openapi.Call("POST", "/tapes/{tape}/reset", 200, withTape(s.existing, resetWords, (*tapes.Tape).Reset)).
			Says(tag, "tape_reset", "Archive a tape's entries and start it again; idempotent with an Idempotency-Key", all...),
		openapi.Call("POST", "/tapes/{tape}/send", 200, withTape(s.existing, sendWords, (*tapes.Tape).Send)).
			Says(tag, "tape_send", "Hand a tape over to another agent: create an envelope and record that it was sent", all...),
		receive.Says(tag, "tape_receive", "Receive an envelope: write its anchor, once", conflict...),
	}
}

// queued is the answer while the store is away.
func queued[T any]() openapi.Answer {
	return openapi.JSON[T](http.StatusAccepted, "The store is away: the request waits in the outbox, and is sent when it answers")
}

func tapeStream() openapi.Answer {
	a := eventStream(entrySchema)
	a.What = "Server-sent events: data is one entry as JSON, id is the position for Last-Event-ID"
	return a
}
