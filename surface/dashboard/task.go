package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/internal/text/secret"
	"handoff/internal/text/shellword"
	"handoff/internal/text/visible"
	"handoff/lint"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/overview"
	"handoff/workspace/verify"
)

const taskPath = Prefix + "task"

// taskURL is the address of a task, with one of its handoffs open if doc is not "". A task
// without a folder is found by one of its handoffs.
func taskURL(t overview.Task, doc string) string {
	if t.Dir == "" {
		return documentURL(cmp.Or(doc, t.Path))
	}
	q := url.Values{"n": {strconv.Itoa(t.Task)}}
	if doc != "" {
		q.Set("doc", doc)
	}
	return taskPath + "?" + q.Encode()
}

// documentURL is the address of a handoff that is in no task folder, among those that it continues.
func documentURL(doc string) string { return taskPath + "?" + url.Values{"doc": {doc}}.Encode() }

type taskPage struct {
	Task     overview.Task
	Newest   documents.Row // what its author says besides
	Handoffs []link
	Document *document // nil if the task has none
	Faults   []fault   // what is wrong in files of a broken task
	Offers   []offer
}

// fault is a finding of `handoff verify` with its place.
type fault struct {
	Path    string
	Number  int // of the line; 0 for the whole file
	Col     int // in bytes; 0 for the whole line
	Text    string
	Finding finding
}

// mostFaults is how many faults are shown: `handoff verify` prints all of them.
const mostFaults = 20

// faults are the errors that `handoff verify` finds in a broken task, with the lines that they
// are in. An error of the look itself is left to that command.
func (d *Dashboard) faults(ctx context.Context, ws *workspace.Workspace, t overview.Task) (list []fault) {
	if t.State != overview.Broken || t.Dir == "" {
		return nil
	}
	_ = verify.Run(ctx, ws, verify.Request{Tasks: []string{t.Dir}}, func(r *verify.Result) error {
		for _, file := range r.Files {
			for _, f := range file.Findings {
				if f.Severity == lint.Error && len(list) < mostFaults {
					list = append(list, d.faultIn(ws, file.Path, f))
				}
			}
		}
		return nil
	})
	return list
}

// faultIn places a finding. What was read of the file is shown without secrets.
func (d *Dashboard) faultIn(ws *workspace.Workspace, path string, f lint.Finding) fault {
	v := fault{Path: path, Number: f.Lines.First, Col: f.Col, Finding: d.finding(f)}
	full := ws.Full(path)
	src, err := ws.TrustedAt(full).ReadFile(full, workspace.MaxSize)
	if all := strings.Split(string(src), "\n"); err == nil && v.Number > 0 && v.Number <= len(all) {
		v.Text = say.Clip(visible.Line(secret.Hide(all[v.Number-1])), mostDetail)
	}
	return v
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

func loadTask(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	shown := q.Get("doc")
	chain, err := chainAt(ctx, ws, q.Get("n"), shown, overview.Options{Left: d.Left})
	if err != nil && chain.Task.Chain == "" {
		return page{}, err
	}
	t := chain.Task
	p := page{Title: t.Name(), Command: "handoff graph --task " + shellword.Quote(t.Name()), Problem: sentences(err)}
	switch {
	case t.Chain == t.Path: // of no task
		p.Command = "handoff show " + shellword.Quote(t.Path)
	case t.Dir != "":
		p = page{Title: fmt.Sprintf("%d %s", t.Task, t.Slug), Command: fmt.Sprintf("handoff graph --task %d", t.Task),
			JSON: fmt.Sprintf("/specs/%d", t.Task), Problem: p.Problem}
	}
	data := taskPage{Task: t, Faults: d.faults(ctx, ws, t)}
	if d.only(ws) == "" {
		data.Offers = d.taskOffers(ctx, ws, t, q.person)
	}
	if !slices.ContainsFunc(chain.Handoffs, func(l overview.Link) bool { return l.Path == shown }) {
		shown = t.Path
	}
	for i, l := range chain.Handoffs {
		one := link{Link: l, URL: taskURL(t, l.Path), Here: l.Path == shown, Next: i < len(chain.Handoffs)-1}
		one.Edge, one.Loose = l.Took()
		if l.Path == t.Path {
			data.Newest = l.Row
		}
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

// taskOffers are the acts on the page of a task: those of its row, and to bring back work that is kept.
func (d *Dashboard) taskOffers(ctx context.Context, ws *workspace.Workspace, t overview.Task, p person) []offer {
	back := taskURL(t, "")
	list := d.offers(t, d.holding(ctx, ws, p), back)
	if d.Restores && ws.WorkNote(ctx, workspace.WorkOf{Task: t.Task, Handoff: t.Path}) != "" {
		list = append(list, offerOf("restore", "the work kept with "+handoffName(t), url.Values{"ref": {t.Path}, "to": {back}}))
	}
	return list
}

// chainAt is the task with a number, or without one that of a document.
func chainAt(ctx context.Context, ws *workspace.Workspace, number, doc string, o overview.Options) (c overview.Chain, err error) {
	if number == "" && doc != "" {
		c, err = overview.OfDocument(ctx, ws, doc, o)
		if errors.Is(err, handoff.ErrNoHandoff) {
			return c, &failure{http.StatusNotFound, "There is no such handoff in this workspace."}
		}
		return c, err
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > handoff.MaxTask {
		return c, &failure{http.StatusBadRequest, "The address names no task: it ends in ?n= and the number of a task."}
	}
	chain, err := chainOf(ctx, ws, n)
	if err != nil {
		return c, err
	}
	return overview.Of(ctx, ws, chain, o)
}

// chainOf finds a task by its number: of several, one that is not archived.
func chainOf(ctx context.Context, ws *workspace.Workspace, number int) (string, error) {
	chains, err := documents.ChainsOf(ctx, ws, ws.Root, strconv.Itoa(number))
	if errors.Is(err, handoff.ErrNoTask) {
		return "", &failure{http.StatusNotFound, fmt.Sprintf("There is no task %d in this workspace.", number)}
	}
	if err != nil {
		return "", err
	}
	found := chains[0]
	for _, chain := range chains[1:] {
		if (handoff.Name{Dir: found}).Archived() {
			found = chain
		}
	}
	return found, nil
}

// read reads a document of the workspace, and no file outside it.
func read(ctx context.Context, ws *workspace.Workspace, path string) (*handoff.Document, error) {
	e, err := documents.FindInside(ctx, ws, path)
	if err != nil {
		return nil, err
	}
	return documents.ReadInside(ws, e)
}
