package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"handoff/internal/web/openapi"
	"handoff/log/artifact"
	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
	"handoff/surface/problem"
	"handoff/workspace/threads"
)

type compileBody struct {
	threads.CompileRequest
	For *string `json:"for" enum:"prompt,openresponses,anthropic,openai" doc:"also render it in this format"`
}

type compiled struct {
	Bundle      artifact.ID         `json:"bundle_artifact_id" doc:"bundle ID, whether stored or not" pattern:"^[0-9a-f]{64}$"`
	Context     json.RawMessage     `json:"context" doc:"the bundle, rip.context_bundle.v1"`
	Explanation compile.Explanation `json:"explanation" doc:"what was included, what was left out, and why"`
	Rendering   any                 `json:"rendering" doc:"the requested format: text for prompt, otherwise fields of a provider request; null if none was requested"`
	Notes       []string            `json:"notes" doc:"what is lost and left out, and differences between the rendering and the bundle"`
}

// maxContext is the most bytes of a context that is not stored: a client accepts
// no larger answer.
const maxContext = 64 << 20

// compileThread compiles the context of a thread up to a cut.
func (s *Server) compileThread(ctx context.Context, id string, b compileBody) (compiled, error) {
	if b.MessageID != nil && (*b.MessageID == "" || b.FromSeq != nil) {
		return compiled{}, &openapi.Refusal{Status: http.StatusBadRequest, Text: "want at most one of message_id and from_seq, not empty"}
	}
	b.Max, b.NoFiles = maxContext, !s.RefsText
	r, err := s.Threads.Compile(ctx, id, b.CompileRequest)
	if errors.As(err, new(*compile.OverBudget)) {
		return compiled{}, &openapi.Refusal{Status: http.StatusBadRequest, Text: "the budget is too small for the message to answer"}
	}
	if errors.As(err, new(*compile.TooLarge)) {
		return compiled{}, &openapi.Refusal{Status: http.StatusRequestEntityTooLarge, Text: "the context is too large: set a budget to leave out what does not fit"}
	}
	if errors.As(err, new(*compile.LostParent)) {
		return compiled{}, refuse(problem.Incomplete, "events that the thread inherits are lost: restore its parent, or repeat the request with base false")
	}
	if errors.As(err, new(*compile.Lost)) {
		s.Log.Error("a context cannot be compiled", "thread", id, "error", err)
		return compiled{}, refuse(problem.Incomplete, "a part of the context is missing or damaged: restore it, or repeat the request with incomplete true")
	}
	if err != nil {
		return compiled{}, err
	}
	out := compiled{Bundle: r.Bundle.ID(), Context: r.Bundle.Bytes(), Explanation: r.Explanation, Notes: []string{}}
	out.Explanation.Kept = append([]compile.Piece{}, r.Explanation.Kept...) // a list, not null
	out.Explanation.LeftOut = append([]compile.Piece{}, r.Explanation.LeftOut...)
	for _, n := range r.Explanation.Notes() {
		out.Notes = append(out.Notes, n.String())
	}
	if b.For == nil {
		return out, nil
	}
	return out, s.render(&out, r, *b.For)
}

// render formats the context for a provider.
func (s *Server) render(out *compiled, r compile.Result, name string) error {
	if name == "openai" {
		name = "chat"
	}
	form, _ := render.FormatOf(name) // the enum has no other names
	text, err := form.Render(r.Bundle, render.Options{Artifact: s.Threads.Blobs.Get})
	if err != nil {
		return err
	}
	out.Rendering = string(text.Bytes)
	if name != "prompt" {
		out.Rendering = json.RawMessage(text.Bytes)
	}
	for _, n := range text.Notes {
		out.Notes = append(out.Notes, n.String())
	}
	return nil
}
