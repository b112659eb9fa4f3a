package gauge

// State is what the gauge remembers about a session, so that it gives each note
// once. The zero value is a session without notes. Programs that ask in a new
// process each time store it as JSON.
type State struct {
	Mark        int  `json:"mark"` // the highest that was noted in this context
	Used        int  `json:"used"` // tokens when it was
	Compactions int  `json:"compactions"`
	Repeated    bool `json:"repeated"` // repeated reading was noted in this context
	Done        int  `json:"done"`     // objectives that were done
	Begun       bool `json:"begun"`
}

// Kind is what a note is about.
type Kind string

// The kinds of notes.
const (
	Mark      Kind = "mark"      // few tokens are left
	Compacted Kind = "compacted" // the session was compacted often
	Repeated  Kind = "repeated"  // files are read again and again
	Done      Kind = "done"      // an objective is done
)

// insist is the compaction from which on each of them is noted: after so many,
// summaries of summaries have lost most facts.
const insist = 4

// rearm is the share of the limit, in percent, by which the context must have
// shrunk without a compaction before a mark is noted again. Some hosts drop old
// results of tools.
const rearm = 10

// Step compares a reading with the state and returns the next state. note is
// false if nothing has changed, or a handoff was saved in this context. Several
// reasons at once are one note, the most urgent one.
func (s State) Step(r Reading) (next State, kind Kind, note bool) {
	next = s
	compacted := r.Compactions > s.Compactions
	if compacted {
		next.Mark, next.Used, next.Repeated = 0, 0, false
	}
	if next.Mark > 0 && r.Used > 0 && next.Used-r.Used >= max(1, r.Limit*rearm/100) {
		next.Mark, next.Used = r.Mark, r.Used // no lower mark is crossed on the way down
	}
	objective := s.Begun && r.Done > s.Done
	next.Compactions, next.Done, next.Begun = max(s.Compactions, r.Compactions), r.Done, true
	switch {
	case r.Mark > next.Mark:
		kind, note = Mark, true
	case compacted && s.Begun && r.Compactions >= insist:
		kind, note = Compacted, true
	case objective:
		kind, note = Done, true
	case len(r.Repeated) > 0 && !next.Repeated:
		kind, note = Repeated, true
	}
	if r.Mark > next.Mark {
		next.Mark, next.Used = r.Mark, r.Used
	}
	next.Repeated = next.Repeated || len(r.Repeated) > 0
	return next, kind, note && !r.Saved
}
