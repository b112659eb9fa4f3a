package threadops

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"slices"

	"handoff/document/handoff"
	"handoff/log/thread"
	"handoff/log/thread/compile"
)

// Part is the beginning of a thread that a branch inherits, or a thread itself.
type Part struct {
	ThreadID string
	UpTo     uint64 // the last event that is inherited
	Child    string // the branch that inherits it; "" for the thread itself
	Whole    bool   // it is known to have all its events
}

// whole is a thread itself.
func whole(id string) Part { return Part{ThreadID: id, UpTo: math.MaxUint64} }

// above is the part that a branch inherits.
func above(branch *thread.Branched, child string) Part {
	return Part{ThreadID: branch.ParentThreadID, UpTo: branch.ParentSeq, Child: child}
}

// Inherited are the parts that a thread inherits, the oldest first: of the thread that it branched off, up to the cut, and
// of those that this part inherits. A thread that starts with a handoff inherits nothing but the summary, which is one of its events. The
// error is a [*compile.LostParent] if a thread is not here; the parts are those after it.
func Inherited(ctx context.Context, t Source, id string) (parts []Part, err error) {
	seen := map[string]bool{}
	next, stop := pasts(t, whole(id))
	defer func() { stop() }()
	for at := whole(id); err == nil; {
		if seen[at.ThreadID] {
			err = circle(at)
			break
		}
		seen[at.ThreadID] = true
		past, begun := next() // not of the thread itself
		branch, _ := past.Origin.Payload.(*thread.Branched)
		if begun {
			parts[len(parts)-1].Whole = true
		} else {
			branch, err = originOf(ctx, t, at)
		}
		if err != nil || branch == nil {
			break
		}
		at = above(branch, at.ThreadID)
		parts = append(parts, at)
		if !begun {
			stop()
			next, stop = pasts(t, at)
		}
	}
	if lost := (*compile.LostParent)(nil); errors.As(err, &lost) {
		parts = parts[:len(parts)-1]
	}
	slices.Reverse(parts)
	return parts, err
}

// pasts are the pasts of a part and of what it inherits, as far as the store has them at hand: see [thread.Store.Pasts].
func pasts(t Source, p Part) (next func() (thread.Past, bool), stop func()) {
	all := func(func(thread.Past) bool) {}
	if s, here := t.(interface {
		Pasts(id string, upTo uint64) iter.Seq[thread.Past]
	}); here && p.Child != "" {
		all = s.Pasts(p.ThreadID, p.UpTo)
	}
	return iter.Pull(all)
}

func circle(p Part) error {
	return fmt.Errorf("thread %s is its own ancestor, by way of %s", p.ThreadID, p.Child)
}

// originOf is the frame with the parent of a part, nil if it did not branch off another thread.
func originOf(ctx context.Context, t Source, p Part) (*thread.Branched, error) {
	if p.UpTo == 0 {
		return nil, nil
	}
	for e, err := range t.EventsFrom(ctx, p.ThreadID, 1, false) {
		if err != nil {
			return nil, p.failure(err)
		}
		branch, _ := e.Payload.(*thread.Branched)
		return branch, nil
	}
	return nil, nil
}

// failure is an error of reading a part: what is not here is a lost parent.
func (p Part) failure(err error) error {
	switch {
	case p.Child == "":
		return err
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, handoff.ErrInvalid): // no thread can have that id
		return &compile.LostParent{Child: p.Child, Parent: p.ThreadID, Cut: p.UpTo}
	}
	return fmt.Errorf("parent %s: %w", p.ThreadID, err)
}

// Events yields the events of the part. One that has fewer than a branch inherits ends with a [*compile.LostParent].
func (p Part) Events(ctx context.Context, t Source) iter.Seq2[thread.Event, error] {
	return func(yield func(thread.Event, error) bool) {
		next := uint64(0)
		for e, err := range t.EventsFrom(ctx, p.ThreadID, 0, false) {
			if err != nil {
				yield(thread.Event{}, p.failure(err))
				return
			}
			if next = e.Seq + 1; !yield(e, nil) || e.Seq >= p.UpTo {
				return
			}
		}
		if err := p.short(next); err != nil {
			yield(thread.Event{}, err)
		}
	}
}

// short is the error if a part has only so many events.
func (p Part) short(events uint64) error {
	if p.Child == "" || events > p.UpTo {
		return nil
	}
	return &compile.LostParent{Child: p.Child, Parent: p.ThreadID, Cut: p.UpTo, Events: events}
}

// said yields the parts of the conversation that are in a part of a thread. Of a run only the end counts, if it has one. The events are
// read twice, first to know which runs have ended.
func (p Part) said(ctx context.Context, t Source) iter.Seq2[Said, error] {
	return func(yield func(Said, error) bool) {
		ended, last := map[string]bool{}, uint64(0)
		for e, err := range p.Events(ctx, t) {
			if err != nil {
				break // the second time
			}
			if r, ok := e.Payload.(*thread.RunEnded); ok {
				ended[r.RunSessionID] = true
			}
			last = e.Seq
		}
		for e, err := range p.Events(ctx, t) {
			if err != nil {
				yield(Said{}, err)
				return
			}
			if e.Seq > last { // written meanwhile
				return
			}
			if s, ok := p.saidIn(e); ok && !(s.begins() && ended[s.Run]) && !yield(s, nil) {
				return
			}
		}
	}
}

// saidIn is the part of the conversation in an event.
func (p Part) saidIn(e thread.Event) (s Said, ok bool) {
	if s, ok = saidIn(e); ok && p.Child != "" {
		s.Thread = p.ThreadID
	}
	return s, ok
}

// back reads the end of the conversation of a part, the newest first, until there is one part more than the last ones. It returns the frame with
// the parent, nil if it has none or was not reached.
func (talk *Talk) back(ctx context.Context, t reversed, p Part, last int, ended map[string]bool) (branch *thread.Branched, err error) {
	first := true
	for e, err := range t.Backward(p.ThreadID, p.UpTo) {
		if err == nil && first {
			err = p.short(e.Seq + 1)
		}
		if first = false; err != nil {
			return nil, p.failure(err)
		}
		if err = ctx.Err(); err != nil {
			return nil, err
		}
		if e.Seq == 1 {
			branch, _ = e.Payload.(*thread.Branched)
		}
		s, ok := p.saidIn(e)
		again := s.begins() && ended[s.Run]
		if ended[s.Run] = ended[s.Run] || s.Reason != ""; !ok || again {
			continue
		}
		if talk.Said = append(talk.Said, s); len(talk.Said) > last {
			return nil, nil
		}
	}
	return branch, nil
}
