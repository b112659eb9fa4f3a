package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
	"handoff/workspace/spawn/prompt"
)

var noMetadata = &openapi.Refusal{Status: http.StatusNotFound, Text: "the task has no metadata file"}

// handoffInput names one handoff. In a path "/" is spelled %2F.
type handoffInput struct {
	Ref string `path:"ref" pattern:"^(latest|(0|[1-9][0-9]{0,8})(/[0-9A-Za-z-]{1,9})?|specs/([^/]+/)+handoffs/[0-9A-Za-z_-]{1,64}\\.md)$" doc:"259/3 (newest of task/phase), 259, latest, or a path relative to the workspace; write each slash as %2F"`
}

type briefInput struct {
	handoffInput
	Level    string `query:"level" default:"1" enum:"1,2,3,full" doc:"1: next action and state; 2: also decisions, dead ends and context; 3: also references; full: the document"`
	MaxBytes int    `query:"max_bytes" default:"10000" min:"1" max:"1048576" doc:"maximum size in bytes; cut at a line end"`
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

// find is read with the source of a brief.
func (s *Server) find(ctx context.Context, ref string) (*workspace.Workspace, brief.Source, documents.Entry, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return nil, brief.Source{}, documents.Entry{}, err
	}
	e, doc, err := read(ctx, ws, ref)
	if err != nil {
		return ws, brief.Source{}, e, err
	}
	return ws, prompt.SourceOf(ctx, ws, e, doc), e, nil
}

func (s *Server) getDocument(w http.ResponseWriter, r *http.Request, in handoffInput) error {
	_, src, _, err := s.find(r.Context(), in.Ref)
	if err != nil {
		return err
	}
	return writeMarkdown(w, src.Doc.Source)
}

func (s *Server) getBrief(w http.ResponseWriter, r *http.Request, in briefInput) error {
	ws, src, e, err := s.find(r.Context(), in.Ref)
	if err != nil {
		return err
	}
	src.Notes = outdated.Notes(r.Context(), ws, e, outdated.Since(r.Context(), ws, e, src.Doc), in.MaxBytes/3)
	level, _ := brief.ParseLevel(in.Level)
	text, err := brief.Make(src, level, in.MaxBytes)
	if errors.Is(err, handoff.ErrInvalid) {
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: "max_bytes is too small for the first lines of the brief"}
	}
	if err != nil {
		return err
	}
	return writeMarkdown(w, text)
}

func writeMarkdown(w http.ResponseWriter, text string) error {
	h := w.Header()
	h.Set("Content-Type", "text/markdown; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	_, err := io.WriteString(w, text)
	return err
}

func (s *Server) getMetadata(w http.ResponseWriter, r *http.Request, in handoffInput) error {
	ws, _, e, err := s.find(r.Context(), in.Ref)
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
