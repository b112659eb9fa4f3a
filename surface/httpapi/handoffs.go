package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"time"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
	"handoff/workspace/spawn/prompt"
)

var noMetadata = &openapi.Refusal{Status: http.StatusNotFound, Text: "the task has no metadata file"}

type handoffFilter struct {
	Task   *int   `query:"task" min:"0" max:"999999999" doc:"only this task number"`
	Phase  string `query:"phase" doc:"only this phase, as written: 3, 3A"`
	Since  *stamp `query:"since" format:"date-time" doc:"only handoffs since this RFC 3339 time or date"`
	All    bool   `query:"all" doc:"include archived tasks"`
	Limit  int    `query:"limit" default:"100" min:"1" max:"1000" doc:"maximum number of results"`
	Offset int    `query:"offset" default:"0" min:"0" max:"1000000000" doc:"number of results to skip"`
}

// stamp is a time given as a parameter.
type stamp struct{ time.Time }

// handoffInput names one handoff. In a path "/" is spelled %2F.
type handoffInput struct {
	Ref string `path:"ref" pattern:"^(latest|(0|[1-9][0-9]{0,8})(/[0-9A-Za-z-]{1,9})?|specs/([^/]+/)+handoffs/[0-9A-Za-z_-]{1,64}\\.md)$" doc:"259/3 (newest of task/phase), 259, latest, or a path relative to the workspace; write each slash as %2F"`
}

type briefInput struct {
	handoffInput
	Level    string `query:"level" default:"1" enum:"1,2,3,full" doc:"1: next action and state; 2: also decisions, dead ends and context; 3: also references; full: the document"`
	MaxBytes int    `query:"max_bytes" default:"10000" min:"1" max:"1048576" doc:"maximum size in bytes; cut at a line end"`
}

// handoffDetail is a handoff with its bundle.
type handoffDetail struct {
	documents.Row
	Bundle *artifact.ID `json:"bundle_artifact_id" doc:"the bundle linked in the metadata; null if there is none or it is missing" pattern:"^[0-9a-f]{64}$"`
}

func (s *Server) listHandoffs(ctx context.Context, in handoffFilter) ([]documents.Row, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return nil, err
	}
	f := documents.Filter{Task: in.Task, Phase: in.Phase, Live: !in.All}
	if in.Since != nil {
		f.Since = in.Since.Time
	}
	list, err := s.list(ctx, ws, f)
	if err != nil {
		return nil, err
	}
	list = list[min(in.Offset, len(list)):]
	return rows(ws, list[:min(in.Limit, len(list))]), nil
}

// list returns the handoffs that can be listed, and logs folders that cannot be
// read.
func (s *Server) list(ctx context.Context, ws *workspace.Workspace, f documents.Filter) ([]documents.Entry, error) {
	list, err := documents.List(ctx, ws, f)
	if err != nil && (ctx.Err() != nil || len(list) == 0) {
		return nil, err
	}
	if err != nil {
		s.Log.Warn("some folders cannot be read", "error", err)
	}
	return list, nil
}

func rows(ws *workspace.Workspace, list []documents.Entry) []documents.Row {
	out := make([]documents.Row, len(list))
	for i, e := range list {
		doc, err := documents.ReadInside(ws, e)
		out[i] = documents.MakeRow(e, doc, err)
	}
	return out
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

func (s *Server) getHandoff(ctx context.Context, in handoffInput) (handoffDetail, error) {
	ws, src, e, err := s.find(ctx, in.Ref)
	if err != nil {
		return handoffDetail{}, err
	}
	d := handoffDetail{Row: documents.MakeRow(e, src.Doc, nil)}
	if id, _, err := documents.LinkedBundle(ws, e); err == nil { // otherwise, `verify` reports the problem
		d.Bundle = &id
	}
	return d, nil
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

// UnmarshalText reads RFC 3339, or a date.
func (s *stamp) UnmarshalText(text []byte) (err error) {
	if s.Time, err = time.Parse(time.RFC3339, string(text)); err != nil {
		s.Time, err = time.Parse(time.DateOnly, string(text))
	}
	return err
}
