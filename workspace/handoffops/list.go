package handoffops

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
	"handoff/workspace/states"
)

const sinceWords = "want since as an age (90m, 12h, 7d), an RFC 3339 time or a date"

// List lists handoffs: see [At.Listed]. What can be read is the result, also with an error about the rest.
var List = &Op[ListRequest, []ListRow]{About: ops.About{Name: "ls", ID: "handoff_list", Help: "list the handoffs, newest first", Args: "[REF]", Extra: 1, Whole: true, Partial: true,
	Method: "GET", Path: "/handoffs", Summary: "List handoffs, newest first", Invalid: sinceWords},
	Do: func(a *At, ctx context.Context, _ string, r ListRequest) ([]ListRow, error) {
		list, _, err := a.Listed(ctx, r)
		return list, err
	}}

// ListRequest selects handoffs.
type ListRequest struct {
	Ref    string `json:"-"` // all of a task, 259, or of a phase, 259/3, or a handoff; a path and a title for callers in the workspace
	Task   *int   `query:"task" min:"0" max:"999999999" doc:"only this task number" flag:"task=N" names:"task" unset:"all" usage:"only this task: its number, or what the plan of another tool calls it"`
	Named  string `json:"-"` // what the plan of another tool calls the task; for callers in the workspace
	Phase  string `query:"phase" doc:"only this phase, as written: 3, 3A" flag:"phase=P" usage:"only this phase"`
	Since  string `query:"since" doc:"only handoffs of at most this age (90m, 12h, 7d), or since this RFC 3339 time or date" flag:"since=AGE" usage:"only those of at most this age, such as 90m, 12h or 7d; or since a date, such as 2026-02-12"`
	State  string `query:"state" enum:"asks,broken,stale,review,waiting,held,open,done" doc:"only the newest handoffs of tasks in this state" flag:"state=STATE" usage:"only those in this state: asks, broken, stale, review, waiting, held, open or done"`
	All    bool   `query:"all" doc:"include archived tasks" flag:"all" usage:"include archived tasks"`
	Limit  int    `query:"limit" default:"100" min:"1" max:"1000" doc:"maximum number of results"`
	Offset int    `query:"offset" default:"0" min:"0" max:"1000000000" doc:"number of results to skip; deprecated: use after, which a new handoff does not shift" deprecated:"true"`
	Cursor string `query:"after" doc:"where the list continues: from the header Link of the answer before; without offset"`
	Alone  bool   `json:"-"` // without states, which takes longer than to list; for callers in the workspace
}

// ListRow is a handoff in a list.
type ListRow struct {
	documents.Row
	State states.State `json:"state,omitempty" doc:"of its task, if it is the newest handoff of that"`
	receipts.Freshness
}

// Listed are the handoffs that a request selects, and how many there are with those that its limit leaves out.
func (a *At) Listed(ctx context.Context, r ListRequest) (rows []ListRow, total int, err error) {
	since, err := Since(r.Since, a.Now())
	if err != nil {
		return nil, 0, err
	}
	f := documents.Filter{Task: r.Task, ID: r.Named, Phase: r.Phase, Since: since, Live: !r.All}
	if r.State == "" && r.Cursor == "" && r.Limit < math.MaxInt-r.Offset {
		f.Few = r.Offset + r.Limit
	}
	list, err := a.selected(ctx, r.Ref, f)
	var known map[string]receipts.Known
	if r.State != "" {
		known = a.states(ctx, list)
		list = slices.DeleteFunc(list, func(e documents.Entry) bool { return known[e.Path].State != states.State(r.State) })
	}
	total = len(list)
	list, wrong := ops.After(list, func(e documents.Entry) string { return e.Path }, r.Cursor)
	err, list = cmp.Or(wrong, err), list[min(r.Offset, len(list)):]
	list = list[:min(r.Limit, len(list))]
	if known == nil && !r.Alone {
		known = a.states(ctx, list)
	}
	fresh := receipts.FreshnessOf(a.Workspace) // of the states
	rows = make([]ListRow, len(list))
	shows := documents.OpenShows(a.Workspace, len(list))
	defer shows.Close()
	for i, e := range list {
		k := known[e.Path]
		if rows[i] = (ListRow{State: k.State, Freshness: fresh}); k.Row != nil && a.Find == nil {
			rows[i].Row = *k.Row
		} else {
			rows[i].Row = shows.Row(e, a.reading())
		}
	}
	return rows, total, err
}

// selected are the documents that a filter and a reference, if there is one, select.
func (a *At) selected(ctx context.Context, ref string, f documents.Filter) ([]documents.Entry, error) {
	switch {
	case ref == "":
		return documents.List(ctx, a.Workspace, f)
	case f.Task != nil || f.ID != "" || f.Phase != "" || !f.Since.IsZero():
		return nil, fmt.Errorf("ls %s: leave out --task, --phase and --since, or the argument", ref)
	}
	return documents.Named(ctx, a.Workspace, a.Dir, ref, f)
}

// states are those of the listed handoffs. Without a safe place for receipts, none has a state; operations that
// need one report why.
func (a *At) states(ctx context.Context, list []documents.Entry) map[string]receipts.Known {
	b, err := receipts.Open(a.Workspace)
	if err != nil {
		return map[string]receipts.Known{}
	}
	return b.States(ctx, list)
}

// reading reads the document of an entry. A caller from outside sees none that is outside of the workspace.
func (a *At) reading() func(*workspace.Workspace, documents.Entry) (*handoff.Document, error) {
	if a.Find != nil {
		return documents.ReadInside
	}
	return documents.Read
}

func (a *At) row(e documents.Entry) documents.Row {
	doc, err := a.reading()(a.Workspace, e)
	return documents.MakeRow(e, doc, err)
}

// Since is the earliest time that a request asks for.
func Since(text string, now time.Time) (time.Time, error) {
	t, err := documents.ParseSince(text, now)
	if err != nil {
		err = fmt.Errorf("--since %w", err)
	}
	return t, err
}

// Refs are the handoffs that are not archived, one for each short name. It lists the files without reading them, and
// leaves out what cannot be listed.
func Refs(ctx context.Context, ws *workspace.Workspace) []documents.Entry {
	entries, _ := documents.Paths(ctx, ws, documents.Filter{Live: true})
	seen := map[string]bool{"": true}
	return slices.DeleteFunc(entries, func(e documents.Entry) bool {
		ref := e.Ref()
		known := seen[ref]
		seen[ref] = true
		return known
	})
}
