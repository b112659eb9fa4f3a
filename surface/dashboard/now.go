package dashboard

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"sync"
	"time"

	"handoff/workspace"
	"handoff/workspace/graphs"
	"handoff/workspace/overview"
	"handoff/workspace/states"
	"handoff/workspace/unreported"
)

// board is the overview of all tasks, which several pages share. What changed is read
// again when something changed, and when leases may have ended.
type board struct {
	overview.Board

	mu     sync.Mutex
	number uint64
	read   time.Time
	tasks  overview.Overview
	err    error
}

// overview is the overview of all tasks that are not archived. The error names what could
// not be read.
func (d *Dashboard) overview(ctx context.Context, ws *workspace.Workspace) (overview.Overview, error) {
	b := &d.board
	b.mu.Lock()
	defer b.mu.Unlock()
	number := d.changes.number()
	if number > 0 && number == b.number && time.Since(b.read) < d.Fresh {
		return b.tasks, b.err
	}
	began := time.Now()
	if number == 0 || d.changes.blind.Load() {
		b.Changed() // no notification arrives for it
	}
	tasks, err := b.Now(ctx, ws, overview.Options{Left: d.Left})
	if ctx.Err() == nil {
		b.number, b.read, b.tasks, b.err = number, began, tasks, err
	}
	return tasks, err
}

type nowPage struct {
	Groups []stateLine
	Tasks  []overview.Task
	State  overview.State // that is selected; "" for all
	// Needs is how many tasks need a person, and Waiting how many others have a handoff
	// that an agent can take up.
	Needs, Waiting int
	All            int // tasks in any state
	Died           *unreported.Session
	Work           []states.Work // that is claimed without a handoff
	Paging         paging
}

type stateLine struct {
	State overview.State
	Count int
	URL   string
	Here  bool
}

func loadNow(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q url.Values) (page, error) {
	v, err := d.overview(ctx, ws)
	if ctx.Err() != nil {
		return page{}, ctx.Err()
	}
	if err != nil && v.Total == 0 {
		return page{}, err
	}
	data := nowPage{State: overview.State(q.Get("state")), All: v.Total, Waiting: v.Counts[overview.Waiting]}
	data.Groups = append(data.Groups, stateLine{"", v.Total, Home, data.State == ""})
	for _, s := range overview.States {
		data.Groups = append(data.Groups, stateLine{s, v.Counts[s], Home + "?state=" + string(s), data.State == s})
	}
	for _, t := range v.Tasks {
		if t.Needs != "" {
			data.Needs++
		}
		if data.State == "" || t.State == data.State {
			data.Tasks = append(data.Tasks, t)
		}
	}
	if d.Died != nil {
		data.Died = d.Died(ctx)
	}
	data.Work = v.Work
	command, json := "handoff top --json", "/overview"
	if data.State != "" {
		json += "?state=" + url.QueryEscape(string(data.State))
	}
	data.Paging = paged(Home, q, len(data.Tasks), d.PageSize)
	data.Tasks = data.Tasks[data.Paging.First:data.Paging.End]
	return page{Title: "Now", Command: command, JSON: json, Problem: sentences(err), Data: data}, nil
}

const waitingPath = Prefix + "waiting"

type waitingPage struct {
	Tasks  []overview.Task
	Paging paging
}

// loadWaiting shows handoffs that nobody works on: those that wait, and those that were
// taken up without any sign of activity since.
func loadWaiting(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q url.Values) (page, error) {
	v, err := d.overview(ctx, ws)
	if ctx.Err() != nil {
		return page{}, ctx.Err()
	}
	if err != nil && v.Total == 0 {
		return page{}, err
	}
	var data waitingPage
	for _, t := range v.Tasks {
		if t.State == overview.Waiting || t.State == overview.Stale {
			data.Tasks = append(data.Tasks, t)
		}
	}
	data.Paging = paged(waitingPath, q, len(data.Tasks), d.PageSize)
	data.Tasks = data.Tasks[data.Paging.First:data.Paging.End]
	return page{Title: "Waiting", Command: "handoff next", JSON: "/handoffs/next", Problem: sentences(err), Data: data}, nil
}

// paging is a part of a long list.
type paging struct {
	First, End, Total int    // [First, End) of Total
	Before, After     string // the addresses of the parts around it; "" for none
}

// part selects the part of trees that the query asks for before they are drawn, and sets p.
func (p *paging) part(path string, q url.Values, size int) graphs.Part {
	return func(n int) (first, end int) {
		*p = paged(path, q, n, size)
		return p.First, p.End
	}
}

// paged selects the part of a list of n that the query asks for. A part after the end is
// the last one.
func paged(path string, q url.Values, n, size int) paging {
	number, _ := strconv.Atoi(q.Get("page"))
	last := max(0, (n-1)/size)
	number = min(max(number, 1)-1, last)
	p := paging{First: number * size, Total: n}
	p.End = min(p.First+size, n)
	at := func(number int) string {
		other := url.Values{}
		for key, values := range q {
			if key != "page" {
				other[key] = values
			}
		}
		other.Set("page", fmt.Sprint(number+1))
		return path + "?" + other.Encode()
	}
	if number > 0 {
		p.Before = at(number - 1)
	}
	if number < last {
		p.After = at(number + 1)
	}
	return p
}
