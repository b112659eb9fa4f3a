package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"handoff/internal/web/openapi"
	"handoff/lint/report"
	"handoff/log/artifact"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/log/tape/envelope"
	"handoff/log/thread"
	"handoff/surface/problem"
	"handoff/workspace"
	"handoff/workspace/feed"
	"handoff/workspace/handoffops"
	"handoff/workspace/overview"
	"handoff/workspace/receipts"
	"handoff/workspace/search"
	"handoff/workspace/tapes"
	"handoff/workspace/threadops"
)

// document describes the server as OpenAPI 3.1.
func document(ops []openapi.Operation) []byte { return openapi.Document(Described(), ops) }

// Described is how values are described that the server answers with, and commands print. Its version is that of the
// interface.
func Described() openapi.Info {
	schemas := thread.Schemas()
	schemas[entrySchema] = tapeEntrySchema()
	schemas[problemTypeName], schemas[knownProblemTypeName] = problemTypeSchema(), knownProblemTypeSchema()
	schemas[newHandoffName], schemas[handoffTextName] = newHandoffSchema(), handoffTextSchema()
	return openapi.Info{
		Title:       "handoff",
		Description: "Threads, runs, tapes, handoffs, artifacts and findings of one workspace. Routes for threads, sessions and events that also exist in RIP use RIP's bodies and status codes.",
		Version:     "1",
		License:     "Apache-2.0",
		Schemas:     schemas,
		Events:      map[string]reflect.Type{handoffEvent: reflect.TypeFor[feed.Event]()},
		Written:     written,
		Problem:     reflect.TypeFor[problem.Problem](),
		Enums:       enums(),
		Headers:     answerHeaders, ProblemHeaders: problemHeaders,
		Named: map[reflect.Type]string{
			reflect.TypeFor[thread.Info]():             "ThreadMeta",
			reflect.TypeFor[threadops.Ensured]():       "ThreadEnsured",
			reflect.TypeFor[thread.HandoffRequest]():   "ThreadHandoffRequest",
			reflect.TypeFor[tape.Info]():               "TapeInfo",
			reflect.TypeFor[tapes.HandoffRequest]():    "TapeHandoffRequest",
			reflect.TypeFor[tape.Node]():               "TapeNode",
			reflect.TypeFor[envelope.Content]():        "EnvelopeContent",
			reflect.TypeFor[envelope.Intention]():      "EnvelopeIntention",
			reflect.TypeFor[tapes.Context]():           "TapeContext",
			reflect.TypeFor[tapes.Hit]():               "TapeHit",
			reflect.TypeFor[receipts.Record]():         "HandoffRecord",
			reflect.TypeFor[receipts.Item]():           "HandoffItem",
			reflect.TypeFor[handoffops.NextList]():     "HandoffListing",
			reflect.TypeFor[receipts.Elsewhere]():      "HandoffElsewhere",
			reflect.TypeFor[receipt.Step]():            "ReceiptStep",
			reflect.TypeFor[receipts.ClaimRequest]():   "HandoffClaimRequest",
			reflect.TypeFor[receipts.NextRequest]():    "HandoffNextRequest",
			reflect.TypeFor[receipts.AckRequest]():     "HandoffAckRequest",
			reflect.TypeFor[receipts.RenewRequest]():   "HandoffRenewRequest",
			reflect.TypeFor[receipts.ReleaseRequest](): "HandoffReleaseRequest",
			reflect.TypeFor[receipts.DoneRequest]():    "HandoffDoneRequest",
			reflect.TypeFor[handoffops.History]():      "HandoffHistory",
			reflect.TypeFor[handoffops.ListRow]():      "HandoffRow",
			reflect.TypeFor[overview.Task]():           "OverviewTask",
			reflect.TypeFor[search.Hit]():              "HandoffHit",
			reflect.TypeFor[search.LogHit]():           "LogHit",
		},
		Tags: []openapi.Tag{
			{Name: "artifacts", Description: "Immutable blobs, named by the SHA-256 of their bytes."},
			{Name: "threads", Description: "Conversations as event streams of messages and runs, with branches and handoffs. A superset of RIP's threads."},
			{Name: "sessions", Description: "Runs: their input and output."},
			{Name: "tapes", Description: "Append-only logs of what an agent does, in Bub's format: cut by anchors, forked, merged and reset."},
			{Name: "handoffs", Description: "Handoff documents, their tasks, and what became of each handoff: claims, receipts and events."},
			{Name: "server", Description: "The server itself: health, metrics and this document."},
		},
	}
}

// operations are all operations of the server.
func (s *Server) operations() []openapi.Operation {
	ops := append(s.tapeOperations(), s.serverOperations()...)
	if s.Threads != nil {
		ops = slices.Concat(s.threadOperations(), s.sessionOperations(), s.tapeOperations(), s.handoffOperations(), s.ownOperations(), s.serverOperations())
	}
	openapi.WithTags(ops, tagged...)
	for i := range ops {
		ops[i].Headers, ops[i].Example = headersOf(ops[i]), examples[ops[i].ID]
	}
	return ops
}

// refuses are the answers for status codes with a problem.
func refuses(codes ...int) (list []openapi.Answer) {
	for _, code := range codes {
		list = append(list, openapi.Answer{Code: code})
	}
	return list
}

// threadOperations are the operations on threads: RIP's, and those that RIP does not have.
func (s *Server) threadOperations() []openapi.Operation {
	list := served(s, s.threadGroup(), threadops.Operations, s.specialThreads())
	return append(list, openapi.Call("POST", "/threads/{id}/compile", 200, withThread("want a cut within the thread", s.compileThread)).
		Says("threads", "thread_compile", "Compile the context for a run", refuses(400, 404, 409)...))
}

// specialThreads are the operations that the server does in another way than a command, by
// their names.
func (s *Server) specialThreads() map[string]openapi.Operation {
	post, events := threadops.PostMessage, threadops.Events
	stream := openapi.Raw(events.Verb(), events.Path, s.streamThread)
	stream.Answers = append(refuses(409), numbered(thread.ThreadFrame))
	return map[string]openapi.Operation{
		post.Name:   openapi.Call(post.Verb(), post.Path, post.Code, withThread(post.Invalid, s.postMessage)),
		events.Name: stream,
		threadops.AutoCompact.Name: started(threadops.AutoCompact, "A job was started", s.autoCompact,
			func(r thread.AutoResult) bool { return r.Status == "spawned" }),
		threadops.ScheduleCompact.Name: started(threadops.ScheduleCompact, "A job was started, or is left to another process", s.scheduleCompact,
			func(r thread.ScheduleResult) bool { return r.Decision == "scheduled" }),
	}
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
	json := func(code int, what string) openapi.Answer { return openapi.Answer{Code: code, What: what} }
	bytes := func(code int, what string) openapi.Answer {
		return openapi.Answer{Code: code, What: what, Media: "application/octet-stream", Headers: []string{"ETag", "Cache-Control", "Accept-Ranges", "Content-Range"}}
	}
	put := func(op openapi.Operation) openapi.Operation {
		op.RawBody, op.MaxBody = true, artifact.DefaultMax
		return op
	}
	stored := func(code int, what string) openapi.Answer { return located(openapi.JSON[storedArtifact](code, what)) }
	findings := openapi.JSON[report.FindingReport](200, "The findings")
	findings.Headers = []string{"Cache-Control"}
	return []openapi.Operation{
		openapi.Raw("GET", "/artifacts/{id}", s.getArtifact).
			Says("artifacts", "artifact_get", "Get an artifact, or parts of it by Range", bytes(200, "The whole artifact"), bytes(206, "The requested range, or several as multipart/byteranges"),
				openapi.Answer{Code: 304, What: "Not modified: the ID matches If-None-Match", Headers: []string{"ETag", "Cache-Control"}}, json(404, ""), json(416, "")),
		put(openapi.Raw("PUT", "/artifacts/{id}", s.putArtifact)).
			Says("artifacts", "artifact_put", "Store an artifact under its ID", stored(201, "Stored"), stored(200, "Already stored; a damaged copy was restored"), json(422, "")),
		put(openapi.Raw("POST", "/artifacts", s.postArtifact)).
			Says("artifacts", "artifact_post", "Store an artifact and get its ID", stored(201, "Stored, or already existed")),

		openapi.Call("GET", "/references", 200, s.findReference).Says("server", "reference_find", "Find what a short name means", refuses(400, 404)...),
		openapi.Raw("GET", "/handoffs/{ref}/metadata", s.getMetadata).
			Says("handoffs", "handoff_metadata", "Get the metadata file of the handoff's task", openapi.JSON[map[string]any](200, "The file as stored"), json(404, "")),
		openapi.Raw("GET", "/findings", s.getFindings).
			Says("handoffs", "finding_list", "Lint the handoffs, as `handoff lint --format json` does", findings, json(404, "")),
	}
}

// serverOperations are about the server itself.
func (s *Server) serverOperations() []openapi.Operation {
	return []openapi.Operation{
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
