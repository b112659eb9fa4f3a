package receipts

// Listing is the head of a queue, as `handoff next --json` prints it.
type Listing struct {
	Next         *Item    `json:"next" doc:"the best handoff; null if none waits"`
	Waiting      []Item   `json:"waiting" doc:"others that wait"`
	WaitingTotal int      `json:"waiting_total" doc:"how many wait, with next"`
	Held         []Item   `json:"held" doc:"handoffs that are claimed; the lease that ends first is the first"`
	HeldTotal    int      `json:"held_total" doc:"how many are claimed"`
	Unclear      []string `json:"unclear,omitempty" doc:"tasks whose newest handoff is unclear, and why"`
}

// List is the best handoff, and at most n others of each kind.
func (q Queue) List(n int) Listing {
	l := Listing{WaitingTotal: len(q.Waiting), HeldTotal: len(q.Held), Unclear: q.Unclear}
	l.Waiting, l.Held = []Item{}, append([]Item{}, q.Held[:min(n, len(q.Held))]...)
	if len(q.Waiting) > 0 {
		l.Next, l.Waiting = &q.Waiting[0], append(l.Waiting, q.Waiting[1:min(n+1, len(q.Waiting))]...)
	}
	return l
}
