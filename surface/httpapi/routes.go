package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"handoff/artifact"
	"handoff/internal/web/openapi"
	"handoff/lint/report"
	"handoff/problem"
	"handoff/receipt"
	"handoff/tape"
	"handoff/tape/envelope"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/feed"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
	"handoff/workspace/search"
	"handoff/workspace/tapes"
	"handoff/workspace/threadops"
)

// document describes the server as OpenAPI 3.1. Its version is that of the
// interface.
func document(ops []openapi.Operation) []byte {
	schemas := thread.Schemas()
	schemas[entrySchema] = tapeEntrySchema()
	schemas[problemTypeName], schemas[knownProblemTypeName] = problemTypeSchema(), knownProblemTypeSchema()
	schemas[newHandoffName], schemas[handoffTextName] = newHandoffSchema(), handoffTextSchema()
	return openapi.Document(openapi.Info{
		Title:       "handoff",
		Description: "Threads, runs, tapes, handoffs, artifacts and findings of one workspace. Routes for threads, sessions and events that also exist in RIP use RIP's bodies and status codes.",
		Version:     "1",
		License:     "Apache-2.0",
		Schemas:     schemas,
		Events:      map[string]reflect.Type{handoffEvent: reflect.TypeFor[feed.Event]()},
		Written:     written,
		Problem:     reflect.TypeFor[problem.Problem](),
		Named: map[reflect.Type]string{
			reflect.TypeFor[thread.Info]():             "ThreadMeta",
			reflect.TypeFor[thread.HandoffRequest]():   "ThreadHandoffRequest",
			reflect.TypeFor[tape.Info]():               "TapeInfo",
			reflect.TypeFor[tapes.HandoffRequest]():    "TapeHandoffRequest",
			reflect.TypeFor[envelope.Content]():        "EnvelopeContent",
			reflect.TypeFor[envelope.Intention]():      "EnvelopeIntention",
			reflect.TypeFor[tapes.Context]():           "TapeContext",
			reflect.TypeFor[tapes.Hit]():               "TapeHit",
			reflect.TypeFor[receipts.Record]():         "HandoffRecord",
			reflect.TypeFor[receipts.Item]():           "HandoffItem",
			reflect.TypeFor[receipts.Listing]():        "HandoffListing",
			reflect.TypeFor[receipt.Step]():            "ReceiptStep",
			reflect.TypeFor[receipts.ClaimRequest]():   "HandoffClaimRequest",
			reflect.TypeFor[receipts.NextRequest]():    "HandoffNextRequest",
			reflect.TypeFor[receipts.AckRequest]():     "HandoffAckRequest",
			reflect.TypeFor[receipts.RenewRequest]():   "HandoffRenewRequest",
			reflect.TypeFor[receipts.ReleaseRequest](): "HandoffReleaseRequest",
			reflect.TypeFor[receipts.DoneRequest]():    "HandoffDoneRequest",
			reflect.TypeFor[history]():                 "HandoffHistory",
			reflect.TypeFor[overview.Task]():           "OverviewTask",
			reflect.TypeFor[search.Hit]():              "HandoffHit",
		},
		Tags: []openapi.Tag{
			{Name: "artifacts", Description: "Immutable blobs, named by the SHA-256 of their bytes."},
			{Name: "threads", Description: "Conversations as event streams of messages and runs, with branches and handoffs. A superset of RIP's threads."},
			{Name: "sessions", Description: "Runs: their input and output."},
			{Name: "tapes", Description: "Append-only logs of what an agent does, in Bub's format: cut by anchors, forked, merged and reset."},
			{Name: "handoffs", Description: "Handoff documents, their tasks, and what became of each handoff: claims, receipts and events."},
			{Name: "server", Description: "The server itself: health, metrics and this document."},
		},
	}, ops)
}

// operations are all operations of the server.
func (s *Server) operations() []openapi.Operation {
	return slices.Concat(s.threadOperations(), s.sessionOperations(), s.tapeOperations(), s.claimOperations(), s.overviewOperations(), s.ownOperations())
}

// refuses are the answers for status codes with a problem.
func refuses(codes ...int) (list []openapi.Answer) {
	for _, code := range codes {
		list = append(list, openapi.Answer{Code: code})
	}
	return list
}

// threadOperations are RIP's, and those that RIP does not have.
func (s *Server) threadOperations() []openapi.Operation {
	const tag = "threads"
	notFound, bad, conflict := refuses(404), refuses(400, 404), refuses(400, 404, 409)
	const replayed = "Already created with the same Idempotency-Key"
	t := s.Threads
	rip := []openapi.Operation{
		openapi.Call("POST", "/threads/ensure", 200, s.ensureThread).Says(tag, "thread_ensure", "Get the default thread, creating it if needed"),
		s.threadOperation(threadops.List),
		s.threadOperation(threadops.Get),
		openapi.Call("POST", "/threads/{id}/messages", 202, withThread("the message cannot be stored", s.postMessage)).
			Says(tag, "thread_post_message", "Append a message and start a run for it", notFound...),
		openapi.Either("POST", "/threads/{id}/branch", 201, 200, replayed,
			either(badTitle, t.Branch, func(r thread.BranchResult) bool { return r.Existed })).
			Says(tag, "thread_branch", "Create a thread that continues from a cut", conflict...),
		openapi.Either("POST", "/threads/{id}/handoff", 201, 200, replayed,
			either(badHandoff, t.Handoff, func(r thread.HandoffResult) bool { return r.Existed })).
			Says(tag, "thread_handoff", "Create a thread that starts from a summary of another", conflict...),
		openapi.Raw("GET", "/threads/{id}/events", s.streamThread).
			Says(tag, "thread_stream_events", "Stream a thread's events", append([]openapi.Answer{eventStream(thread.ThreadFrame)}, notFound...)...),
		openapi.Call("POST", "/threads/{id}/provider-cursor-status", 200,
			withThread("", func(ctx context.Context, id string, _ struct{}) (thread.CursorStatus, error) {
				return t.CursorStatus(ctx, id)
			})).
			Says(tag, "thread_provider_cursor_status", "List saved provider cursors", notFound...),
		openapi.Call("POST", "/threads/{id}/provider-cursor-rotate", 200, withThread(badCursor, t.RotateCursor)).
			Says(tag, "thread_provider_cursor_rotate", "Invalidate a provider's cursor", notFound...),
		openapi.Call("POST", "/threads/{id}/context-selection-status", 200, withThread("", t.SelectionStatus)).
			Says(tag, "thread_context_selection_status", "List what the last contexts were compiled from", notFound...),
		openapi.Call("POST", "/threads/{id}/compaction-checkpoint", 201, withThread(badCheckpoint, t.Checkpoint)).
			Says(tag, "thread_compaction_checkpoint", "Replace a thread up to a message by a summary", bad...),
		openapi.Call("POST", "/threads/{id}/compaction-cut-points", 200, withThread(badStride, t.CutPoints)).
			Says(tag, "thread_compaction_cut_points", "List the cut points of a stride", bad...),
		openapi.Call("POST", "/threads/{id}/compaction-status", 200, withThread(badStride, t.CompactionStatus)).
			Says(tag, "thread_compaction_status", "Get how far a thread is compacted", bad...),
		openapi.Either("POST", "/threads/{id}/compaction-auto", 200, 202, "A job was started",
			either(badStride, s.autoCompact, func(r thread.AutoResult) bool { return r.Status == "spawned" })).
			Says(tag, "thread_compaction_auto", "Create the checkpoints that are due", bad...),
		openapi.Either("POST", "/threads/{id}/compaction-auto-schedule", 200, 202, "A job was started, or is left to another process",
			either(badStride, s.scheduleCompact, func(r thread.ScheduleResult) bool { return r.Decision == "scheduled" })).
			Says(tag, "thread_compaction_auto_schedule", "Record which checkpoints are due and create them", bad...),
	}
	return append(lenient(rip),
		openapi.Either("POST", "/threads", 201, 200, replayed, s.createThread).Says(tag, "thread_create", "Create a thread", conflict...),
		openapi.Call("POST", "/threads/{id}/compile", 200, withThread("want a cut within the thread", s.compileThread)).
			Says(tag, "thread_compile", "Compile the context for a run", conflict...),
		openapi.Call("GET", "/threads/{id}/lineage", 200, onThread(s.lineage)).Says(tag, "thread_lineage", "Get a thread's ancestors and descendants", notFound...),
		s.threadOperation(threadops.Archive),
		s.threadOperation(threadops.Unarchive),
		s.threadOperation(threadops.Rename),
	)
}

// lenient are operations that other programs' clients call, which may send more than we
// know: RIP's server ignores it, and so do health checks and scrapers.
func lenient(ops []openapi.Operation) []openapi.Operation {
	for i := range ops {
		ops[i].Lenient = true
	}
	return ops
}

func (s *Server) sessionOperations() []openapi.Operation {
	const tag = "sessions"
	return lenient([]openapi.Operation{
		openapi.Call("POST", "/sessions", 201, s.createSession).Says(tag, "create_session", "Create a session that waits for input"),
		openapi.Call("POST", "/sessions/{id}/input", 202, s.sendInput).Says(tag, "send_input", "Send a session its input and start the run", refuses(404, 409)...),
		openapi.Raw("GET", "/sessions/{id}/events", s.streamSession).
			Says(tag, "stream_events", "Stream a run's events", append([]openapi.Answer{eventStream(thread.SessionFrame)}, refuses(404)...)...),
		openapi.Call("POST", "/sessions/{id}/cancel", 204, s.cancelSession).Says(tag, "cancel_session", "Cancel a run", refuses(404)...),
	})
}

// ownOperations are the operations that neither RIP nor tapes have.
func (s *Server) ownOperations() []openapi.Operation {
	const markdown = "text/markdown; charset=utf-8"
	json := func(code int, what string) openapi.Answer { return openapi.Answer{Code: code, What: what} }
	bytes := func(code int, what string) openapi.Answer {
		return openapi.Answer{Code: code, What: what, Media: "application/octet-stream"}
	}
	put := func(op openapi.Operation) openapi.Operation {
		op.RawBody, op.MaxBody = true, artifact.DefaultMax
		return op
	}
	stored := openapi.JSON[storedArtifact]
	return []openapi.Operation{
		openapi.Raw("GET", "/artifacts/{id}", s.getArtifact).
			Says("artifacts", "artifact_get", "Get an artifact, or parts of it by Range", bytes(200, "The whole artifact"), bytes(206, "The requested range, or several as multipart/byteranges"),
				json(304, "Not modified: the ID matches If-None-Match"), json(404, ""), json(416, "")),
		put(openapi.Raw("PUT", "/artifacts/{id}", s.putArtifact)).
			Says("artifacts", "artifact_put", "Store an artifact under its ID", stored(201, "Stored"), stored(200, "Already stored; a damaged copy was restored"), json(422, "")),
		put(openapi.Raw("POST", "/artifacts", s.postArtifact)).
			Says("artifacts", "artifact_post", "Store an artifact and get its ID", stored(201, "Stored, or already existed")),

		openapi.Call("GET", "/specs", 200, s.listTasks).Says("handoffs", "task_list", "List tasks"),
		openapi.Call("GET", "/specs/{n}", 200, s.getTask).Says("handoffs", "task_get", "Get a task with its metadata and handoffs", json(404, "")),
		openapi.Call("GET", "/handoffs", 200, s.listHandoffs).Says("handoffs", "handoff_list", "List handoffs, newest first"),
		openapi.Call("GET", "/handoffs/{ref}", 200, s.getHandoff).Says("handoffs", "handoff_get", "Get a handoff's summary row and bundle", json(404, "")),
		openapi.Raw("GET", "/handoffs/{ref}/document", s.getDocument).
			Says("handoffs", "handoff_document", "Get the document as written", openapi.Answer{Code: 200, What: "The document", Media: markdown}, json(404, "")),
		openapi.Raw("GET", "/handoffs/{ref}/brief", s.getBrief).
			Says("handoffs", "handoff_brief", "Get the brief for a successor, at a level of detail", openapi.Answer{Code: 200, What: "The brief", Media: markdown}, json(404, ""), json(409, "")),
		openapi.Raw("GET", "/handoffs/{ref}/metadata", s.getMetadata).
			Says("handoffs", "handoff_metadata", "Get the metadata file of the handoff's task", openapi.JSON[map[string]any](200, "The file as stored"), json(404, "")),
		openapi.Raw("GET", "/findings", s.getFindings).
			Says("handoffs", "finding_list", "Lint the handoffs, as `handoff lint --format json` does", openapi.JSON[report.FindingReport](200, "The findings"), json(404, "")),

		public(openapi.Call("GET", "/healthz", 200, func(context.Context, openapi.Nothing) (health, error) { return health{"ok"}, nil })).
			Says("server", "health", "Check that the server responds"),
		openapi.Raw("GET", "/metrics", s.showMetrics).
			Says("server", "metrics", "Get metrics for Prometheus", openapi.Answer{Code: 200, What: "Prometheus text format", Media: "text/plain; version=0.0.4; charset=utf-8"}),
		openapi.Raw("GET", "/openapi.json", func(w http.ResponseWriter, _ *http.Request, _ openapi.Nothing) error {
			w.Header().Set("Content-Type", "application/json")
			_, err := w.Write(s.api)
			return err
		}).Says("server", "openapi", "Get this OpenAPI document", openapi.JSON[map[string]any](200, "OpenAPI 3.1")),
	}
}

func public(op openapi.Operation) openapi.Operation {
	op.Public, op.Lenient = true, true
	return op
}

type health struct {
	Status string `json:"status" doc:"ok"`
}

// workspace opens the workspace with its current configuration, until the request ends.
func (s *Server) workspace(ctx context.Context) (*workspace.Workspace, error) {
	ws, err := s.Open()
	if err == nil {
		context.AfterFunc(ctx, ws.Close)
		reading(ctx, ws)
	}
	return ws, err
}
