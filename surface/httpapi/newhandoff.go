package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/internal/text/strictyaml"
	"handoff/internal/web/openapi"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/surface/problem"
	"handoff/workspace"
	"handoff/workspace/authoring"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/once"
)

type newHandoffInput struct {
	taskInput
	Body newHandoff
}

// newHandoff is the body of a request that writes a handoff. Its schema is
// [newHandoffSchema].
type newHandoff struct {
	Markdown string         `json:"markdown,omitempty"`
	Draft    bool           `json:"draft,omitempty"`
	Dry      bool           `json:"dry_run,omitempty"`
	Claim    string         `json:"claim,omitempty"`
	Carry    bool           `json:"carry,omitempty"`
	Unfenced bool           `json:"unfenced,omitempty"`
	Replace  string         `json:"replace,omitempty"`
	Values   openapi.Others `json:"-"`
	Key      string         `json:"-" header:"Idempotency-Key" doc:"idempotency key: repeating the request returns the first result and has no further effect; stored for a week"`
}

// handoffCreated is a new handoff.
type handoffCreated struct {
	Path     string       `json:"path" doc:"path relative to the workspace, with forward slashes"`
	Ref      string       `json:"ref" doc:"short name, 259/3"`
	Findings []newFinding `json:"findings" doc:"findings that did not prevent it"`
	Document string       `json:"document,omitempty" doc:"with dry_run: the text that would be written"`
	Carried  int          `json:"carried,omitempty" doc:"items of the handoff before that were taken over"`
	Vanished int          `json:"vanished,omitempty" doc:"pinned items of the handoff before that are not in it"`
	Warnings []string     `json:"warnings,omitempty" doc:"what failed after the handoff was written: the link in the metadata, or the step superseded"`

	dry bool
}

// SetHeaders names the new handoff.
func (c handoffCreated) SetHeaders(h http.Header) {
	if !c.dry {
		h.Set("Location", "/handoffs/"+url.PathEscape(c.Path))
	}
}

// newFinding is a finding about a handoff that a request writes.
type newFinding struct {
	report.Finding
	Pointer string `json:"pointer,omitempty" doc:"JSON pointer of the value in the body: /decisions/1. For markdown, line and col are those of the text as it was sent"`
}

// refusedHandoff is the answer for a handoff that is not written.
type refusedHandoff struct {
	problem.Problem
	Findings []newFinding `json:"findings,omitempty" doc:"what to change; absent if the body has another shape"`
}

// unwritten refuses a handoff.
type unwritten struct {
	detail   string
	findings []newFinding
}

func (e *unwritten) Error() string { return e.detail }

var noPhase = &unwritten{"the phase is missing", []newFinding{{report.Finding{Rule: invalidValue, Severity: lint.Error.String(),
	Message: fmt.Sprintf("want a number from 1 to %d", handoff.MaxPhase)}, "/phase"}}}

// invalidValue is the rule of a value that `handoff schema new` does not allow.
const invalidValue = "invalid-value"

// maxProblems is how many problems of values an answer lists.
const maxProblems = 100

var (
	noSpecs   = &openapi.Refusal{Status: http.StatusNotFound, Text: "the workspace has no specs folder: `handoff init` creates it"}
	otherTask = &openapi.Refusal{Status: http.StatusBadRequest, Text: "task: not the task in the path"}
	wholeText = &openapi.Refusal{Status: http.StatusBadRequest, Text: "markdown is the whole document: besides it only task, phase, slug, draft, dry_run, claim, replace and unfenced"}
)

// postHandoff writes a handoff, and supersedes the one whose claim is passed.
func (s *Server) postHandoff(ctx context.Context, in newHandoffInput) (made handoffCreated, existed bool, err error) {
	draft, err := in.Body.read()
	if err != nil {
		return made, false, err
	}
	if draft.Task != 0 && draft.Task != in.Number {
		return made, false, otherTask
	}
	if draft.Task = in.Number; draft.Phase == 0 {
		return made, false, noPhase
	}
	ws, err := s.workspace(ctx)
	if err != nil {
		return made, false, err
	}
	if err := ws.Missing(); errors.Is(err, fs.ErrNotExist) {
		return made, false, noSpecs
	}
	w := handoffWriter{s, ws, draft, in.Body}
	made, existed, err = authoring.Answered(ctx, ws, w.request(), func(done authoring.Result) handoffCreated { return w.answer(ctx, done) })
	return made.complete(ws), existed || in.Body.Dry, w.problem(err)
}

// complete adds what another surface that wrote the handoff with the same key did not
// store.
func (c handoffCreated) complete(ws *workspace.Workspace) handoffCreated {
	if c.Ref == "" && c.Path != "" {
		c.Ref = documents.EntryAt(ws, c.Path).Ref()
	}
	if c.Findings == nil {
		c.Findings = []newFinding{}
	}
	return c
}

var longKey = &openapi.Refusal{Status: http.StatusBadRequest, Text: fmt.Sprintf("want an Idempotency-Key of at most %d bytes", once.MaxKey)}

// read is the input of the new document.
func (b newHandoff) read() (*create.Draft, error) {
	values, err := jsontext.Strict.AppendMembers(nil, b.Values), error(nil)
	draft, err := create.ParseDraft("values", values)
	var invalid *strictyaml.Error
	if errors.As(err, &invalid) {
		return nil, &unwritten{"the values are not those of `handoff schema new`", invalidValues(invalid)}
	}
	if err != nil || b.Markdown == "" {
		return draft, err
	}
	if b.Carry {
		return nil, wholeText
	}
	for _, m := range b.Values {
		if m.Value != "null" && !slices.Contains([]string{"task", "phase", "slug"}, m.Name) {
			return nil, wholeText
		}
	}
	whole := create.MarkdownDraft("", []byte(b.Markdown))
	whole.Slug = draft.Slug
	if draft.Task != 0 {
		whole.Task = draft.Task
	}
	if draft.Phase != 0 {
		whole.Phase = draft.Phase
	}
	return whole, nil
}

// invalidValues are the problems of values as findings.
func invalidValues(invalid *strictyaml.Error) (list []newFinding) {
	for _, p := range invalid.Problems[:min(len(invalid.Problems), maxProblems)] {
		f := newFinding{Pointer: p.Path}
		f.Rule, f.Severity, f.Message = invalidValue, lint.Error.String(), p.Text
		list = append(list, f)
	}
	return list
}
