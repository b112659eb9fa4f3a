package httpapi

import (
	"context"
	"net/http"

	"handoff/artifact"
	"handoff/internal/openapi"
	"handoff/workspace"
)

// Document describes what a server can do, as OpenAPI 3.1. Its version is that
// of the interface.
func Document() []byte { return document(new(Server).operations()) }

func document(ops []openapi.Operation) []byte {
	return openapi.Document(openapi.Info{
		Title:       "handoff",
		Description: "Handoffs, artifacts and findings of one workspace. Where RIP (rip.*.v1) has a route, this one has its bodies and codes.",
		Version:     "1",
		License:     "Apache-2.0",
		Tags: []openapi.Tag{
			{Name: "artifacts", Description: "Immutable blobs, named by the SHA-256 of their bytes."},
			{Name: "handoffs", Description: "The documents of the workspace and their tasks. They are only read."},
			{Name: "server", Description: "The server itself."},
		},
	}, ops)
}

// operations is all that the server can do.
func (s *Server) operations() []openapi.Operation {
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
			Says("artifacts", "artifact_get", "Get an artifact, or a part of it by Range", bytes(200, "All of it"), bytes(206, "The part, or the parts as multipart/byteranges"),
				json(304, "It is what If-None-Match names"), json(404, ""), json(416, "")),
		put(openapi.Raw("PUT", "/artifacts/{id}", s.putArtifact)).
			Says("artifacts", "artifact_put", "Store bytes that hash to the id", stored(201, "It is stored"), stored(200, "It was there; if it was damaged it is healed"), json(422, "")),
		put(openapi.Raw("POST", "/artifacts", s.postArtifact)).
			Says("artifacts", "artifact_post", "Store bytes and learn their id", stored(201, "It is stored, or was already")),

		openapi.Call("GET", "/tasks", 200, s.listTasks).Says("handoffs", "task_list", "List the tasks"),
		openapi.Call("GET", "/tasks/{n}", 200, s.getTask).Says("handoffs", "task_get", "Get a task: its metadata and its handoffs", json(404, "")),
		openapi.Call("GET", "/handoffs", 200, s.listHandoffs).Says("handoffs", "handoff_list", "List handoffs, the newest first"),
		openapi.Call("GET", "/handoffs/{ref}", 200, s.getHandoff).Says("handoffs", "handoff_get", "Get what a handoff is about, and its bundle", json(404, "")),
		openapi.Raw("GET", "/handoffs/{ref}/document", s.getDocument).
			Says("handoffs", "handoff_document", "Get the document as it is written", openapi.Answer{Code: 200, What: "The document", Media: markdown}, json(404, "")),
		openapi.Raw("GET", "/handoffs/{ref}/brief", s.getBrief).
			Says("handoffs", "handoff_brief", "Get what a successor is told, in levels", openapi.Answer{Code: 200, What: "The brief", Media: markdown}, json(404, "")),
		openapi.Raw("GET", "/handoffs/{ref}/metadata", s.getMetadata).
			Says("handoffs", "handoff_metadata", "Get the metadata file of the handoff's task", openapi.JSON[map[string]any](200, "The file as it is"), json(404, "")),
		openapi.Raw("GET", "/findings", s.getFindings).
			Says("handoffs", "finding_list", "Check the handoffs, as `handoff lint --format json` does", openapi.JSON[findingReport](200, "What was found"), json(404, "")),

		public(openapi.Call("GET", "/healthz", 200, func(context.Context, openapi.Nothing) (health, error) { return health{"ok"}, nil })).
			Says("server", "health", "Whether the server answers"),
		openapi.Raw("GET", "/metrics", s.showMetrics).
			Says("server", "metrics", "Counts for Prometheus", openapi.Answer{Code: 200, What: "Prometheus' text format", Media: "text/plain; version=0.0.4; charset=utf-8"}),
		openapi.Raw("GET", "/openapi.json", func(w http.ResponseWriter, _ *http.Request, _ openapi.Nothing) error {
			w.Header().Set("Content-Type", "application/json")
			_, err := w.Write(s.api)
			return err
		}).Says("server", "openapi", "This document", openapi.JSON[map[string]any](200, "OpenAPI 3.1")),
	}
}

func public(op openapi.Operation) openapi.Operation {
	op.Public = true
	return op
}

type health struct {
	Status string `json:"status" doc:"ok"`
}

// workspace opens the workspace as it is configured now.
func (s *Server) workspace() (*workspace.Workspace, error) { return s.Open() }
