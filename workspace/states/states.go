// Package states decides what a person sees of a task: its state, why it is in it, who has
// it and until when, and what a person has to do. All surfaces ask it, so the same task has
// the same state and the same words everywhere. The steps of a receipt are history.
//
// It also decides whether a handoff may be offered to a session. A handoff that a session
// was shown is held by that session, as by a lease: until its end is reported, or it gives
// no sign of life for [notes.Quiet]. If it has not taken the handoff up by then, the handoff
// is offered again.
//
// The package reads the notes about sessions, and writes nothing.
package states

import (
	"slices"
	"strings"
	"time"

	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/notes"
	"handoff/workspace/relay/word"
)

// State is what a task is doing.
type State string

// The states, those that need a person first in this order.
const (
	Asks    State = "asks"    // a relay waits for a person's answer
	Broken  State = "broken"  // something cannot be read, or it is unclear what waits
	Stale   State = "stale"   // its handoff was taken up, with no sign of activity since
	Review  State = "review"  // an agent asked for a person, and the handoff is not claimed
	Waiting State = "waiting" // its handoff waits for a successor
	Held    State = "held"    // a claim holds its handoff, or a session that was shown it and still runs
	Open    State = "open"    // unfinished, and no handoff waits: it may be worked on without a claim, or not at all
	Done    State = "done"    // finished
)

// All are all states, in the order in which tasks are sorted.
var All = []State{Asks, Broken, Stale, Review, Waiting, Held, Open, Done}

// Standing is the state of a task and what explains it.
type Standing struct {
	State State
	Why   string
	By    string    // who holds the handoff, or had it last
	Until time.Time // end of the lease; zero for none
	Needs string    // what a person has to do; "" for nothing
	// Command is what a person types next. In a state that needs a person it ends that state,
	// or shows the lines that only he can repair.
	Command string
	// Offered is whether the next session gets the handoff: it is free, and it is clear
	// that it waits.
	Offered bool
}

// Judge decides at one moment.
type Judge struct {
	now   time.Time
	signs func(receipt.Session) notes.Sign
	asks  []word.Asks // questions of relays
	tasks claims
}

// At is the judge for a workspace as it is now. Without a safe place for notes, no session
// is known to run.
func At(w *workspace.Workspace) Judge {
	j := Judge{now: w.Now(), signs: func(receipt.Session) (s notes.Sign) { return s }}
	j.asks, j.tasks = word.Questions(w), taskClaims(w)
	if book, err := notes.Open(w); err == nil {
		j.signs = book.Signs()
	}
	return j
}

// Of is the standing of a task.
func (j Judge) Of(t *documents.Task) (s Standing) {
	if s = j.Brief(t); s.Command == "" {
		s.Command = s.command(t)
	}
	return s
}

// Brief is [Judge.Of] for many tasks: without the command, unless a relay asks.
func (j Judge) Brief(t *documents.Task) (s Standing) {
	s = j.standing(t)
	if c, held := j.ofTask(t); held && s.State != Held && s.State != Done && s.State != Broken {
		s = Standing{State: Held, Why: "its task is held by " + c.By, By: c.By, Until: c.Until}
	}
	i := slices.IndexFunc(j.asks, func(a word.Asks) bool { return t.Dir != "" && documents.TaskName(t.Dir).Task == a.Task })
	if i < 0 || s.State == Held || s.State == Done { // somebody has taken it up since
		return s
	}
	return Asked(j.asks[i])
}

// ofTask is the claim of a task as a whole.
func (j Judge) ofTask(t *documents.Task) (c receipt.Claim, held bool) {
	if j.tasks.of == nil || j.tasks.none() {
		return c, false
	}
	return j.tasks.of(nameOf(t))
}

// Alone reports whether the state of each task follows from its documents, its metadata and its receipts alone.
func (j Judge) Alone() bool { return len(j.asks) == 0 && (j.tasks.of == nil || j.tasks.none()) }

// Asked is the standing of a task whose relay asks. Its handoff is not offered: the relay continues it.
func Asked(a word.Asks) Standing {
	return Standing{State: Asks, Why: a.Agent + " asks: " + a.Question, By: a.Agent, Needs: "answer the question",
		Command: shellword.Join("handoff", "relay", "--answer", a.Relay, "--", "TEXT")}
}

// Unbegun returns the questions about tasks that have no folder yet, of which these are the folders.
func (j Judge) Unbegun(dirs []string) (list []word.Asks) {
	for _, a := range j.asks {
		if !slices.ContainsFunc(dirs, func(dir string) bool { return documents.TaskName(dir).Task == a.Task }) {
			list = append(list, a)
		}
	}
	return list
}

func (j Judge) standing(t *documents.Task) (s Standing) {
	life := t.Life.State(j.now)
	switch s.Why, s.By = j.Words(&t.Life); {
	case t.Status.Problem != "":
		s.State, s.Why, s.Needs = Broken, t.Status.Problem, "repair the metadata"
	case t.Doubt != "" && life != receipt.Claimed:
		s.State, s.Why, s.Needs = Broken, t.Doubt, "decide which handoff continues"
		if t.Refused != nil {
			s.Needs = t.Refused.Needs()
		}
	case life == receipt.Claimed && !t.Status.Finished():
		s.State, s.Until = Held, t.Life.Claim.Until
	case t.Status.Review && life != receipt.Done:
		s.State, s.Why, s.Needs = Review, "an agent asked for a person", "review the work"
	case t.Waits:
		j.wait(&s, &t.Life)
	case t.Status.Finished():
		s.finish(t, life)
	case life == receipt.Done && t.Status.Completed >= t.Status.Phases:
		s.State, s.Why = Done, "its last handoff is done"
	default:
		s.State, s.Why = Open, "no handoff waits"
	}
	if s.State == Waiting && len(t.Row.WaitingFor) > 0 {
		s.waitsFor(t.Row.WaitingFor, &t.Life)
	}
	return s
}

// waitsFor adds whom the author of the handoff waits for. The handoff is offered like others: another agent may find out
// that the answer is there.
func (s *Standing) waitsFor(list []string, l *receipt.Life) {
	s.Needs = strings.Join(list, "; ")
	why := "waits for " + s.Needs
	if l.Last() != nil {
		why += "; " + s.Why
	}
	s.Why = why
}

func (s Standing) command(t *documents.Task) string {
	path := t.Row.Path
	if path == "" {
		path = t.Last.Path
	}
	switch {
	case t.Status.Problem != "" || path == "":
		return shellword.Join("handoff", "verify", t.Dir)
	case t.Refused != nil && s.State == Broken:
		return shellword.Join("handoff", "lint", path)
	case s.State.Acts():
		return shellword.Join("handoff", "claim", path, "--as", "NAME")
	}
	return shellword.Join("handoff", "show", path)
}

func (s *Standing) finish(t *documents.Task, life receipt.State) {
	why := "status is " + t.Status.Status
	if life == receipt.Claimed {
		s.Until, why = t.Life.Claim.Until, why+"; "+s.Why
	}
	s.State, s.Why = Done, why
}

// wait finds the state of a handoff that is not claimed.
func (j Judge) wait(s *Standing, l *receipt.Life) {
	lease, shown := j.Lease(l)
	switch {
	case shown && lease.Live:
		s.State, s.Until = Held, lease.Until
	case shown && lease.Worked:
		s.State, s.Needs = Stale, "check whether "+s.By+" is still working"
	case l.State(j.now) == receipt.Expired:
		s.State, s.Needs, s.Offered = Stale, "check whether "+s.By+" is still working", true
	default:
		s.State, s.Offered = Waiting, true
	}
}

// Compare sorts states as [All] does.
func (s State) Compare(other State) int { return slices.Index(All, s) - slices.Index(All, other) }

// Acts reports whether a person must act: no one works on the task, or perhaps no longer.
func (s State) Acts() bool {
	return s == Asks || s == Broken || s == Stale || s == Review || s == Waiting
}
