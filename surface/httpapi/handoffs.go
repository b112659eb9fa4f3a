package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
)

var noMetadata = &openapi.Refusal{Status: http.StatusNotFound, Text: "the task has no metadata file"}

// handoffInput names one handoff. In a path "/" is spelled %2F.
type handoffInput struct {
	Ref string `path:"ref" example:"latest" doc:"259/3 (newest of task/phase), 259, latest, the path of a document relative to the workspace, such as HANDOFF.md, or the beginning of a title; for claims also work without a document: issue:311, task:7 or path:src/x/**; write each slash as %2F"`
}

type briefInput struct {
	handoffInput
	handoffops.BriefForm
}

// read resolves the name of a handoff and reads it.
func read(ctx context.Context, ws *workspace.Workspace, ref string) (documents.Entry, *handoff.Document, error) {
	e, err := documents.FindInside(ctx, ws, ref)
	if errors.Is(err, handoff.ErrInvalid) {
		return e, nil, &openapi.Refusal{Status: http.StatusBadRequest, Text: "want 259/3 (task/phase), 259, latest, or the path of a handoff, with %2F for each slash"}
	}
	var doc *handoff.Document
	if err == nil {
		doc, err = documents.ReadInside(ws, e)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = workspace.NoHandoff("no such handoff")
	}
	return e, doc, err
}

// find opens the workspace and reads a handoff in it.
func (s *Server) find(ctx context.Context, ref string) (*workspace.Workspace, documents.Entry, *handoff.Document, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return nil, documents.Entry{}, nil, err
	}
	e, doc, err := read(ctx, ws, ref)
	return ws, e, doc, err
}

func (s *Server) getDocument(w http.ResponseWriter, r *http.Request, in handoffInput) error {
	at, err := s.handoffs(r.Context())
	if err != nil {
		return err
	}
	d, err := handoffops.Show.Do(at, r.Context(), in.Ref, ops.None{})
	if err != nil {
		return err
	}
	return writeMarkdown(w, d.Document)
}

func (s *Server) getBrief(w http.ResponseWriter, r *http.Request, in briefInput) error {
	at, err := s.handoffs(r.Context())
	if err != nil {
		return err
	}
	b, err := handoffops.Brief.Do(at, r.Context(), in.Ref, handoffops.BriefRequest{BriefForm: in.BriefForm})
	if err != nil {
		return receiptProblem(err, handoffops.Brief.Invalid)
	}
	return writeMarkdown(w, b.Brief)
}

const markdown = "text/markdown; charset=utf-8"

func writeMarkdown(w http.ResponseWriter, text string) error {
	h := w.Header()
	h.Set("Content-Type", markdown)
	h.Set("Cache-Control", "no-cache")
	_, err := io.WriteString(w, text)
	return err
}

func (s *Server) getMetadata(w http.ResponseWriter, r *http.Request, in handoffInput) error {
	ws, e, _, err := s.find(r.Context(), in.Ref)
	if err != nil {
		return err
	}
	if e.Name.Dir == "" {
		return noMetadata
	}
	src, err := documents.Metadata(ws, e.Name.Dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noMetadata
	case err != nil:
		return err
	case !json.Valid(src):
		return &openapi.Refusal{Status: http.StatusInternalServerError, Text: "the metadata file is not JSON (`handoff verify` says where)"}
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write(src)
	return err
}
