package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"handoff/internal/web/openapi"
	"handoff/surface/problem"
	"handoff/surface/refusal"
)

// refuse is the error for a request that is rejected with a problem of a kind.
func refuse(k *problem.Kind, text string) *openapi.Refusal {
	return &openapi.Refusal{Status: k.Status, Text: text, Type: string(k.Type)}
}

// problemOf is the answer to an error.
func problemOf(err error) problem.Problem {
	var rejected *openapi.Refusal
	if errors.As(err, &rejected) {
		return rejection(rejected)
	}
	var refused *unwritten
	if errors.As(err, &refused) {
		return problem.Refused.New(refused.detail)
	}
	if p, ok := refusal.Of(err); ok {
		return p
	}
	return internalError()
}

// rejection is the answer to a request that was rejected before anything was done.
func rejection(r *openapi.Refusal) problem.Problem {
	p := problem.Of(r.Status, r.Text)
	k := problem.Find(problem.Type(r.Type))
	switch {
	case k != nil:
	case r.Name != "" && r.Status == http.StatusBadRequest:
		k = problem.Parameter
	case r.Name != "":
		k = problem.Member
	case r.Status == http.StatusUnprocessableEntity:
		k = problem.Body
	case r.Status == http.StatusServiceUnavailable:
		k = problem.Busy
	}
	if k != nil {
		p.Type, p.Title = k.Type, k.Title
	}
	if p.Name, p.Nearest = r.Name, r.Nearest; r.Status == http.StatusServiceUnavailable {
		p.RetryAfter = 1
	}
	return p
}

func internalError() problem.Problem {
	return problem.Of(http.StatusInternalServerError, "internal error: see the server's log")
}

// fail answers with an error. If part of an answer was sent already, it breaks the
// connection off instead, so that no client mistakes the part for the whole.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	rejected := errors.As(err, new(*openapi.Refusal))
	if r.Context().Err() != nil && !rejected {
		return // the client disconnected
	}
	p := problemOf(err)
	if p.Status >= http.StatusInternalServerError && !(rejected && p.Status == http.StatusServiceUnavailable) { // a busy server does not log each time
		s.Log.Error("request failed", "method", r.Method, "route", r.Pattern, "error", err)
	}
	if begun(w) {
		panic(http.ErrAbortHandler)
	}
	writeProblem(w, p, err)
}

// writeProblem writes a problem, with the findings of a handoff that was not written.
func writeProblem(w http.ResponseWriter, p problem.Problem, err error) {
	h := w.Header()
	for _, k := range []string{"ETag", "Last-Modified", "Content-Length", "Location"} {
		h.Del(k) // set for the answer that failed
	}
	h.Set("Content-Type", openapi.ProblemMedia)
	h.Set("Cache-Control", "no-store")
	if p.RetryAfter > 0 {
		h.Set("Retry-After", strconv.FormatInt(p.RetryAfter, 10))
	}
	w.WriteHeader(p.Status)
	var body any = p
	if refused := (*unwritten)(nil); errors.As(err, &refused) {
		body = refusedHandoff{p, refused.findings}
	}
	if text, err := json.Marshal(body); err == nil {
		w.Write(text)
	}
}
