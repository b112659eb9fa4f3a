package compile

import (
	"fmt"
	"slices"
	"strings"

	"handoff/log/bundle"
	"handoff/log/thread/compile/render"
)

// Explanation lists what is in a context, and what is not and why.
type Explanation struct {
	ThreadID string  `json:"thread_id"`
	FromSeq  uint64  `json:"from_seq"`
	Compiler string  `json:"compiler_id"`
	Strategy string  `json:"strategy"`
	Tokens   int     `json:"about_tokens"`
	Budget   int     `json:"token_budget,omitempty"` // 0 for none
	Kept     []Piece `json:"kept"`                   // in the order of the context
	LeftOut  []Piece `json:"left_out"`
	Queued   int     `json:"queued,omitempty" doc:"messages that wait for the store, which are not in the context"`
}

// Piece is a part of a context, or of what might have been in it.
type Piece struct {
	// Kind is message, reply, summary, handoff, file, artifact, side_effects,
	// thread, or note for the message that names what is lost.
	Kind     string `json:"kind"`
	ThreadID string `json:"thread_id,omitempty"`
	// Seq is the message's event, of a reply and of side effects the message
	// that they belong to, of a summary the last event that it covers, of a
	// thread the cut.
	Seq    uint64 `json:"seq"`
	ID     string `json:"id,omitempty"`        // event, run, artifact, path or tool
	Count  uint64 `json:"count,omitempty"`     // of messages up to Seq, if there are several
	Above  uint64 `json:"ancestors,omitempty"` // of the thread, whose messages are counted too
	Tokens int    `json:"about_tokens,omitempty"`
	Why    string `json:"why,omitempty"`            // reason for leaving it out
	Budget bool   `json:"for_the_budget,omitempty"` // the reason is the budget
	Lost   bool   `json:"lost,omitempty"`           // the reason is that its file is missing or damaged
	Text   bool   `json:"only_the_text,omitempty"`  // the reference is in the context, and the text is not
}

func (c *compiler) explanation(by bundle.Compiler) Explanation {
	x := Explanation{ThreadID: c.req.ThreadID, FromSeq: c.cut.seq, Compiler: by.ID, Strategy: by.Strategy, Budget: c.req.Budget, Kept: []Piece{}, LeftOut: []Piece{}}
	for _, e := range c.entries {
		x.Kept = append(x.Kept, e.piece)
		x.Tokens += e.piece.Tokens
	}
	for _, s := range slices.Backward(c.together()) {
		x.LeftOut = append(x.LeftOut, c.older(s)...)
	}
	x.LeftOut = append(x.LeftOut, c.older(c.own)...)
	if c.from != nil && !c.req.Refs {
		x.LeftOut = append(x.LeftOut, c.unwritten()...)
	}
	x.LeftOut = append(x.LeftOut, c.leftOut...)
	return x
}

// together are the ancestors, those beside each other of which nothing is needed as one: a long chain has thousands.
func (c *compiler) together() (all []segment) {
	for _, s := range c.base {
		s.threads = max(s.threads, 1)
		if n := len(all) - 1; n >= 0 && s.passed() && all[n].passed() {
			all[n].older += s.older
			all[n].threads += s.threads
		} else {
			all = append(all, s)
		}
	}
	return all
}

// passed reports whether nothing of a segment is in the context.
func (s *segment) passed() bool { return len(s.turns) == 0 && len(s.checkpoints) == 0 }

// older are the messages of a segment that were not read.
func (c *compiler) older(s segment) []Piece {
	var all []Piece
	if s.covered > 0 {
		toSeq := s.checkpoints[len(s.checkpoints)-1].ToSeq
		all = append(all, Piece{Kind: "message", ThreadID: s.threadID, Seq: toSeq, Count: s.covered, Why: "a summary covers them"})
	}
	if s.older > 0 {
		before := s.upTo
		if len(s.turns) > 0 {
			before = s.turns[0].Seq - 1
		}
		all = append(all, Piece{Kind: "message", ThreadID: s.threadID, Seq: before, Count: s.older, Above: max(s.threads, 1) - 1,
			Why: fmt.Sprintf("more than the limit of %d", c.req.Limits.Messages)})
	}
	return all
}

// unwritten are the references of a handoff bundle that were not added.
func (c *compiler) unwritten() []Piece {
	if c.from.bundle == nil {
		return nil
	}
	const why = "references are included only on request"
	var all []Piece
	for _, f := range c.from.bundle.Refs.Files {
		all = append(all, Piece{Kind: "file", ThreadID: c.from.threadID, ID: f.Path, Why: why})
	}
	for _, t := range c.from.others() {
		all = append(all, Piece{Kind: "thread", ThreadID: t.ThreadID, Seq: t.Seq, Why: why})
	}
	for _, a := range c.from.bundle.Refs.Artifacts {
		all = append(all, Piece{Kind: "artifact", ThreadID: c.from.threadID, ID: a.ID.String(), Why: why})
	}
	return all
}

// leftOutForBudget is the number of pieces that did not fit.
func (c *compiler) leftOutForBudget() int {
	n := 0
	for _, p := range c.leftOut {
		if p.Budget {
			n++
		}
	}
	return n
}

// Notes is a line for each part that could not be read, which [Request.Incomplete] allows.
func (x Explanation) Notes() []render.Note {
	var notes []render.Note
	for _, p := range x.LeftOut {
		if p.Lost {
			notes = append(notes, render.Note{Item: -1, Text: "incomplete: the " + p.in(x.ThreadID) + " cannot be read and is left out"})
		}
	}
	return notes
}

// String is the explanation for people, one line for each piece.
func (x Explanation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "thread %s up to event %d: %s by %s\n", x.ThreadID, x.FromSeq, x.Strategy, x.Compiler)
	fmt.Fprintf(&b, "kept: %d, about %d tokens", len(x.Kept), x.Tokens)
	if x.Budget > 0 {
		fmt.Fprintf(&b, " of %d", x.Budget)
	}
	b.WriteByte('\n')
	for _, p := range x.Kept {
		fmt.Fprintf(&b, "%8d  %s\n", p.Tokens, p.in(x.ThreadID))
	}
	if len(x.LeftOut) > 0 {
		fmt.Fprintf(&b, "left out: %d\n", len(x.LeftOut))
	}
	for _, p := range x.LeftOut {
		fmt.Fprintf(&b, "%8s  %s: %s\n", "", p.in(x.ThreadID), p.Why)
	}
	if x.Queued > 0 {
		fmt.Fprintf(&b, "waiting for the store, so left out: %d\n", x.Queued)
	}
	return b.String()
}

// in describes the piece in an explanation of the thread.
func (p Piece) in(threadID string) string {
	if p.Text {
		p.Text = false
		return "text of " + p.in(threadID)
	}
	of := ""
	if p.ThreadID != "" && p.ThreadID != threadID && p.Kind != "thread" {
		of = " of thread " + p.ThreadID
	}
	if p.Above > 0 {
		of += fmt.Sprintf(" and in %d above it", p.Above)
	}
	switch p.Kind {
	case "message":
		switch p.Count {
		case 0:
		case 1:
			return fmt.Sprintf("1 message up to event %d%s", p.Seq, of)
		default:
			return fmt.Sprintf("%d messages up to event %d%s", p.Count, p.Seq, of)
		}
		return fmt.Sprintf("message, event %d%s", p.Seq, of)
	case "reply":
		return fmt.Sprintf("reply to event %d%s", p.Seq, of)
	case "side_effects":
		return fmt.Sprintf("side effects of a tool after event %d%s", p.Seq, of)
	case "summary":
		return fmt.Sprintf("summary up to event %d%s", p.Seq, of)
	case "handoff":
		return "summary of the handoff" + of
	case "note":
		return "note on what is left out"
	case "thread":
		return fmt.Sprintf("thread %s up to event %d", p.ThreadID, p.Seq)
	}
	return p.Kind + " " + p.ID
}
