package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/shellword"
	"handoff/internal/text/tree"
	"handoff/log/thread"
	"handoff/log/thread/runner"
	"handoff/workspace"
	"handoff/workspace/graphs"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

const threadsPath = Prefix + "threads"

// threadURL is the address of a thread.
func threadURL(id string) string { return threadsPath + "?" + url.Values{"id": {id}}.Encode() }

// mostSaid is how many parts of a conversation are shown: the last ones, at most mostShownParts on request. mostAnswer is how much of
// an answer, in bytes.
const (
	mostSaid       = 100
	mostShownParts = 3200
	mostAnswer     = 1 << 20
)

type threadsPage struct {
	Rows    []threadRow // of all threads
	Paging  paging
	Picture template.HTML // the relatives of the thread that is shown; "" for none
	Info    *thread.Info  // nil for all
	Created string        // the command that creates a thread like it
	Parts   []part
	More    int               // events before them, of the thread InMore
	InMore  string            // "" for the thread itself
	Older   string            // the address with more of them; "" for none
	Above   string            // the thread that comes before these events, because it is inherited; "" for none
	Titles  map[string]string // what threads are called: the title, else the short id
}

// part is a part of a conversation.
type part struct {
	threadops.Said
	URL   string  // to branch or hand off from a message; "" for other parts
	Other string  // the thread that it comes from or leads to
	Retry []offer // of an answer that failed
}

// loadThreads shows the trees of all threads, or a thread with its relatives and messages.
func loadThreads(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	t, err := threads.In(ctx, ws, false)
	if err != nil {
		return page{}, err
	}
	defer t.Close()
	id := q.Get("id")
	if id == "" {
		return allThreads(ctx, d, t, q.Values)
	}
	info, err := t.Get(ctx, id)
	if err != nil {
		return page{}, threadFailure(err)
	}
	last := shown(q.Values)
	talk, node, above, err := conversation(ctx, t, info, last)
	if node == nil && err != nil {
		return page{}, threadFailure(err)
	}
	data := threadsPage{Info: &info, Created: creating(info), Titles: titlesOf(node)}
	data.Picture = picture("Relatives and runs of this thread", shortened(t, graphs.Near(t, node, above, graphs.Links{Thread: threadURL})))
	if data.More, data.Above = int(talk.Earlier), talk.EarlierIn; data.More > 0 {
		data.InMore = talk.Said[0].Thread
		if last < mostShownParts {
			data.Older = threadURL(id) + "&last=" + strconv.Itoa(min(2*last, mostShownParts))
		}
	}
	talk.Answers(ctx, t, mostAnswer, func(err error) error { return err })
	data.add(talk, d.Retry != nil && d.only(ws) == "")
	title := data.Titles[id]
	if title == "" {
		title = shortStream(id)
	}
	return page{Title: title, Command: "handoff thread show " + shellword.Quote(id), JSON: "/threads/" + url.PathEscape(id) + "/lineage",
		Problem: sentences(err), Data: data}, nil
}

// shown is how many parts of a conversation are asked for.
func shown(q url.Values) int {
	last, err := strconv.Atoi(q.Get("last"))
	if err != nil || last < 1 {
		return mostSaid
	}
	return min(last, mostShownParts)
}

// conversation reads the end of a thread and the threads near it; above reports that there are others above. The texts of answers are read
// only if they are shown.
func conversation(ctx context.Context, t *threads.Threads, info thread.Info, last int) (talk threadops.Talk, node *thread.Node, above bool, err error) {
	node, above, err = t.Near(ctx, info.ThreadID, graphs.MaxNear)
	if node == nil {
		return talk, nil, above, err
	}
	talk.Info = info
	if readErr := talk.Read(ctx, t, threadops.Children(node), last); readErr != nil {
		return talk, nil, above, readErr
	}
	return talk, node, above, errors.Join(err, talk.Gap)
}

// titlesOf are the names of the threads of a tree.
func titlesOf(n *thread.Node) map[string]string {
	names := map[string]string{}
	var add func(*thread.Node)
	add = func(n *thread.Node) {
		names[n.ThreadID] = shortStream(n.ThreadID)
		if n.Title != nil && strings.TrimSpace(*n.Title) != "" {
			names[n.ThreadID] = *n.Title
		}
		for _, child := range n.Children {
			add(child)
		}
	}
	if n != nil {
		add(n)
	}
	return names
}

// shortStream is enough of the id of a thread or run for people.
func shortStream(id string) string { return handoff.ShortIDs([]string{id})[id] }

// shortened makes the ids of threads and runs in a picture short.
func shortened(t *threads.Threads, nodes []*tree.Node) []*tree.Node {
	all, _ := t.Streams(thread.Continuity) // those that cannot be listed stay whole
	runs, _ := t.Streams(thread.Session)
	short := handoff.ShortIDs(slices.Concat(all, runs))
	var each func([]*tree.Node)
	each = func(nodes []*tree.Node) {
		for _, n := range nodes {
			if id := short[n.ID]; id != "" {
				n.ID = id
			}
			each(n.Children)
		}
	}
	each(nodes)
	return nodes
}

// threadRow is a thread in the list of all.
type threadRow struct {
	Depth   int // 0 for a thread that continues no other
	ID      string
	Title   string // "" for none
	Edge    string // how it continues the one above
	State   string
	Sign    string
	Missing bool
	Parts   int // messages
	Says    string
	At      *time.Time // of the last event
}

// allThreads shows all threads, the newest first, each with those that continue it.
func allThreads(ctx context.Context, d *Dashboard, t *threads.Threads, q url.Values) (page, error) {
	roots, err := t.Trees(ctx)
	slices.Reverse(roots)
	data := threadsPage{Paging: paged(threadsPath, q, len(roots), d.PageSize)}
	for _, root := range roots[data.Paging.First:data.Paging.End] {
		data.row(ctx, t, root, 0)
		if ctx.Err() != nil {
			return page{}, ctx.Err()
		}
	}
	return page{Title: "Threads", Command: "handoff graph --thread all", JSON: "/threads", Problem: sentences(err), Data: data}, nil
}

// row adds a thread to the list, and those that continue it.
func (p *threadsPage) row(ctx context.Context, t *threads.Threads, n *thread.Node, depth int) {
	row := threadRow{Depth: depth, ID: n.ThreadID, Missing: n.Missing, State: "open", Sign: "·"}
	if n.Title != nil {
		row.Title = *n.Title
	}
	if n.Parent != nil {
		row.Edge = fmt.Sprintf("%s after event %d", n.Parent.Kind, n.Parent.Seq)
	}
	if n.Missing {
		row.State, row.Sign = "missing", "✕"
	} else {
		row.read(ctx, t)
		if n.Archived {
			row.State, row.Sign = "archived", "✓"
		}
	}
	p.Rows = append(p.Rows, row)
	for _, child := range slices.Backward(n.Children) {
		p.row(ctx, t, child, depth+1)
	}
}

// read reads what was said last, and how the last run ended.
func (r *threadRow) read(ctx context.Context, t *threads.Threads) {
	talk := threadops.Talk{Info: thread.Info{ThreadID: r.ID}, Own: true}
	if err := talk.Read(ctx, t, nil, mostSaid); err != nil {
		r.State, r.Sign, r.Says = "broken", "✕", err.Error()
		return
	}
	for _, s := range talk.Said {
		r.At = s.At
		switch {
		case s.Kind == threadops.SaidMessage:
			line, _, _ := strings.Cut(strings.TrimSpace(s.Text), "\n")
			r.Says = s.Who + ": " + line
		case s.Kind == threadops.SaidAnswer:
			switch s.Reason {
			case "":
				r.State, r.Sign = "running", "●"
			case runner.Completed:
				r.State, r.Sign = "answered", "✓"
			default:
				r.State, r.Sign = s.Reason, "△"
			}
		}
	}
	n, _ := t.MessagesUpTo(r.ID, math.MaxUint64) // it could be read a moment ago
	r.Parts = int(n)
}

// picture draws trees with the colours of the page.
func picture(title string, roots []*tree.Node) template.HTML {
	if len(roots) == 0 {
		return ""
	}
	return template.HTML(tree.SVG(tree.Picture{Title: title}, roots...)) // package tree escapes all texts
}

// add adds the last parts of a conversation.
func (p *threadsPage) add(talk threadops.Talk, retries bool) {
	for _, s := range talk.Said {
		one := part{Said: s}
		switch {
		case s.Kind == threadops.SaidMessage:
			one.URL = cutURL(cmp.Or(s.Thread, talk.ThreadID), s.Event, "")
		case retries && s.Thread == "" && s.Answers != "" && s.Reason != "" && s.Reason != runner.Completed:
			one.Retry = []offer{offerOf("retry", "the run "+shortStream(s.Run), url.Values{"thread": {talk.ThreadID}, "message": {s.Answers}, "to": {threadURL(talk.ThreadID)}})}
		}
		one.Other = s.From + s.To
		p.Parts = append(p.Parts, one)
	}
}

type message struct {
	Actor, Origin, Text string
	Seq                 uint64
	At                  time.Time
	URL                 string // to branch or hand off from there
}

func messageOf(id string, e thread.Event, m *thread.Message) message {
	return message{m.ActorID, m.Origin, m.Content, e.Seq, time.UnixMilli(int64(e.TimestampMS)), cutURL(id, e.ID, "")}
}

// creating is the command that creates a thread with the parent of another; "" if it has
// none.
func creating(info thread.Info) string {
	p := info.Parent
	if p == nil {
		return ""
	}
	c := fmt.Sprintf("handoff thread %s %s --from-seq %d", p.Kind, shellword.Quote(p.ThreadID), p.Seq)
	if info.Title != nil {
		c += " --title " + shellword.Quote(*info.Title)
	}
	if p.Kind == thread.ByHandoff {
		c += " --summary-file summary.md"
	}
	return c
}

// threadFailure is an error that the page explains.
func threadFailure(err error) error {
	if refused := (*thread.Refusal)(nil); errors.As(err, &refused) {
		return &failure{http.StatusBadRequest, "The request is refused: " + refused.Text + "."}
	}
	switch {
	case errors.Is(err, handoff.ErrInvalid):
		return &failure{http.StatusBadRequest, err.Error()}
	case errors.Is(err, fs.ErrExist):
		return &failure{http.StatusConflict, "This form was sent before, with another content, and created a thread. Open the message again to create one more."}
	case errors.Is(err, fs.ErrNotExist):
		return &failure{http.StatusNotFound, "There is no such thread, or no such message in it."}
	}
	return err
}
