// Package relay runs a chain of agents on one objective: each link is an agent that
// works until it is finished or its context runs low, then writes a handoff; the next
// link continues that one.
//
// All facts are in a journal, and [State.Next] decides by them alone what to do next.
// So a relay that was killed continues where it was. An agent is a program that is run
// once for each turn; package spawn does that.
package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff"
	"handoff/agents"
	"handoff/receipt"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/spawn"
)

// Options are how a relay is run. Only Agents is needed.
type Options struct {
	Agents []agents.Agent      // those of the plan, in its order
	Fact   func(Fact)          // gets each fact once it is on the disk
	Event  func(spawn.Event)   // gets what the agents report
	Stderr io.Writer           // gets the agents' standard error; nil to discard it
	Getenv func(string) string // nil for the process's own

	TTL   time.Duration // of a lease; 0 for [spawn.LeaseTime]
	Grace time.Duration // that an agent has to end after a signal; 0 for that of package runner
	// AskCalls and AskTime limit the turn of an agent that was asked for a handoff: calls of
	// the model, and time. An agent that does not stop by then is stopped. 0 for
	// [spawn.AskCalls] and [spawn.AskTime].
	AskCalls int
	AskTime  time.Duration
}

func (o *Options) fillIn() {
	if o.Fact == nil {
		o.Fact = func(Fact) {}
	}
	o.AskCalls, o.AskTime = cmp.Or(o.AskCalls, spawn.AskCalls), cmp.Or(o.AskTime, spawn.AskTime)
}

// Relay is one that this process runs. Its lock is held until [Relay.Close].
type Relay struct {
	ID string

	ws    *workspace.Workspace
	book  *book
	life  *receipts.Book
	o     Options
	state State

	work   *spawn.Work // of the link, nil before it is opened in this process
	prompt string      // with which it begins
	failed error       // a fact that could not be recorded during a turn
}

// Start creates a relay, which [Relay.Run] runs. The error for a handoff that is
// held by somebody else is a [receipt.ErrRefused].
func Start(ctx context.Context, ws *workspace.Workspace, p Plan, o Options) (*Relay, error) {
	id := ws.Options.NewID
	if id == nil {
		id = thread.NewUUID
	}
	r := &Relay{ID: id(), ws: ws}
	if err := r.complete(ctx, &p); err != nil {
		return nil, err
	}
	f := Fact{At: r.now(), Kind: Started, ID: r.ID, Plan: &p}
	return r, r.begin(o, func() error {
		r.state.Apply(f)
		return r.book.create(r.ID, f)
	}, f)
}

// Resume continues a relay that was stopped or killed. For one that has ended it is
// an error, and for one that runs it is [ErrRunning].
func Resume(ws *workspace.Workspace, id string, o Options) (*Relay, error) {
	r := &Relay{ID: id, ws: ws}
	f := Fact{At: r.now(), Kind: Resumed, ID: id}
	return r, r.begin(o, func() (err error) {
		if r.state, err = r.book.open(id); err != nil {
			return err
		}
		if r.state.Over != "" {
			return fmt.Errorf("%w: relay %s has ended: %s", handoff.ErrInvalid, id, r.state.Over)
		}
		f.Seq = r.book.next
		return r.book.add(f)
	}, f)
}

// Read reads the state of a relay.
func Read(ws *workspace.Workspace, id string) (State, error) {
	s, _, err := fold(ws, id)
	return s, err
}

// begin takes the lock and reports the first fact.
func (r *Relay) begin(o Options, first func() error, f Fact) (err error) {
	o.fillIn()
	r.o = o
	if r.life, err = receipts.Open(r.ws); err != nil {
		return err
	}
	if r.book, err = lock(r.ws, r.ID); err != nil {
		return err
	}
	if err := first(); err != nil {
		return errors.Join(err, r.book.close())
	}
	r.o.Fact(f)
	return nil
}

// Close releases the lock.
func (r *Relay) Close() error { return r.book.close() }

// State is what is known now.
func (r *Relay) State() State { return r.state }

func (r *Relay) now() time.Time { return r.ws.Now().UTC().Truncate(time.Millisecond) }

// record puts a fact on the disk, before anything is done with it.
func (r *Relay) record(f Fact) error {
	f.Seq, f.At = r.book.next, r.now()
	if err := r.book.add(f); err != nil {
		return err
	}
	r.state.Apply(f)
	r.o.Fact(f)
	return nil
}

// complete adds to a plan what the workspace has: the folder of the task, and the
// handoff that waits in it.
func (r *Relay) complete(ctx context.Context, p *Plan) error {
	list, _ := List(r.ws) // a damaged journal of another relay does not matter
	for _, other := range list {
		if other.Task == p.Task && other.State == "running" {
			return fmt.Errorf("task %d: relay %s: %w", p.Task, other.ID, ErrRunning)
		}
	}
	var err error
	if r.life, err = receipts.Open(r.ws); err != nil {
		return err
	}
	q, err := r.life.Next(ctx, p.Task)
	if err != nil {
		return err
	}
	if len(q.Unclear) > 0 {
		return fmt.Errorf("%w: %s: rename or delete one of them", handoff.ErrInvalid, q.Unclear[0])
	}
	for _, h := range q.Held {
		record, _, err := r.life.Life(ctx, receipts.Target{Dir: r.ws.Root, Ref: h.Path})
		if err != nil {
			return err
		}
		if record.Claim != p.Claim {
			return &receipt.HeldError{Path: h.Path, Holder: receipt.Claim{ID: record.Claim, Token: record.Token, By: record.By, Until: record.Until}}
		}
	}
	for _, h := range append(q.Held, q.Waiting...) {
		if h.Unclear() {
			return fmt.Errorf("%w: it is unclear whether %s waits: %s (`handoff claim` takes it)", handoff.ErrInvalid, h.Path, h.Why)
		}
		p.Handoff, p.Phase = h.Path, handoff.ParseName(h.Path).Phase
		break
	}
	if p.Handoff == "" && p.Objective == "" {
		return fmt.Errorf("%w: no handoff of task %d waits: say what to do (handoff relay --task %[2]d --agent %s -- \"finish phase 2\")", handoff.ErrInvalid, p.Task, p.Agents[0])
	}
	return r.place(ctx, p)
}

// place finds the folder of the task, or chooses the name of a new one.
func (r *Relay) place(ctx context.Context, p *Plan) error {
	if p.Task < 1 || p.Task > handoff.MaxTask {
		return fmt.Errorf("%w: a task is a number from 1 to %d (--task 259)", handoff.ErrInvalid, handoff.MaxTask)
	}
	if err := r.ws.Missing(); err != nil {
		return err
	}
	dirs, err := r.ws.TasksOf(ctx, r.ws.Root, strconv.Itoa(p.Task))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return (handoff.Name{Dir: dir}).Archived() })
	p.Phase = max(p.Phase, 1)
	switch {
	case len(dirs) > 1:
		return fmt.Errorf("task %d has several folders: %s", p.Task, strings.Join(dirs, ", "))
	case len(dirs) == 1:
		p.Dir, p.Slug = dirs[0], ""
	case p.Slug == "":
		p.Slug = slugOf(p.Objective)
	}
	return nil
}

// slugWords is how many words of the objective name a new task.
const slugWords = 4

// slugOf is the name of a task, from its objective.
func slugOf(objective string) string {
	words := strings.FieldsFunc(strings.ToLower(objective), func(c rune) bool { return !('a' <= c && c <= 'z' || '0' <= c && c <= '9') })
	if slug := strings.Join(words[:min(len(words), slugWords)], "_"); handoff.ValidSlug(slug) {
		return slug
	}
	return "relay"
}
