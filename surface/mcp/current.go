package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/outdated"
	"handoff/workspace/receipts"
	"handoff/workspace/states"
)

// The most bytes of a report. Hosts cut results at about 25,000 tokens.
const (
	briefBytes = 10_000
	fullBytes  = 40_000
)

// currentArguments are the arguments of handoff_current.
type currentArguments struct {
	Ref   string `yaml:"ref" about:"Path, 259/3 (task/phase), 259 or latest"`
	Task  *int   `yaml:"task" about:"Only of this task"`
	Level string `yaml:"level" enum:"brief,full"`
}

// currentValue is the result of handoff_current. It is empty if there is no handoff.
type currentValue struct {
	Ref   string   `json:"ref,omitempty"`
	Path  string   `json:"path,omitempty"`
	State string   `json:"state,omitempty"` // of its task; "past" if a newer handoff has replaced it
	Why   string   `json:"why,omitempty"`
	Stale []string `json:"stale,omitempty"` // out-of-date facts, one line each
	// Unproved is what the marks of its claims say against them; the report says it, too.
	Unproved string `json:"unproved,omitempty"`
	Report   string `json:"report,omitempty"`
	Waiting  int    `json:"waiting"` // other handoffs that wait

	Plan      string               `json:"plan,omitempty"` // see [handoffops.NextList]
	Elsewhere []receipts.Elsewhere `json:"elsewhere,omitempty"`

	free        bool
	called, ref string // how the text names it: ref in an argument, "" if it cannot
}

// everything is more than there are handoffs.
const everything = 1 << 20

// past is the state of a handoff that a newer one of its task has replaced.
const past = "past"

// current is the tool handoff_current.
func current(c *call) (answer, error) {
	var in currentArguments
	if err := c.arguments(&in); err != nil {
		return answer{}, err
	}
	level, most := brief.Escape, briefBytes
	switch in.Level {
	case "", "brief":
	case "full":
		level, most = brief.Full, fullBytes
	default:
		return answer{}, fmt.Errorf("level %q: %w: want brief or full", in.Level, handoff.ErrInvalid)
	}
	which, err := c.which(in.Ref, in.Task)
	if err != nil || which.entry.Path == "" {
		return nothing(which), err
	}
	v, err := c.report(which, level, most)
	if err != nil {
		return answer{}, err
	}
	return answer{text: v.text() + takeUp(v) + besides(which.list), value: v}, nil
}

func nothing(which chosen) answer {
	text := "There is no handoff yet. handoff_new writes one.\n"
	if len(which.list.Unclear) > 0 {
		text = "It is unclear which handoff is the newest. " + inert.Quote("list", which.list.Unclear...) + "Call handoff_current with the ref of one.\n"
	}
	return answer{text: text + besides(which.list), value: currentValue{Plan: which.list.Plan, Elsewhere: which.list.Elsewhere}}
}

// besides is what to look at besides the handoffs here; "" for nothing.
func besides(l handoffops.NextList) (text string) {
	if l.Plan != "" {
		text += inert.Quote("plan", l.Plan)
	}
	var rows []string
	for _, e := range l.Elsewhere {
		rows = append(rows, e.String())
	}
	if len(rows) > 0 {
		text += inert.Quote("list", rows...)
	}
	return text
}

// chosen is a handoff and what became of it.
type chosen struct {
	entry  documents.Entry // without a path if there is none
	state  string
	why    string
	free   bool // it can be taken up
	others int  // other handoffs that wait
	list   handoffops.NextList
}

// which chooses the handoff for a call: the one that ref names, else that of the
// session's claim, else the best waiting one, else the newest.
func (c *call) which(ref string, task *int) (which chosen, err error) {
	b, err := receipts.Open(c.ws)
	if err != nil {
		return which, err
	}
	if ref == "" && task == nil {
		if ref, _, err = b.Claimed(c, c.target("")); err != nil {
			return which, err
		}
	}
	if ref != "" {
		if which.entry, err = c.find(ref); err != nil {
			return which, err
		}
		task = which.entry.Name.Number()
	}
	l, unread := handoffops.Next.Do(c.handoffs(""), c, "", handoffops.NextRequest{Task: task, Limit: everything})
	which.list = l
	waiting := l.Waiting
	if ref == "" {
		if which.entry, err = c.best(waiting, task); err != nil || which.entry.Path == "" {
			return which, errors.Join(err, unread)
		}
	}
	which.state, which.why, which.free, err = c.stateOf(b, slices.Concat(waiting, l.Held), which.entry)
	which.others = len(waiting)
	if slices.ContainsFunc(waiting, func(i receipts.Item) bool { return i.Path == which.entry.Path }) {
		which.others--
	}
	return which, err
}

// best is the best waiting handoff, else the newest; without a path if there is none.
func (c *call) best(waiting []receipts.Item, task *int) (documents.Entry, error) {
	for _, i := range waiting {
		if !i.Unclear() {
			return documents.EntryAt(c.ws, i.Path), nil
		}
	}
	if len(waiting) > 0 {
		return documents.EntryAt(c.ws, waiting[0].Path), nil
	}
	newest := "latest"
	if task != nil {
		newest = fmt.Sprint(*task)
	}
	e, err := documents.FindInside(c, c.ws, newest)
	if errors.Is(err, fs.ErrNotExist) {
		return documents.Entry{}, nil
	}
	return e, err
}

// stateOf is the state of a handoff and the reason for it, as all surfaces show them. free is
// whether it can be taken up.
func (c *call) stateOf(b *receipts.Book, list []receipts.Item, e documents.Entry) (state, why string, free bool, err error) {
	for _, i := range list {
		if i.Path == e.Path {
			why := i.Why
			if i.Until != nil {
				why += " until " + i.Until.UTC().Format(time.RFC3339)
			}
			return string(i.State), why, !i.Claimed(), nil
		}
	}
	r, life, err := b.Life(c, receipts.Target{Dir: c.ws.Root, Ref: e.Path})
	if err != nil {
		return "", "", false, err
	}
	known := b.States(c, []documents.Entry{e})[e.Path]
	state, why = cmp.Or(string(known.State), past), cmp.Or(known.Why, "a newer handoff or the metadata of the task shows that it was taken up")
	if len(life.Steps) > 0 {
		why = fmt.Sprintf("%s by %s at %s", r.State, r.By, r.Since.UTC().Format(time.RFC3339))
	}
	return state, why, known.State == states.Review, nil
}

// report reads the chosen handoff. It records the showing only for the holder of the
// session's claim: others only look, and the handoff must still reach its successor.
func (c *call) report(which chosen, level brief.Level, most int) (v currentValue, err error) {
	doc, err := documents.ReadInside(c.ws, which.entry)
	if err != nil {
		return v, err
	}
	e := which.entry
	e.When = documents.When(c, c.ws, e, doc)
	v = currentValue{Ref: e.Ref(), Path: e.Path, State: which.state, Why: which.why, Unproved: foreign(documents.MakeRow(e, doc, nil).Unproved), Waiting: which.others, Plan: which.list.Plan, Elsewhere: which.list.Elsewhere, free: which.free}
	if v.Stale, err = outdated.Of(c, c.ws, e, doc); err != nil {
		return v, err
	}
	notes := append([]string{"Recorded: " + v.State + ", " + foreign(v.Why)}, outdated.Notes(c, c.ws, e, v.Stale, most/3)...)
	if v.Report, err = brief.Make(brief.Source{Doc: doc, Name: e.Name, Path: e.Path, When: e.When, Notes: notes}, level, most); err != nil {
		return v, err
	}
	v.ref, _ = e.Name.Typed(e.Path)
	v.called = e.Name.Called(e.Path)
	if b, err := receipts.Open(c.ws); err == nil {
		err = b.Deliver(c, c.target(e.Path), "")
		if err != nil && !errors.Is(err, receipt.ErrRefused) { // reading needs no claim
			return v, err
		}
	}
	return v, nil
}

// text is the report, after the state. The reason for that and what is out of date quote
// names, so they are in the frame of the report.
func (v currentValue) text() string {
	return fmt.Sprintf("%s: %s.\n\n%s", v.called, v.State, v.Report)
}

// asRef is how a text names the handoff as an argument.
func (v currentValue) asRef() string {
	return cmp.Or(v.ref, "the path in the report's first lines")
}

// takeUp names the calls that come next.
func takeUp(v currentValue) string {
	if !v.free {
		return ""
	}
	return "\nTo take it up, call handoff_claim with action claim and ref " + v.asRef() + ".\n"
}
