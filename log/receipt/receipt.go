// Package receipt records what became of a handoff after it was written: who
// was shown it, who acknowledged it, who works on it and until when, and how
// that ended.
//
//	waiting -> delivered -> acknowledged -> claimed -> done
//	                                                -> superseded
//	                                                -> released -> claimed …
//	                                                -> expired  -> claimed …
//
// A claim is a lease with a fencing token: a number that grows by one with each
// claim of a handoff. A claim that another one has replaced is stale, and every
// step with it is refused, whatever the clocks show. The clock only decides
// when a lease may be replaced without force.
//
// Work that has no document can be claimed in the same way: see [Work].
//
// # Files
//
// Each handoff has its own journal, one JSON object a line, named by the
// SHA-256 of the document's path (see [Place]). All paths that are claimed share one. Steps are decided while the
// journal is locked and fsynced before they are reported. See docs/receipts.md.
//
// [Locate] finds the receipts of a workspace, [Place.Path] names a handoff, and [Store.Record] carries out a step of a
// [Moment], such as [Moment.Claim].
//
// The package reads no documents and does not know tasks; it looks whether a document exists. Time and ids come
// from the caller.
package receipt

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
)

// State is where a handoff is in its life.
type State string

// The states of a handoff.
const (
	Waiting      State = "waiting"      // nothing happened yet
	Delivered    State = "delivered"    // shown to a successor, which has not answered
	Acknowledged State = "acknowledged" // read by a successor, not claimed
	Claimed      State = "claimed"      // held by a successor
	Expired      State = "expired"      // its lease ended; anyone may claim it
	Released     State = "released"     // given back; anyone may claim it
	Done         State = "done"         // finished
	Superseded   State = "superseded"   // the next handoff of the task continues it
)

// States are all states, in the order of a life.
var States = []State{Waiting, Delivered, Acknowledged, Claimed, Expired, Released, Done, Superseded}

// Claim is a lease on a handoff.
type Claim struct {
	ID    string // what the holder passes with every step: see [ParseClaim]
	Token uint64 // fencing token: 1 for the first claim of a handoff
	By    string
	At    time.Time
	Until time.Time
	Level string // what the holder may do: "read" or "edit", "" if no claim limits it

	// Epoch grows with each claim of a handoff, as the token does, and also if the store has
	// lost claims, because it was restored from a backup or created again: it is the time of
	// the claim in milliseconds since 1970, or one more than that of the claim before.
	Epoch uint64
}

// epochAfter is the epoch of a claim made at a time. It is not recorded: all that read the
// same steps get the same one, also of claims that an older version recorded.
func (c Claim) epochAfter(at time.Time) uint64 {
	return max(c.Epoch+1, uint64(max(0, at.UnixMilli())))
}

// Life is the history of one handoff. The zero value is that of a waiting
// handoff.
type Life struct {
	Steps        []Step
	Claim        Claim // the latest; the zero value if there was none
	Acknowledged *Step // since that claim, or by its holder before it; nil for not

	state  State // without the clock: a lease that ended is still claimed
	queued int   // how many of the last steps are not recorded yet

	lines  uint64  // steps of the log, which may have several lives
	token  uint64  // the largest of the log
	beside []*Life // the other lives of the log
}

// Name is the name of the handoff or the work; "" without a step.
func (l *Life) Name() string {
	if len(l.Steps) == 0 {
		return ""
	}
	return l.Steps[0].Name()
}

// State is the state at a time.
func (l *Life) State(now time.Time) State {
	switch {
	case l.state == "":
		return Waiting
	case l.state == Claimed && (!now.Before(l.Claim.Until) || l.Claim.Until.After(now.Add(maxTTL+maxSkew))):
		return Expired // or it ends later than any lease can: the handoff could never be claimed again
	}
	return l.state
}

// Since is when the handoff got into its state: the end of the lease for one
// that expired. It is zero for one that waits.
func (l *Life) Since(now time.Time) time.Time {
	if l.State(now) == Expired {
		if l.Claim.Until.After(now) {
			return now
		}
		return l.Claim.Until
	}
	for i := len(l.Steps) - 1; i >= 0; i-- {
		if s := l.Steps[i]; State(s.Kind) == l.state {
			return s.At
		}
	}
	return time.Time{}
}

// HeldBetween reports whether a claim held the handoff at some moment from a time to before another one.
func (l *Life) HeldBetween(from, to time.Time) bool {
	var since, until time.Time
	held := func() bool { return since.Before(to) && until.After(from) }
	for _, s := range l.Steps {
		switch s.Kind {
		case StepRenewed:
			until = s.ends()
		case StepClaimed, StepReleased, StepDone, StepSuperseded:
			if s.At.Before(until) {
				until = s.At
			}
			if s.Kind != StepClaimed {
				continue
			}
			if held() {
				return true
			}
			since, until = s.At, s.ends()
		}
	}
	return held()
}

// Last is the latest step, nil if there is none.
func (l *Life) Last() *Step {
	if len(l.Steps) == 0 {
		return nil
	}
	return &l.Steps[len(l.Steps)-1]
}

// maxSkew is how far clocks of machines may differ.
const maxSkew = 24 * time.Hour

// ends is the end of the lease of a step: at most the longest one after it, whatever the
// step says, which another machine may have written.
func (s Step) ends() time.Time {
	if most := s.At.Add(maxTTL); s.Until.After(most) {
		return most
	}
	return s.Until
}

// Apply adds a step.
func (l *Life) Apply(s Step) {
	l.Steps = append(l.Steps, s)
	l.lines, l.token = l.lines+1, max(l.token, s.Token)
	switch s.Kind {
	case StepDelivered:
		if l.state == "" || l.state == Released || l.state == Expired {
			l.state = Delivered
		}
	case StepAcknowledged:
		l.Acknowledged = &s
		if l.state != Claimed {
			l.state = Acknowledged
		}
	case StepClaimed:
		l.state = Claimed
		l.Claim = Claim{ID: s.Claim, Token: s.Token, By: s.By, At: s.At, Until: s.ends(), Level: s.Level, Epoch: l.Claim.epochAfter(s.At)}
		if l.Acknowledged != nil && l.Acknowledged.By != s.By {
			l.Acknowledged = nil
		}
	case StepRenewed:
		l.state, l.Claim.Until = Claimed, s.ends()
	case StepReleased, StepExpired:
		l.state, l.Acknowledged = State(s.Kind), nil
	case StepDone, StepSuperseded:
		l.state = State(s.Kind)
	}
}

// maxText is the most bytes of a name or a reason: they are for people.
const maxText = 500

// wanted is what to write for a text that is missing.
var wanted = map[string]string{"--as": "--as NAME: who you are, shown to others", "--why": "--why TEXT: the reason, kept for others"}

// checkText refuses what would break the one line that shows it.
func checkText(what, text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return fmt.Errorf("%w: %s is missing (%s)", handoff.ErrInvalid, what, wanted[what])
	case len(text) > maxText:
		return fmt.Errorf("%w: %s has %d bytes: want at most %d", handoff.ErrInvalid, what, len(text), maxText)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return fmt.Errorf("%w: %s %q: want one line of text", handoff.ErrInvalid, what, text)
	}
	return nil
}
