package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"

	"handoff"
	"handoff/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/overview"
)

const taskPath = Prefix + "task"

// taskURL is the address of a task, with one of its handoffs open if doc is not "".
func taskURL(task int, doc string) string {
	q := url.Values{"n": {strconv.Itoa(task)}}
	if doc != "" {
		q.Set("doc", doc)
	}
	return taskPath + "?" + q.Encode()
}

type taskPage struct {
	Task     overview.Task
	Handoffs []link
	Document *document // nil if the task has none
}

// link is a handoff in the chain of a task.
type link struct {
	overview.Link
	URL   string
	Here  bool   // its document is shown
	Edge  string // who took it up, and how that ended; "" if nobody did
	Loose bool   // it was given back, or its lease ended
	Next  bool   // it is not the last one
}

func loadTask(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q url.Values) (page, error) {
	number, err := strconv.Atoi(q.Get("n"))
	if err != nil || number < 0 || number > handoff.MaxTask {
		return page{}, &failure{http.StatusBadRequest, "The address names no task: it ends in ?n= and the number of a task."}
	}
	dir, err := taskFolder(ctx, ws, number)
	if err != nil {
		return page{}, err
	}
	chain, err := overview.Of(ctx, ws, dir, overview.Options{Left: d.Left})
	if err != nil && chain.Task.Dir == "" {
		return page{}, err
	}
	p := page{Title: fmt.Sprintf("%d %s", number, chain.Task.Slug), Command: fmt.Sprintf("handoff graph --task %d", number),
		JSON: fmt.Sprintf("/specs/%d", number), Problem: sentences(err)}
	data := taskPage{Task: chain.Task}
	shown := q.Get("doc")
	if !slices.ContainsFunc(chain.Handoffs, func(l overview.Link) bool { return l.Path == shown }) {
		shown = chain.Task.Path
	}
	for i, l := range chain.Handoffs {
		one := link{Link: l, URL: taskURL(number, l.Path), Here: l.Path == shown, Next: i < len(chain.Handoffs)-1}
		one.Edge, one.Loose = edge(l.Steps)
		data.Handoffs = append(data.Handoffs, one)
		if !one.Here {
			continue
		}
		before := ""
		if i > 0 {
			before = chain.Handoffs[i-1].Path
		}
		data.Document = d.document(ctx, ws, l.Path, before)
	}
	p.Data = data
	return p, nil
}

// taskFolder is the folder of a task: of several with a number, one that is not archived.
func taskFolder(ctx context.Context, ws *workspace.Workspace, number int) (string, error) {
	dirs, err := ws.Tasks(ctx)
	found := ""
	for _, dir := range dirs {
		if n, _, _ := handoff.ParseTask(path.Base(dir)); n == number && (found == "" || handoff.Name{Dir: found}.Archived()) {
			found = dir
		}
	}
	if found == "" {
		if err != nil {
			return "", err
		}
		return "", &failure{http.StatusNotFound, fmt.Sprintf("There is no task %d in this workspace.", number)}
	}
	return found, nil
}

// edge is the link between a handoff and the next one: who took it up last, and how
// that ended.
func edge(steps []overview.Event) (text string, loose bool) {
	for _, s := range steps {
		switch s.Step {
		case receipt.StepClaimed, receipt.StepAcknowledged, receipt.StepDelivered:
			text, loose = s.By, false
			if text == "" {
				text = s.Host
			}
		case receipt.StepReleased, receipt.StepExpired:
			loose = true
		}
	}
	return text, loose
}

// read reads a document of the workspace, and no file outside it.
func read(ctx context.Context, ws *workspace.Workspace, path string) (*handoff.Document, error) {
	e, err := documents.FindInside(ctx, ws, path)
	if err != nil {
		return nil, err
	}
	return documents.ReadInside(ws, e)
}
