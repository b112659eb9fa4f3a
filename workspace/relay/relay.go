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
	"time"

	"handoff"
	"handoff/agents"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn"
	"handoff/workspace/spawn/meter"
)

// Options are how a relay is run. Only Agents is needed.
type Options struct {
	Agents []agents.Agent      // those of the plan, in its order
	Fact   func(chain.Fact)    // gets each fact once it is on the disk
	Event  func(meter.Event)   // gets what the agents report
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
		o.Fact = func(chain.Fact) {}
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
	state chain.State

	work   *spawn.Work // of the link, nil before it is opened in this process
	prompt string      // with which it begins
	failed error       // a fact that could not be recorded during a turn
}

// Start creates a relay, which [Relay.Run] runs. The error for a handoff that is
// held by somebody else is a [receipt.ErrRefused].
func Start(ctx context.Context, ws *workspace.Workspace, p chain.Plan, o Options) (*Relay, error) {
	id := ws.Options.NewID
	if id == nil {
		id = thread.NewUUID
	}
	r := &Relay{ID: id(), ws: ws}
	if err := r.complete(ctx, &p); err != nil {
		return nil, err
	}
	f := chain.Fact{At: r.now(), Kind: chain.Started, ID: r.ID, Plan: &p}
	return r, r.begin(o, func() error {
		r.state.Apply(f)
		return r.book.create(r.ID, f)
	}, f)
}

// Resume continues a relay that was stopped or killed. For one that has ended it is
// an error, and for one that runs it is [ErrRunning].
func Resume(ws *workspace.Workspace, id string, o Options) (*Relay, error) {
	r := &Relay{ID: id, ws: ws}
	f := chain.Fact{At: r.now(), Kind: chain.Resumed, ID: id}
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
func Read(ws *workspace.Workspace, id string) (chain.State, error) {
	s, _, err := fold(ws, id)
	return s, err
}

// begin takes the lock and reports the first fact.
func (r *Relay) begin(o Options, first func() error, f chain.Fact) (err error) {
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
func (r *Relay) State() chain.State { return r.state }

func (r *Relay) now() time.Time { return r.ws.Now().UTC().Truncate(time.Millisecond) }

// record puts a fact on the disk, before anything is done with it.
func (r *Relay) record(f chain.Fact) error {
	f.Seq, f.At = r.book.next, r.now()
	if err := r.book.add(f); err != nil {
		return err
	}
	r.state.Apply(f)
	r.o.Fact(f)
	return nil
}
