package overview

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"handoff/internal/text/visible"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Picture is a task as a line on which time runs to the right: its phases are dots, and its
// handoffs the joints between the agents.
type Picture struct {
	Done, All int    // phases
	Earlier   int    // handoffs that are left out, the oldest ones
	Marks     []Mark // the dots of the phases, unless there are too many, and the joints
}

// Mark is a dot or a joint of a picture.
type Mark struct {
	Phase     int  // number of the phase of a dot; 0 for a joint
	Done      bool // the phase of a dot is complete
	Path, Ref string
	State     receipt.State // of a joint; "" if nothing is recorded
	By        string        // the agent that took the handoff up; "" if none did
	Loose     bool          // it gave the handoff back, or its lease ended
}

// The longest picture: more phases are a number, and of more handoffs the last ones are drawn.
const (
	mostDots   = 12
	mostJoints = 6
)

// Picture is the picture of the task of a chain.
func (c *Chain) Picture() Picture {
	p := Picture{Done: c.Task.PhasesDone, All: c.Task.Phases, Earlier: max(0, len(c.Handoffs)-mostJoints)}
	next := 1 // phase of the next dot
	dots := func(until int) {
		for ; p.All <= mostDots && next <= min(until, p.All); next++ {
			p.Marks = append(p.Marks, Mark{Phase: next, Done: next <= p.Done})
		}
	}
	for _, l := range c.Handoffs[p.Earlier:] {
		dots(phaseNumber(l.Phase))
		one := Mark{Path: l.Path, Ref: l.Ref, State: l.State}
		one.By, one.Loose = l.Took()
		p.Marks = append(p.Marks, one)
	}
	dots(p.All)
	return p
}

// phaseNumber is the number that a phase begins with; 0 for none.
func phaseNumber(phase string) int {
	end := strings.IndexFunc(phase, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		phase = phase[:end]
	}
	n, _ := strconv.Atoi(phase)
	return n
}

// Took returns the agent that took a handoff up last, "" if none did, and whether it gave it back
// or its lease ended.
func (l *Link) Took() (by string, loose bool) {
	for _, s := range l.Steps {
		switch s.Step {
		case receipt.StepClaimed, receipt.StepAcknowledged, receipt.StepDelivered:
			by, loose = cmp.Or(s.By, s.Host), false
		case receipt.StepReleased, receipt.StepExpired:
			loose = true
		}
	}
	return by, loose || l.State == receipt.Expired
}

// Pictures are the pictures of tasks of an overview. They are made of names and receipts: no
// document is read.
func Pictures(w *workspace.Workspace, tasks []Task) []Picture {
	store, noReceipts := w.Receipts()
	list := make([]Picture, len(tasks))
	for i, t := range tasks {
		c := Chain{Task: t}
		for n, path := range slices.Backward(t.documents) {
			e := documents.EntryAt(w, path)
			l := Link{Row: documents.Row{Path: path, Ref: e.Ref(), Phase: e.Name.PhaseText}}
			if noReceipts == nil && n < mostJoints {
				l.add(store, w.Now())
			}
			if l.State == "" && path == t.Path && t.State == Waiting {
				l.State = receipt.Waiting
			}
			c.Handoffs = append(c.Handoffs, l)
		}
		list[i] = c.Picture()
	}
	return list
}

// Long reports whether there are too many phases for dots.
func (p *Picture) Long() bool { return p.All > mostDots }

// Text draws a picture on one line of at most so many columns; 0 for any number. To make room it
// leaves out the names of agents, the oldest first, and then the beginning.
func (p *Picture) Text(columns int) string {
	text := p.text(0)
	for skip := 1; columns > 0 && skip <= len(p.Marks) && displaywidth.String(text) > columns; skip++ {
		text = p.text(skip)
	}
	if columns > 0 && displaywidth.String(text) > columns {
		return displaywidth.TruncateString(text, columns, "…")
	}
	return text
}

// text draws a picture without the names of the first marks.
func (p *Picture) text(nameless int) string {
	var b strings.Builder
	if p.Long() {
		fmt.Fprintf(&b, "%d/%d ", p.Done, p.All)
	}
	if p.Earlier > 0 {
		b.WriteString("…─")
	}
	for i, m := range p.Marks {
		if i > 0 {
			b.WriteString("─")
		}
		b.WriteString(m.Sign())
		if name := m.Name(); name != "" && i >= nameless {
			b.WriteString(" " + name)
			if i < len(p.Marks)-1 {
				b.WriteString(" ")
			}
		}
	}
	return b.String()
}

// Sign is the symbol of a mark, which needs no colour.
func (m Mark) Sign() string {
	switch {
	case m.Phase > 0 && m.Done:
		return "●"
	case m.Phase > 0:
		return "○"
	case m.By == "" || m.Loose || m.State == receipt.Waiting:
		return "◇"
	}
	return "◆"
}

// Name is the agent beside a joint, in brackets if it has given the handoff back.
func (m Mark) Name() string {
	if m.By == "" || !m.Loose {
		return visible.Line(m.By)
	}
	return "(" + visible.Line(m.By) + ")"
}
