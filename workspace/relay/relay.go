// Package relay runs a chain of agents on one objective: each link is an agent that
// works until it is finished or its context runs low, then writes a handoff; the next
// link continues that one.
//
// All facts are in a journal (package log), and [chain.State.Next] decides by them alone
// what to do next. So a killed relay continues where it was. An agent is a program that
// runs once for each turn (package turn). left.go finds what it has left; if there is
// no handoff, draft.go writes one.
package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"handoff/agents"
	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/turn"
)

// Options are how a relay is run. Only Agents is needed.
type Options struct {
	Agents []agents.Agent   // those of the plan, in its order
	Fact   func(chain.Fact) // gets each fact once it is on the disk
	// Seal, if not nil, is called with the id of a new relay before its journal is there: a relay that
	// is killed in between cannot be resumed without what it keeps.
	Seal func(id string) error
	// Settings, if not nil, returns hashes of what the agents' programs obey, and Unchanged
	// compares them before a program is started again. Keep: a person keeps what a killed or
	// stopped relay has left changed.
	Settings  func() (map[string]string, error)
	Unchanged func(before map[string]string, by string) error
	Keep      bool
	Answer    string // of a person, for a relay that is resumed and asks; "" for none
	turn.Options
}

// Relay is one that this process runs. Its lock is held until [Relay.Close].
type Relay struct {
	ID string

	ws    *workspace.Workspace
	book  *log.Book
	task  *linkTask
	o     Options
	state chain.State

	twin bool        // see [turn.Options]
	work *turn.Agent // of the link, nil before it is needed in this process
}

// Start creates a relay, which [Relay.Run] runs. If another session holds the
// handoff, the error is a [receipt.ErrRefused].
func Start(ctx context.Context, ws *workspace.Workspace, p chain.Plan, o Options) (r *Relay, err error) {
	if err := ws.Missing(); err != nil {
		return nil, err
	}
	begun, err := log.Begin(ctx, ws)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, begun()) }()
	r = &Relay{ID: ws.NewID(), ws: ws}
	older, err := r.complete(ctx, &p)
	if err != nil {
		return nil, err
	}
	r.begun(ctx, &p)
	f := chain.Fact{At: r.now(), Kind: chain.Started, ID: r.ID, Plan: &p}
	return r, r.begin(o, func() error {
		if o.Seal != nil {
			if err := o.Seal(r.ID); err != nil {
				return err
			}
		}
		r.state.Apply(f)
		return errors.Join(r.book.Create(f), r.settle(older...))
	}, f)
}

// Resume continues a relay that was stopped or killed. For one that has ended it is
// an error, and for one that runs, or whose task has another one that runs, it is [log.ErrRunning].
func Resume(ctx context.Context, ws *workspace.Workspace, id string, o Options) (r *Relay, err error) {
	begun, err := log.Begin(ctx, ws)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, begun()) }()
	r = &Relay{ID: id, ws: ws}
	f := chain.Fact{At: r.now(), Kind: chain.Resumed, ID: id}
	err = r.begin(o, func() (err error) {
		if r.state, err = r.book.Open(); err != nil {
			return err
		}
		if r.state.Over != "" {
			return fmt.Errorf("%w: relay %s has ended: %s", handoff.ErrInvalid, id, r.state.Over)
		}
		if _, err := r.alone(ctx, r.state.Plan.Task); err != nil {
			return err
		}
		switch asks := r.state.Asks; {
		case asks != "" && o.Answer == "":
			return errors.Join(fmt.Errorf("%w: relay %s asks: %s (`handoff relay --answer %[2]s -- TEXT` answers, and continues it)", handoff.ErrInvalid, id, asks), r.publish(asks))
		case asks == "" && o.Answer != "":
			return fmt.Errorf("%w: relay %s asks nothing: continue it with --resume", handoff.ErrInvalid, id)
		}
		f.Seq = r.book.Next
		if f.Settings, err = r.kept(o); err != nil {
			return err
		}
		if err := r.book.Add(f); err != nil {
			return err
		}
		r.state.Apply(f)
		return nil
	}, f)
	if err == nil && o.Answer != "" {
		if err = r.answer(o.Answer); err != nil {
			err = errors.Join(err, r.Close())
		}
	}
	return r, err
}

// begin takes the lock and reports the first fact.
func (r *Relay) begin(o Options, first func() error, f chain.Fact) (err error) {
	if o.Fact == nil {
		o.Fact = func(chain.Fact) {}
	}
	o.Relay = r.ID
	r.o = o
	if r.task, err = openTask(r.ws, r.ID, &r.state); err != nil {
		return err
	}
	if r.book, err = log.Lock(r.ws, r.ID); err != nil {
		return err
	}
	if err := first(); err != nil {
		return errors.Join(err, r.book.Close())
	}
	r.o.Fact(f)
	return nil
}

// kept are the settings that a person keeps; nil if those of the journal count.
func (r *Relay) kept(o Options) (map[string]string, error) {
	if !o.Keep || o.Settings == nil {
		return nil, nil
	}
	return o.Settings()
}

// settings are those before a link; nil without [Options.Settings].
func (r *Relay) settings() (map[string]string, error) {
	if r.o.Settings == nil {
		return nil, nil
	}
	return r.o.Settings()
}

// unchanged refuses what comes after a link that changed settings.
func (r *Relay) unchanged() error {
	if r.o.Unchanged == nil || r.state.Settings == nil {
		return nil
	}
	return r.o.Unchanged(r.state.Settings, fmt.Sprintf("%s, link %d", r.state.Agent, r.state.Link))
}

// Close releases the lock.
func (r *Relay) Close() error { return r.book.Close() }

// State returns the present state.
func (r *Relay) State() chain.State { return r.state }

func (r *Relay) now() time.Time { return r.ws.Now().UTC().Truncate(time.Millisecond) }

// record puts a fact on the disk, before anything is done with it.
func (r *Relay) record(f chain.Fact) error {
	f.Seq, f.At = r.book.Next, r.now()
	if err := r.book.Add(f); err != nil {
		return err
	}
	r.state.Apply(f)
	r.o.Fact(f)
	return nil
}
