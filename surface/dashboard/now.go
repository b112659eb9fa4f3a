package dashboard

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"handoff/workspace"
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
	read   time.Time     // when it began to be read
	took   time.Duration // how long that was
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
	fresh := d.Fresh
	if number == 0 { // the watch begins, and everything is read again when it has: until then, a large tree is not read without end
		fresh = (1 + restOfPages) * b.took
	}
	if number == b.number && time.Since(b.read) < fresh {
		return b.tasks, b.err
	}
	began := time.Now()
	if number == 0 || d.changes.blind.Load() {
		b.Changed() // no notification arrives for it
	}
	tasks, err := b.Now(ctx, ws, overview.Options{Left: d.Left})
	if ctx.Err() == nil {
		b.number, b.read, b.took, b.tasks, b.err = number, began, time.Since(began), tasks, err
	}
	return tasks, err
}

type nowPage struct {
	States []stateLine
	Groups []group
	State  overview.State // that is selected; "" for all
	// Needs is how many tasks need a person, and Waiting how many others have a handoff
	// that an agent can take up.
	Needs, Waiting int
	All            int // tasks in any state
	Rest           rest
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

// group is the tasks of the first page below one heading.
type group struct {
	Title string
	Rows  []taskRow
}

// taskRow is a task with its picture.
type taskRow struct {
	overview.Task
	Picture overview.Picture
	Offers  []offer
}

// rest is the tasks that ask for nothing: a line with their number, unless it is open.
type rest struct {
	Open, Done int
	Shown      bool
	URL        string // that shows or hides them
}

// groupOf is the heading of a task on the first page.
func groupOf(t overview.Task) string {
	switch {
	case t.Needs != "":
		return "Needs a person"
	case t.State == overview.Held:
		return "At work"
	case t.State == overview.Waiting:
		return agentTitle
	}
	return restTitle
}

// Headings of the tasks that an agent can take up without a person, and of those that ask for nothing.
const agentTitle, restTitle = "Waits for an agent", "Open and done"

// titles are the headings of the first page, from top to bottom.
var titles = []string{"Needs a person", "At work", agentTitle, restTitle}

func loadNow(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	v, err := d.overview(ctx, ws)
	if ctx.Err() != nil {
		return page{}, ctx.Err()
	}
	if err != nil && v.Total == 0 {
		return page{}, err
	}
	data := nowPage{State: overview.State(q.Get("state")), All: v.Total}
	data.States = statesOf(v, data.State)
	data.Rest = rest{Open: v.Counts[overview.Open], Done: v.Counts[overview.Done], Shown: q.Has("rest"), URL: Home + "?rest#rest"}
	if data.Rest.Shown {
		data.Rest.URL = Home
	}
	tasks := data.choose(v.Tasks)
	if d.Died != nil {
		data.Died = d.Died(ctx)
	}
	data.Work = v.Work
	command, json := "handoff top --json", "/overview"
	if data.State != "" {
		json += "?state=" + url.QueryEscape(string(data.State))
	}
	data.Paging = paged(Home, q.Values, len(tasks), d.PageSize)
	data.group(d.rows(ctx, ws, tasks[data.Paging.First:data.Paging.End], q, Home))
	return page{Title: "Now", Command: command, JSON: json, Problem: sentences(err), Data: data}, nil
}

// statesOf are the states that tasks are in, and the one that is selected.
func statesOf(v overview.Overview, selected overview.State) []stateLine {
	list := []stateLine{{"", v.Total, Home, selected == ""}}
	for _, s := range overview.States {
		if v.Counts[s] > 0 || s == selected {
			list = append(list, stateLine{s, v.Counts[s], Home + "?state=" + string(s), selected == s})
		}
	}
	return list
}

// choose returns the tasks that the page lists, in the order of the headings.
func (p *nowPage) choose(all []overview.Task) (list []overview.Task) {
	for _, t := range all {
		if t.Needs != "" {
			p.Needs++
		}
		if groupOf(t) == agentTitle {
			p.Waiting++
		}
		if p.State == "" && (p.Rest.Shown || groupOf(t) != restTitle) || p.State != "" && t.State == p.State {
			list = append(list, t)
		}
	}
	if p.State == "" {
		slices.SortStableFunc(list, func(a, b overview.Task) int {
			return slices.Index(titles, groupOf(a)) - slices.Index(titles, groupOf(b))
		})
	}
	return list
}

// group adds tasks below their headings. A page of one state needs none.
func (p *nowPage) group(rows []taskRow) {
	for _, r := range rows {
		title := ""
		if p.State == "" {
			title = groupOf(r.Task)
		}
		if n := len(p.Groups); n == 0 || p.Groups[n-1].Title != title {
			p.Groups = append(p.Groups, group{Title: title})
		}
		last := &p.Groups[len(p.Groups)-1]
		last.Rows = append(last.Rows, r)
	}
}

// rows are tasks with their pictures and what a person may do with them, who comes back to the page.
func (d *Dashboard) rows(ctx context.Context, ws *workspace.Workspace, tasks []overview.Task, q request, path string) (rows []taskRow) {
	mine, back, only := d.holding(ctx, ws, q.person), path, d.only(ws) != ""
	if len(q.Values) > 0 {
		back += "?" + q.Encode()
	}
	for i, p := range overview.Pictures(ws, tasks) {
		row := taskRow{Task: tasks[i], Picture: p}
		if !only {
			row.Offers = d.offers(row.Task, mine, back)
		}
		rows = append(rows, row)
	}
	return rows
}

const waitingPath = Prefix + "waiting"

type waitingPage struct {
	Rows   []taskRow
	Paging paging
}

// loadWaiting shows handoffs that wait for an agent, and those that were taken up without any sign
// of activity since.
func loadWaiting(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	v, err := d.overview(ctx, ws)
	if ctx.Err() != nil {
		return page{}, ctx.Err()
	}
	if err != nil && v.Total == 0 {
		return page{}, err
	}
	var data waitingPage
	var tasks []overview.Task
	for _, t := range v.Tasks {
		if t.State == overview.Waiting || t.State == overview.Stale {
			tasks = append(tasks, t)
		}
	}
	data.Paging = paged(waitingPath, q.Values, len(tasks), d.PageSize)
	data.Rows = d.rows(ctx, ws, tasks[data.Paging.First:data.Paging.End], q, waitingPath)
	return page{Title: "Waiting", Command: "handoff next", JSON: "/handoffs/next", Problem: sentences(err), Data: data}, nil
}

// paging is a part of a long list.
type paging struct {
	First, End, Total int    // [First, End) of Total
	Before, After     string // the addresses of the parts around it; "" for none
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
