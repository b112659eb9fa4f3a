// Package overview answers what each task of a workspace is doing now, what needs a
// person first, and how the handoffs of a task follow one another. The dashboard,
// `handoff top` and programs get the same rows from it.
//
// It reads documents, metadata and receipts, and writes nothing.
package overview

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/relay/word"
	"handoff/workspace/states"
)

// State is what a task is doing: see package states.
type State = states.State

// The states, those that need a person first in this order.
const (
	Asks    = states.Asks
	Broken  = states.Broken
	Stale   = states.Stale
	Review  = states.Review
	Waiting = states.Waiting
	Held    = states.Held
	Open    = states.Open
	Done    = states.Done
)

// States are all states, in the order in which tasks are sorted.
var States = states.All

// Task is a task with its newest handoff.
type Task struct {
	Task        int             `json:"task" doc:"task number"`
	Slug        string          `json:"slug" doc:"task slug"`
	Dir         string          `json:"dir" doc:"the task folder, relative to the workspace"`
	State       State           `json:"state" enum:"asks,broken,stale,review,waiting,held,open,done" doc:"what the task is doing"`
	Needs       string          `json:"needs,omitempty" doc:"what a person has to do; empty if nothing"`
	Why         string          `json:"why,omitempty" doc:"why it is in this state"`
	Phase       string          `json:"phase,omitempty" doc:"phase of the newest handoff, as written"`
	PhasesDone  int             `json:"phases_completed" doc:"completed phases, as the metadata says"`
	Phases      int             `json:"phases_total" doc:"all phases; 0 if the metadata does not say"`
	Ref         string          `json:"ref,omitempty" doc:"short name of the newest handoff, 259/3"`
	Path        string          `json:"path,omitempty" doc:"its path relative to the workspace; empty if the task has none, or if it is unclear which one is the newest"`
	NextAction  string          `json:"next_action,omitempty" doc:"its next action, on one line"`
	Unproved    string          `json:"unproved,omitempty" doc:"what the marks of its claims say against them: a command failed when it was last run, or was not run after the last edit; missing of a finished task"`
	Handoffs    int             `json:"handoffs" doc:"how many handoffs the task has"`
	Since       *handoff.Moment `json:"since" doc:"since when it is in this state; null if unknown"`
	By          string          `json:"by,omitempty" doc:"who holds the handoff, or got it last"`
	Until       *time.Time      `json:"until,omitempty" doc:"end of the lease"`
	Host        string          `json:"host,omitempty" doc:"program of the session that holds it"`
	Session     string          `json:"session,omitempty" doc:"that program's id of the session"`
	ContextLeft *int            `json:"context_left,omitempty" doc:"tokens until that session is compacted; missing if unknown"`
	Last        string          `json:"last,omitempty" doc:"what happened to the handoff last: a step of its receipt, or written"`
	LastAt      *time.Time      `json:"last_at,omitempty" doc:"when"`
	Command     string          `json:"command,omitempty" doc:"the command that continues from here"`

	Chain string `json:"-"` // see [documents.Entry.Chain]

	documents []string // paths of its handoffs, the newest first
}

// Name is what a task is called: its folder, or the path of its newest document.
func (v *Task) Name() string { return cmp.Or(v.Dir, v.Path) }

// Number is what a person calls a task by, with Words: its number, or what its layout has instead; "" for a document
// that its path alone names, such as HANDOFF.md.
func (v Task) Number() string {
	switch {
	case v.Dir != "":
		return strconv.Itoa(v.Task)
	case v.Task == 0 || v.Slug == "":
		return ""
	}
	return cmp.Or(v.Ref, strconv.Itoa(v.Task))
}

// Words are those beside Number: the slug, or the path; "" if the number says it all, as task-7 does.
func (v Task) Words() string {
	switch n := v.Number(); {
	case n == "":
		return cmp.Or(v.Path, v.Slug)
	case n == v.Slug:
		return ""
	}
	return cmp.Or(v.Slug, v.Dir)
}

// Ask is what a person has to do and why; "" for nothing. A reason that says it stands alone.
func (v Task) Ask() string {
	switch {
	case v.Needs == "":
		return ""
	case strings.Contains(v.Why, v.Needs):
		return v.Why
	case v.Why == "":
		return v.Needs
	}
	return v.Needs + ": " + v.Why
}

// Title is Number and Words on one line.
func (v Task) Title() string { return strings.TrimSpace(v.Number() + " " + v.Words()) }

// Overview is the tasks of a workspace.
type Overview struct {
	At     time.Time     `json:"at" doc:"when this was read"`
	Counts map[State]int `json:"counts" doc:"how many tasks are in each state, of all tasks"`
	Total  int           `json:"total" doc:"how many tasks match"`
	Tasks  []Task        `json:"tasks" doc:"the tasks, what needs a person first"`
	Next   string        `json:"next,omitempty" doc:"where the list continues: pass it as after; absent in its last part"`
	Work   []states.Work `json:"work,omitempty" doc:"issues, tasks and paths that are claimed; the lease that ends first is the first"`
}

// Options choose tasks.
type Options struct {
	States   []State // only these; nil for all
	Limit    int     // return at most so many; 0 for all
	Archived bool    // archived tasks, too
	// Part, if not nil, returns the tasks to show of all that match, and where the list continues.
	Part func([]Task) (part []Task, next string, err error)
	// Left is the number of tokens that a session has left, if that is known; nil if
	// it never is.
	Left func(host, session string) (tokens int, ok bool)
}

// Now returns the overview of a workspace. The error names the folders that could
// not be read; the overview has all others.
func Now(ctx context.Context, w *workspace.Workspace, o Options) (v Overview, err error) {
	list, err := documents.ListTasks(ctx, w, func(n handoff.Name) bool { return o.Archived || !n.Archived() })
	v, wrong := show(w, list, o)
	return v, cmp.Or(wrong, err)
}

// show is the overview of tasks.
func show(w *workspace.Workspace, list []documents.Task, o Options) (v Overview, err error) {
	now, judge := w.Now(), states.At(w)
	v = Overview{At: now.UTC().Truncate(time.Second), Counts: map[State]int{}, Tasks: []Task{}}
	v.Work, _ = states.HeldWork(w) // receipts that cannot be read are reported where they are used
	for _, s := range States {
		v.Counts[s] = 0
	}
	rows := make([]Task, 0, len(list))
	dirs := make([]string, 0, len(list))
	for _, t := range list {
		rows, dirs = append(rows, row(t, now, judge)), append(dirs, t.Dir)
	}
	for _, a := range judge.Unbegun(dirs) {
		rows = append(rows, asked(a))
	}
	for _, one := range rows {
		v.Counts[one.State]++
		if o.States == nil || slices.Contains(o.States, one.State) {
			v.Tasks = append(v.Tasks, one)
		}
	}
	slices.SortFunc(v.Tasks, before)
	v.Total = len(v.Tasks)
	if o.Limit > 0 {
		v.Tasks = v.Tasks[:min(o.Limit, len(v.Tasks))]
	}
	if o.Part != nil {
		if v.Tasks, v.Next, err = o.Part(v.Tasks); err != nil {
			return Overview{}, err
		}
	}
	for i := range v.Tasks {
		v.Tasks[i].fill(o.Left)
	}
	return v, nil
}

// Continues is where the list goes on, "" if this is its end.
func (v Overview) Continues() string { return v.Next }

// before sorts by state. What can be claimed is sorted as `handoff next` does: what was
// written or given back last comes first. Otherwise what needs a person longest comes first,
// the lease that ends first, and of finished tasks the one that was finished last.
func before(a, b Task) int {
	byState := a.State.Compare(b.State)
	since := at(a).Compare(at(b))
	switch a.State {
	case Held:
		since = until(a).Compare(until(b))
	case Stale, Waiting, Done, Open:
		since = -since
	}
	return cmp.Or(byState, since, cmp.Compare(a.Path, b.Path), cmp.Compare(a.Task, b.Task), cmp.Compare(a.Dir, b.Dir))
}

func at(t Task) (at time.Time) {
	if t.Since != nil {
		at = t.Since.Time
	}
	return at
}

func until(t Task) (at time.Time) {
	if t.Until != nil {
		at = *t.Until
	}
	return at
}

// row describes a task.
func row(t documents.Task, now time.Time, judge states.Judge) Task {
	name := t.Entry.Name
	if t.Dir != "" {
		name = handoff.ParseName(t.Dir + "/" + handoff.Folder + "/x.md")
	}
	newest := t.Row
	if newest.Path == "" && t.Doubt == "" {
		newest = t.Last
	}
	if t.Chain != t.Dir && name.Slug == "" {
		name = handoff.Name{Task: newest.Task, Slug: newest.Slug}
	}
	v := Task{Task: name.Task, Slug: name.Slug, Dir: t.Dir, Chain: t.Chain, PhasesDone: t.Status.Completed, Phases: t.Status.Phases, Handoffs: t.Documents, documents: t.Paths,
		Ref: newest.Ref, Path: newest.Path, Phase: newest.Phase, NextAction: newest.NextAction}
	if t.At.Known() {
		v.Since = &t.At
	} else if newest.Time != nil {
		v.Since = newest.Time
	}
	if last := t.Life.Last(); last != nil {
		v.By, v.Last, v.Host, v.Session = last.By, string(last.Kind), last.Host, last.Session
		v.LastAt = &last.At
		v.Since = &handoff.Moment{Time: t.Life.Since(now).Truncate(time.Second), Unit: time.Second, Zoned: true}
	} else if newest.Path != "" {
		v.Last = "written"
	}
	standing := judge.Of(&t)
	v.State, v.Why, v.Needs, v.By = standing.State, standing.Why, standing.Needs, cmp.Or(standing.By, v.By)
	if v.State != Done { // else nothing follows from it any more
		v.Unproved = newest.Unproved
	}
	if !standing.Until.IsZero() {
		v.Until = &standing.Until
	}
	v.Command = standing.Command
	return v
}

// asked is the row of a task without a folder, whose relay asks.
func asked(a word.Asks) Task {
	s := states.Asked(a)
	return Task{Task: a.Task, Slug: a.Slug, State: s.State, Why: s.Why, Needs: s.Needs, By: s.By, Command: s.Command, Last: string(s.State), LastAt: &a.At,
		Since: &handoff.Moment{Time: a.At.Truncate(time.Second), Unit: time.Second, Zoned: true}}
}

// Acts reports whether a person must act, because nobody works on the task, or
// perhaps nobody does any longer.
func (v *Task) Acts() bool { return v.State.Acts() }

// fill adds what costs more to find out.
func (v *Task) fill(left func(host, session string) (int, bool)) {
	if left == nil || v.Session == "" || v.State != Held && v.State != Stale {
		return
	}
	if tokens, ok := left(v.Host, v.Session); ok {
		v.ContextLeft = &tokens
	}
}
