// Package graphs makes the pictures of a workspace: the handoffs of a task, the
// threads with their branches, handoffs and runs, the tapes with their anchors and
// forks. Package tree draws them. It reads only.
package graphs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"handoff/internal/text/say"
	"handoff/internal/text/tree"
	"handoff/internal/text/visible"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/overview"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

// Links are the addresses of the nodes of a picture; a nil function means no links.
type Links struct {
	Thread func(id string) string
	Tape   func(name string) string
}

func link(f func(string) string, name string) string {
	if f == nil {
		return ""
	}
	return f(name)
}

// unfinished selects the tasks that are not done.
var unfinished = overview.Options{States: []overview.State{overview.Asks, overview.Broken, overview.Stale, overview.Review, overview.Waiting, overview.Held, overview.Open}}

// Tasks returns the unfinished tasks of a workspace, each with its newest handoff.
// Those that need a person come first. The error names the folders that could not
// be read; the picture has all others.
func Tasks(ctx context.Context, w *workspace.Workspace) ([]*tree.Node, error) {
	v, err := overview.Now(ctx, w, unfinished)
	var roots []*tree.Node
	pictures := overview.Pictures(w, v.Tasks)
	for i, t := range v.Tasks {
		roots = append(roots, taskNode(t, pictures[i]))
	}
	return roots, err
}

func taskNode(t overview.Task, p overview.Picture) *tree.Node {
	n := &tree.Node{ID: t.Name(), Kind: string(t.State), Notes: []string{state(t)}}
	if t.Phases > 0 {
		n.Notes = append(n.Notes, fmt.Sprintf("%d of %d phases", t.PhasesDone, t.Phases))
	}
	if line := p.Text(0); line != "" {
		n.Notes = append(n.Notes, line)
	}
	return n
}

// state is the state of a task and why it is in it, which may already name the state.
func state(t overview.Task) string {
	why, state := visible.Line(t.Why), string(t.State)
	if why == "" || strings.HasPrefix(why, state) {
		return cmp.Or(why, state)
	}
	return state + ": " + why
}

// Rows are the tasks that [Tasks] has, a line each: what it is called, its picture, its state, and
// how long it is in it. A picture has at most so many columns; 0 for any number.
func Rows(ctx context.Context, w *workspace.Workspace, columns int) (rows [][]string, err error) {
	v, err := overview.Now(ctx, w, unfinished)
	pictures := overview.Pictures(w, v.Tasks)
	for i, t := range v.Tasks {
		since := ""
		if t.Since != nil && t.Since.Known() {
			since = say.Ago(w.Now().Sub(t.Since.Time))
		}
		rows = append(rows, []string{visible.Line(t.Title()), pictures[i].Text(columns), state(t), since})
	}
	return rows, err
}

// Task is a task with its handoffs, the oldest first, and what became of each. chain is its
// folder, or what its documents have in common: see [overview.Of].
func Task(ctx context.Context, w *workspace.Workspace, chain string) ([]*tree.Node, error) {
	c, err := overview.Of(ctx, w, chain, overview.Options{})
	if c.Task.Chain == "" {
		return nil, err
	}
	root := taskNode(c.Task, c.Picture())
	for _, l := range c.Handoffs {
		root.Children = append(root.Children, documentNode(l, l.Path == c.Task.Path))
	}
	return []*tree.Node{root}, err
}

// kinds are the symbols of a handoff's states.
var kinds = map[receipt.State]string{
	receipt.Waiting: "waiting", receipt.Delivered: "waiting", receipt.Acknowledged: "waiting", receipt.Released: "waiting",
	receipt.Expired: "stale", receipt.Claimed: "held", receipt.Done: "done", receipt.Superseded: "done", "unknown": "broken",
}

func documentNode(l overview.Link, newest bool) *tree.Node {
	n := &tree.Node{ID: l.Ref, Kind: kinds[l.State], Focus: newest}
	if n.ID == "" {
		n.ID = l.Path
	}
	if l.Time != nil {
		n.ID += " of " + l.Time.String()
	}
	if l.NextAction != "" {
		n.Title = &l.NextAction
	}
	if l.Problem != "" {
		n.Kind, n.Notes = "broken", append(n.Notes, visible.Line(l.Problem))
	}
	if l.State != "" {
		n.Notes = append(n.Notes, string(l.State))
	}
	for _, s := range l.Steps {
		if s.Step == receipt.StepClaimed {
			n.Edge = "claimed by " + s.By
		}
	}
	return n
}

// Thread is the tree of a thread's ancestors and descendants; with an empty id, the trees of all
// threads. Below each thread are its runs. The error names what could not be read;
// the picture has everything else.
func Thread(ctx context.Context, t *threads.Threads, id string, to Links) (roots []*tree.Node, err error) {
	if id != "" {
		node, err := t.Lineage(ctx, id)
		if node == nil {
			return nil, err
		}
		return []*tree.Node{threadNode(t, node, to)}, err
	}
	return allThreads(ctx, t, to)
}

// MaxNear is how many generations above and below a thread are drawn beside its conversation.
const MaxNear = 20

// Near is the tree of [Thread] without what is far from the thread, which it cuts off: a tree of
// 10,000 is no picture. more reports that there are threads above the root.
func Near(t *threads.Threads, root *thread.Node, more bool, to Links) []*tree.Node {
	path := toFocus(root)
	if len(path) == 0 {
		return nil
	}
	top, focus := len(path)-1-min(MaxNear, len(path)-1), path[len(path)-1]
	cutBelow(focus, MaxNear)
	drawn := threadNode(t, path[top], to)
	if more {
		drawn = &tree.Node{ID: "earlier threads", Children: []*tree.Node{drawn}}
	} else if top > 0 {
		drawn = &tree.Node{ID: say.Count(top, "thread") + " before", Children: []*tree.Node{drawn}}
	}
	return []*tree.Node{drawn}
}

// toFocus are the nodes from the root of a lineage to the requested thread.
func toFocus(n *thread.Node) (path []*thread.Node) {
	for ; n != nil; n = n.Children[0] { // an ancestor has one child
		if path = append(path, n); n.Focus {
			return path
		}
		if len(n.Children) == 0 {
			break
		}
	}
	return nil
}

func cutBelow(n *thread.Node, generations int) {
	if generations == 0 {
		n.Children = nil
	}
	for _, child := range n.Children {
		cutBelow(child, generations-1)
	}
}

// allThreads are the trees of all threads. The error is that of [Thread].
func allThreads(ctx context.Context, t *threads.Threads, to Links) (roots []*tree.Node, err error) {
	nodes, err := t.Trees(ctx)
	for _, n := range nodes {
		if ctx.Err() != nil {
			return roots, errors.Join(err, ctx.Err())
		}
		roots = append(roots, threadNode(t, n, to))
	}
	return roots, err
}

// threadNode adds the runs and where the nodes lead.
func threadNode(t *threads.Threads, n *thread.Node, to Links) *tree.Node {
	d := n.Drawn()
	var add func(d *tree.Node, n *thread.Node)
	add = func(d *tree.Node, n *thread.Node) {
		for i, child := range n.Children {
			add(d.Children[i], child)
		}
		if n.Missing {
			d.Kind = "broken"
			return
		}
		d.Href = link(to.Thread, n.ThreadID)
		d.Children = append(runsOf(t, n.ThreadID), d.Children...)
	}
	add(d, n)
	return d
}

// maxRuns is how many runs of a thread are drawn: the last ones.
const maxRuns = 20

// runsOf are the last runs of a thread, which is read from its end.
func runsOf(t *threads.Threads, id string) (runs []*tree.Node) {
	ended := map[string]*thread.RunEnded{}
	for e, err := range t.Backward(id, math.MaxUint64) {
		if err != nil {
			runs = append(runs, &tree.Node{ID: "runs", Kind: "broken", Notes: []string{visible.Line(err.Error())}})
			break
		}
		switch p := e.Payload.(type) {
		case *thread.RunSpawned:
			runs = append(runs, runNode(p.RunSessionID, e.Seq, ended[p.RunSessionID]))
		case *thread.RunEnded:
			if ended[p.RunSessionID] == nil {
				ended[p.RunSessionID] = p
			}
		}
		if len(runs) > maxRuns {
			runs[maxRuns] = &tree.Node{ID: "earlier runs"}
			break
		}
	}
	slices.Reverse(runs)
	return runs
}

// runNode is a run that started at an event; it is running if it has no end.
func runNode(id string, seq uint64, ended *thread.RunEnded) *tree.Node {
	n := &tree.Node{ID: id, Edge: fmt.Sprintf("run at %d", seq), Kind: "held", Notes: []string{"running"}}
	switch {
	case ended == nil:
		return n
	case ended.Reason == "completed":
		n.Kind = "done"
	default:
		n.Kind = "stale"
	}
	n.Notes = []string{visible.Line(ended.Reason)}
	return n
}

// Tape is the tree of a tape, its ancestors and its forks; with an empty name, all tapes. Below
// each tape are its anchors.
func Tape(ctx context.Context, t *tapes.Tapes, name string, to Links) (roots []*tree.Node, err error) {
	nodes, err := t.Store.Trees(ctx, name)
	for _, n := range nodes {
		if ctx.Err() != nil {
			return roots, errors.Join(err, ctx.Err())
		}
		d := n.Drawn()
		addAnchors(t, d, n, to)
		roots = append(roots, d)
	}
	return roots, err
}

// maxAnchors is how many anchors of a tape are drawn: the last ones.
const maxAnchors = 20

func addAnchors(t *tapes.Tapes, d *tree.Node, n *tape.Node, to Links) {
	for i, child := range n.Children {
		addAnchors(t, d.Children[i], child, to)
	}
	switch {
	case n.Missing:
		d.Kind = "broken"
		return
	case n.Status != "" && n.Status != "active":
		d.Kind = "done" // the tape is in the archive
		return
	}
	d.Href = link(to.Tape, n.Tape)
	one, err := t.Store.Tape(n.Tape)
	var anchors []tape.Anchor
	if err == nil {
		anchors, err = one.Anchors(maxAnchors)
	}
	if err != nil {
		d.Kind, d.Notes = "broken", append(d.Notes, visible.Line(err.Error()))
		return
	}
	var drawn []*tree.Node
	for _, a := range anchors {
		node := &tree.Node{ID: a.Name, Kind: "anchor", Edge: fmt.Sprintf("anchor %d", a.ID)}
		if at, err := time.Parse(time.RFC3339Nano, a.Date); err == nil {
			node.Notes = []string{at.UTC().Format(time.RFC3339)}
		}
		drawn = append(drawn, node)
	}
	d.Children = append(drawn, d.Children...)
}
