package httpapi

import (
	"context"

	"handoff/internal/web/openapi"
	"handoff/workspace/overview"
	"handoff/workspace/search"
)

type overviewInput struct {
	State    []string `query:"state" enum:"asks,broken,stale,review,waiting,held,open,done" doc:"only tasks in this state; may be repeated"`
	Archived bool     `query:"archived" doc:"include archived tasks"`
	Limit    int      `query:"limit" default:"100" min:"1" max:"1000" doc:"maximum number of tasks"`
	Offset   int      `query:"offset" default:"0" min:"0" max:"1000000000" doc:"number of tasks to skip"`
}

// getOverview is what each task is doing. What cannot be read is logged.
func (s *Server) getOverview(ctx context.Context, in overviewInput) (overview.Overview, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return overview.Overview{}, err
	}
	o := overview.Options{Archived: in.Archived, Limit: in.Limit, Offset: in.Offset}
	for _, state := range in.State {
		o.States = append(o.States, overview.State(state))
	}
	v, err := overview.Now(ctx, ws, o)
	if err != nil && (ctx.Err() != nil || len(v.Tasks) == 0) {
		return overview.Overview{}, err
	}
	if err != nil {
		s.Log.Warn("some folders cannot be read", "error", err)
	}
	return v, nil
}

type searchInput struct {
	Query string `query:"q" doc:"words that a handoff must contain, all of them, in any order and case; none: all handoffs"`
	Task  *int   `query:"task" min:"0" max:"999999999" doc:"only this task number"`
	Since *stamp `query:"since" format:"date-time" doc:"only handoffs since this RFC 3339 time or date"`
	Limit int    `query:"limit" default:"20" min:"1" max:"1000" doc:"maximum number of hits"`
}

// searchHandoffs finds handoffs by their words.
func (s *Server) searchHandoffs(ctx context.Context, in searchInput) (search.Result, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return search.Result{}, err
	}
	req := search.Request{Query: in.Query, Task: in.Task, Limit: in.Limit}
	if in.Since != nil {
		req.Since = in.Since.Time
	}
	r, err := search.Run(ctx, ws, req)
	if err != nil && (ctx.Err() != nil || len(r.Hits) == 0) {
		return search.Result{}, err
	}
	if err != nil {
		s.Log.Warn("some documents cannot be read", "error", err)
	}
	if r.Hits == nil {
		r.Hits = []search.Hit{}
	}
	return r, nil
}

// overviewOperations are those of the whole workspace.
func (s *Server) overviewOperations() []openapi.Operation {
	return []openapi.Operation{
		openapi.Call("GET", "/overview", 200, s.getOverview).Says("handoffs", "overview", "List what each task is doing, what needs a person first"),
		openapi.Call("GET", "/search", 200, s.searchHandoffs).Says("handoffs", "handoff_search", "Find handoffs by their words, the best first"),
	}
}
