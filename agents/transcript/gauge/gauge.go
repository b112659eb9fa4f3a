// Package gauge compares what a session has used with the point at which its
// host compacts it, and decides when to ask for a handoff.
//
// The unit is tokens that are left until the compaction. A share of the context
// window would mean little: one host compacts at 50 % of it, another at 97 %.
// The package knows neither hosts (package agents does) nor files, and reads no
// clock: a caller passes what the session used, the limit and the previous state.
package gauge

// Use is what a session has used of its context, since the last compaction.
type Use struct {
	Used        int   // tokens in the context at the last call; 0 if unknown
	Pending     int   // tokens that were added since, estimated
	Growth      []int // tokens that each call added
	Calls       int   // of the model
	Compactions int   // of the whole session
	Saved       bool  // a handoff was saved
	Repeated    []Repeat
}

// Repeat is a file that was read several times and not changed in between.
type Repeat struct {
	File  string `json:"file"`
	Times int    `json:"times"`
}

// Limit is where a host compacts a session.
type Limit struct {
	Tokens int    // in the context at which it compacts; 0 if unknown
	Window int    // tokens that the context holds; 0 if unknown
	From   string // where the window is known from: "session", "host", "table"; "" if it is unknown
}

// Reading is what the gauge shows of a session now.
type Reading struct {
	Used        int      `json:"used"`        // tokens in the context: at the last call, and added since
	Pending     int      `json:"pending"`     // of them estimated, because they were added since
	Limit       int      `json:"limit"`       // tokens at which the host compacts; 0 if unknown
	Left        int      `json:"left"`        // tokens until then
	Window      int      `json:"window"`      // tokens that the context holds
	From        string   `json:"window_from"` // that is known from the session, the host or the table of agents; "" if it is unknown
	Measured    bool     `json:"measured"`    // the host reported the window
	Pace        int      `json:"pace"`        // tokens that a call adds, the mean of the last three
	CallsLeft   int      `json:"calls_left"`  // at this pace; -1 if unknown
	Mark        int      `json:"mark"`        // 0 to 3: how urgent a handoff is
	Calls       int      `json:"calls"`       // of the model in this context
	Compactions int      `json:"compactions"`
	Repeated    []Repeat `json:"repeated"` // files that were read again and again
	Saved       bool     `json:"saved"`    // a handoff was saved in this context
	Done        int      `json:"done"`     // objectives of the progress file that are done
	Objectives  int      `json:"objectives"`
}

// Marks are the shares of the limit, in percent of it, and the number of steps,
// each as large as the last three calls together, at which a mark is reached:
// whichever leaves more. The steps make the marks grow with the pace.
var marks = [...]struct{ percent, steps, most int }{
	{25, 4, 60},
	{12, 3, 45},
	{6, 2, 30}, // two steps: one call has used more than the share before
}

// Repeats is how often a file is read before it counts as read again and again.
const Repeats = 3

// Read reads the gauge. done and objectives come from the progress file, 0 for
// none.
func Read(u Use, l Limit, done, objectives int) Reading {
	r := Reading{
		Pending: u.Pending, Limit: l.Tokens, Window: l.Window, From: l.From, Measured: l.From == "session" || l.From == "host", CallsLeft: -1,
		Calls: u.Calls, Compactions: u.Compactions, Repeated: u.Repeated, Saved: u.Saved, Done: done, Objectives: objectives,
	}
	r.Used = u.Used + u.Pending
	last := u.Growth[max(0, len(u.Growth)-3):]
	step := 0
	for _, n := range last {
		step += n
	}
	if len(last) > 0 {
		r.Pace = step / len(last)
	}
	if l.Tokens == 0 {
		return r
	}
	r.Left = max(0, l.Tokens-r.Used)
	if r.Pace > 0 {
		r.CallsLeft = r.Left / r.Pace
	}
	if u.Used > 0 {
		r.Mark = reached(r.Left, l.Tokens, step)
	}
	return r
}

// reached returns the highest mark reached when that many tokens are left. A
// single huge call must not reach every mark in an empty context, so a mark
// never requires more than its most.
func reached(left, limit, step int) (mark int) {
	for i, m := range marks {
		if left <= min(max(limit*m.percent/100, step*m.steps), limit*m.most/100) {
			mark = i + 1
		}
	}
	return mark
}

// maxRoom is the most that [Reading.Room] returns: notes that do not depend on tokens
// come later by so many bytes at most.
const maxRoom = 32 << 10

// Room is by how many bytes a transcript can grow before a higher mark can be reached,
// if each byte is a token: a caller for which reading is expensive can wait so long.
func (r Reading) Room() int {
	if r.Used == 0 {
		return 0 // the next call reports how full the context is
	}
	const measured = 3 // calls in the pace
	for room := maxRoom; room >= maxRoom/8; room /= 2 {
		left := r.Left - room - r.Pending*(bytesPerToken-1) // what is pending may be more than was estimated
		if r.Limit == 0 || reached(left, r.Limit, measured*(r.Pace+1)+room) <= r.Mark {
			return room
		}
	}
	return 0
}

// bytesPerToken is what package transcript estimates with.
const bytesPerToken = 4
