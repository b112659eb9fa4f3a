package httpapi

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/log/receipt"
	"handoff/log/thread"
	"handoff/workspace/receipts"
	"handoff/workspace/states"
)

// answerHeaders are the headers of answers that the document describes.
var answerHeaders = []openapi.Header{
	{Name: "Location", Description: "path of what was written or stored"},
	{Name: "Link", Description: "with rel=\"next\", the request for the next part of the list (RFC 8288); absent in its last part"},
	{Name: "ETag", Description: "changes when the answer does: pass it as If-None-Match. Answers of more than 1 MiB have none"},
	{Name: "Cache-Control", Description: "no-cache: ask again each time; no-store: do not keep it; immutable: it never changes"},
	{Name: "Accept-Ranges", Description: "bytes"},
	{Name: "Content-Range", Description: "which bytes of the artifact these are; with 416, how many it has"},
	{Name: "Retry-After", Description: "seconds after which the request may succeed", Number: true},
	{Name: "WWW-Authenticate", Description: "Bearer: the request needs the token of the server"},
	{Name: "Allow", Description: "methods of the path"},
	{Name: lastSeq, Description: "number of the last event so far; absent if there is none", Number: true},
	{Name: queuedHeader, Description: "how many requests for the thread or the tape wait for the store", Number: true},
	{Name: staleHeader, Description: "the store does not answer, and its copy was read: time up to which the copy had everything, or unknown"},
	{Name: openapi.Ignored, Description: "member or parameter that the server does not know and ignored; may be repeated"},
}

// problemHeaders are the names of those that errors may have.
var problemHeaders = []string{"Retry-After", "WWW-Authenticate", "Allow", "Cache-Control", "Content-Range"}

// headersOf are the names of the headers that all answers of an operation but errors may have.
func headersOf(op openapi.Operation) (names []string) {
	if !op.Public {
		names = append(names, staleHeader)
	}
	if op.Method == http.MethodGet && (strings.HasPrefix(op.Path, "/threads/") || strings.HasPrefix(op.Path, "/tapes/")) {
		names = append(names, queuedHeader)
	}
	if op.Method == http.MethodGet && (slices.Contains(lists, op.ID) || op.ID == "overview") {
		names = append(names, "Link")
	}
	return names
}

// lists are the operations that answer with lists in parts.
var lists = []string{"handoff_list", "task_list", "thread_list", "tape_list"}

// located is an answer that says where something is.
func located(a openapi.Answer) openapi.Answer {
	a.Headers = append(slices.Clone(a.Headers), "Location")
	return a
}

// numbered is the answer of a stream that also says the number of its last event.
func numbered(frame string) openapi.Answer {
	a := eventStream(frame)
	a.Headers = append(a.Headers, lastSeq)
	return a
}

// tagged are the operations whose answers have an ETag: lists, documents and what is known of them. Entries of
// tapes are sent while they are read; findings are looked for only if they are wanted, not for HEAD.
var tagged = []string{"handoff_list", "handoff_get", "handoff_document", "handoff_brief", "handoff_next", "handoff_receipts", "handoff_metadata",
	"handoff_search", "overview", "task_list", "task_get", "thread_list", "thread_get", "thread_lineage", "tape_list", "tape_get", "openapi"}

// enums are the types of texts that have only some values. A new value is a change of the interface.
func enums() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[receipt.State]():  texts(append(slices.Clone(receipt.States), receipts.Unknown)),
		reflect.TypeFor[receipt.Kind]():   texts(receipt.Kinds),
		reflect.TypeFor[states.State]():   texts(states.All),
		reflect.TypeFor[handoff.Source](): texts(handoff.Sources),
	}
}

func texts[T ~string](list []T) (texts []string) {
	for _, v := range list {
		texts = append(texts, string(v))
	}
	return texts
}

// examples are bodies, by the IDs of their operations.
var examples = map[string]any{
	"handoff_next_claim": map[string]any{"as": "ann"},
	"handoff_claim":      map[string]any{"as": "ann", "ttl_seconds": 3600},
	"handoff_ack":        map[string]any{"as": "ann"},
	"handoff_done":       map[string]any{"claim": "4cbb1e0e-3f4e-4b4f-8a3b-2d2c8d0e9a11"},
	"handoff_new": map[string]any{"phase": 3, "next_action": "Run `go test ./parse`.", "state": map[string]any{"file": "parse.go"},
		"decisions": []string{}, "dead_ends": []string{}},
	"thread_create":       map[string]any{"title": "prove completeness"},
	"thread_post_message": thread.MessageRequest{Content: "Which lemma is next?"},
	"tape_append":         map[string]any{"entries": []any{map[string]any{"kind": "message", "payload": map[string]any{"role": "user", "content": "hello"}}}},
}
