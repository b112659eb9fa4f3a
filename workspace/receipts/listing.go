package receipts

import (
	"time"

	"handoff/workspace"
	"handoff/workspace/states"
)

// Listing is the head of a queue, as `handoff next --json` prints it.
type Listing struct {
	Next         *Item    `json:"next" doc:"the best handoff; null if none waits"`
	Waiting      []Item   `json:"waiting" doc:"what waits, next first"`
	WaitingTotal int      `json:"waiting_total" doc:"how many wait"`
	Held         []Item   `json:"held" doc:"handoffs that are claimed, or with a session that was shown them; the lease that ends first is the first"`
	HeldTotal    int      `json:"held_total" doc:"how many are held"`
	Unclear      []string `json:"unclear,omitempty" doc:"tasks whose newest handoff is unclear, and why"`

	Work []states.Work `json:"work,omitempty" doc:"issues, tasks and paths that are claimed; the lease that ends first is the first"`
	Freshness
}

// Freshness reports that the copy of the store was read, because the store does not answer.
type Freshness struct {
	Stale bool       `json:"stale,omitempty" doc:"true if the store does not answer: this is what its copy has, and another machine may have changed it"`
	AsOf  *time.Time `json:"as_of,omitempty" doc:"of what is stale: when the copy had everything, if that is known"`
}

// FreshnessOf is what is known of the copy that a workspace reads.
func FreshnessOf(ws *workspace.Workspace) (s Freshness) {
	at, behind := ws.Behind()
	if s.Stale = behind; behind && !at.IsZero() {
		at = at.Truncate(time.Second)
		s.AsOf = &at
	}
	return s
}

// List is the best handoff, also as the first of what waits, and at most n others of each kind.
func (q Queue) List(n int) Listing {
	l := Listing{WaitingTotal: len(q.Waiting) + q.More, HeldTotal: len(q.Held), Unclear: q.Unclear, Work: q.Work, Freshness: q.Freshness}
	l.Waiting, l.Held = []Item{}, append([]Item{}, q.Held[:min(n, len(q.Held))]...)
	if len(q.Waiting) > 0 {
		l.Next, l.Waiting = &q.Waiting[0], append(l.Waiting, q.Waiting[:min(n+1, len(q.Waiting))]...)
	}
	return l
}
