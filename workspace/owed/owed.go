// Package owed decides what a session of an agent still owes: nothing, a handoff, or a better one.
// Hooks, relay and spawn ask this package before they ask an agent for a handoff. So no agent is asked
// for a handoff of finished work, which would start another agent on it.
//
// It gets facts, and reads nothing.
package owed

import "handoff/log/receipt"

// Facts are what is known of a session.
type Facts struct {
	State   receipt.State // of the handoff that it works on; "" if it works on none
	Lost    bool          // another claim has replaced the session's
	Written bool          // it has written a handoff for its successor
	Faulty  bool          // which has errors
	Low     bool          // its context or its budget runs low, or it failed: it cannot finish
	Over    bool          // its program has ended, so it will do nothing more by itself
}

// Standing is what a session has done or still owes.
type Standing string

// The standings.
const (
	Working    Standing = "working"     // it owes nothing yet
	Owing      Standing = "owing"       // a handoff, or the word that the work is done
	Faulty     Standing = "faulty"      // the handoff that it wrote has errors
	HandedOver Standing = "handed over" // its successor has a handoff
	Finished   Standing = "finished"    // the work is done
	Returned   Standing = "returned"    // it gave the handoff back
	Lost       Standing = "lost"        // another session has the handoff
)

// Finished reports whether the work is done.
func (s Standing) Finished() bool { return s == Finished }

// Lost reports whether another session has the work.
func (s Standing) Lost() bool { return s == Lost }

// Owes reports whether the session must not end without a handoff.
func (s Standing) Owes() bool { return s == Owing || s == Faulty }

// Settled reports whether nothing more is wanted of the session.
func (s Standing) Settled() bool { return s == HandedOver || s == Finished || s == Lost }

// Of returns what a session has done or still owes. done counts before any document: a handoff that
// was written beside it does not reopen the work.
func Of(f Facts) Standing {
	switch {
	case f.Lost:
		return Lost
	case f.State == receipt.Done:
		return Finished
	case f.Written && f.Faulty:
		return Faulty
	case f.Written:
		return HandedOver
	case f.State == receipt.Released:
		return Returned
	case f.Low || f.Over:
		return Owing // ending is not the word that the work is done, also for an agent that began with an objective
	}
	return Working
}
