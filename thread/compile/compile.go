// Package compile makes the context that a run starts from: out of a thread and
// a cut through it, a `rip.context_bundle.v1` that holds what matters of the
// thread up to there, and the decision that led to it, for the log.
//
// Its three strategies are those of RIP's compiler and give the same bytes:
// the last messages; a summary and the messages after it; summaries of several
// levels and the messages after them. Beyond RIP a thread can begin with its
// base context, what it inherits from the thread it branched from or was handed
// off from ([Request.Base]), and a context can be packed into a budget of
// tokens ([Request.Budget]). Where that changes what RIP would select, the
// bundle says so: it names this compiler and a strategy of its own.
//
// The package is a function of its input. It reads no clock and no disk; what
// it asks for ([Source]) is a few events and blobs, however long the thread is.
package compile

import (
	"errors"
	"fmt"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/thread"
)

// The compilers that a bundle may name.
const (
	RIP = "rip.context_compiler.v1"
	ID  = "handoff.context_compiler.v1" // for what RIP's would not select
)

// Limits are how much a context holds at most. Replies come on top of the
// messages that they answer; one handoff summary comes on top of all.
type Limits struct {
	Messages  int
	Summaries int
}

// DefaultLimits are RIP's.
var DefaultLimits = Limits{Messages: 16, Summaries: 3}

// Request says what to compile, and for whom.
type Request struct {
	ThreadID string
	// MessageID is the message that is to be answered: the cut is before the
	// next message, or at the end of the thread. As with RIP, summaries written
	// later count as long as what they cover is before the cut, unless a run of
	// the message was recorded at this cut: then those written before it count.
	// Seq is a cut at any event, and nothing written after it counts. With
	// neither the cut is at the end of the thread.
	MessageID string
	Seq       *uint64

	RunSessionID    string
	ActorID, Origin string

	Limits Limits // [DefaultLimits] where both are zero
	// Base adds what the thread inherits: a branch the messages and summaries
	// of its parent up to the cut, within the same limits and recursively; a
	// handoff thread the summary that it was started with.
	Base bool
	// Refs writes the handoff bundle and what it refers to, and the side
	// effects of runs, as references, in item types that RIP only plans.
	Refs bool
	// Budget is about how many tokens the texts of the context may have; 0 is
	// no budget. What a rendering says around them comes on top.
	Budget int
	// Max is how many bytes the bundle may have, 0 for any number. Where the
	// texts alone have more, reading ends there with a [*TooLarge]. A budget
	// leaves out what does not fit, and counts instead.
	Max int64
}

// Result is a context and how it came about.
type Result struct {
	Bundle      bundle.Context
	Decision    *thread.SelectionDecided
	Explanation Explanation
}

// Compiled is the frame that links the bundle to the run, once the bundle is
// stored.
func (r Result) Compiled() *thread.ContextCompiled {
	return &thread.ContextCompiled{
		RunSessionID:     r.Bundle.Provenance.RunSessionID,
		BundleArtifactID: r.Bundle.ID().String(),
		CompilerID:       r.Bundle.Compiler.ID,
		CompilerStrategy: r.Bundle.Compiler.Strategy,
		FromSeq:          r.Bundle.Source.FromSeq,
		FromMessageID:    r.Bundle.Source.FromMessageID,
		ActorID:          r.Bundle.Provenance.ActorID,
		Origin:           r.Bundle.Provenance.Origin,
	}
}

// TooLarge is the error of a context that has more bytes than it may, as an
// artifact or by [Request.Max]: three messages can be as long. Limits count
// messages; a budget leaves some out.
type TooLarge struct{ Max int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("the context is larger than %d bytes: set a budget (--budget N) to leave out what does not fit", e.Max)
}

// Keep stores the bundle with put, the one of a store of artifacts.
func (r Result) Keep(put func([]byte) (artifact.ID, artifact.Outcome, error)) (artifact.ID, error) {
	id, _, err := put(r.Bundle.Bytes())
	if e := (*artifact.TooLargeError)(nil); errors.As(err, &e) {
		err = &TooLarge{e.Max}
	}
	return id, err
}

// Compile makes the context. A summary that is missing or unreadable is not
// used, and the decision says so; what else cannot be read is an error. A
// thread or message that does not exist is fs.ErrNotExist, a cut beyond the
// thread's end handoff.ErrInvalid, and [*OverBudget] says that not even the
// message to be answered fits.
func Compile(src Source, req Request) (Result, error) {
	c := &compiler{src: src, req: req}
	if req.Limits == (Limits{}) {
		c.req.Limits = DefaultLimits
	}
	if err := c.run(); err != nil {
		return Result{}, err
	}
	return c.result()
}

// compiler holds one compilation.
type compiler struct {
	src  Source
	req  Request
	cut  cut
	own  segment
	base []segment // of the ancestors, the parent first
	from *start    // the handoff that the inheritance ends at, nil for none

	unusable int   // summaries that could not be read
	held     int64 // bytes of the texts that were read

	entries []entry // the context, in order
	leftOut []Piece
	resets  []thread.Reset
	packed  bool // something was left out for the budget
}

func (c *compiler) run() (err error) {
	if c.cut, err = c.findCut(); err != nil {
		return err
	}
	if c.own, err = c.segment(c.req.ThreadID, c.cut.seq, c.cut.asOf, c.req.Limits); err != nil {
		return err
	}
	if c.req.Base {
		if err := c.findBase(); err != nil {
			return err
		}
	}
	c.entries = c.compose()
	return c.price()
}

func (c *compiler) result() (Result, error) {
	if err := c.pack(); err != nil {
		return Result{}, err
	}
	b := bundle.Context{
		Compiler:   bundle.Compiler{ID: RIP, Strategy: c.strategy()},
		Source:     bundle.Source{ThreadID: c.req.ThreadID, FromSeq: c.cut.seq, FromMessageID: c.cut.messageID},
		Provenance: bundle.Provenance{RunSessionID: c.req.RunSessionID, ActorID: c.req.ActorID, Origin: c.req.Origin},
	}
	if b.Compiler.Strategy != c.ownStrategy() {
		b.Compiler.ID = ID
	}
	for _, e := range c.entries {
		b.Items = append(b.Items, e.item)
	}
	decision, err := c.decision(b.Compiler)
	if err != nil {
		return Result{}, err
	}
	return Result{b, decision, c.explanation(b.Compiler)}, nil
}

// unavailable reports whether err means that the blob is not there or is not
// what it should be, rather than that reading failed.
func unavailable(err error) bool {
	var invalid *bundle.Invalid
	return isMissing(err) || errors.As(err, &invalid) || errors.Is(err, artifact.ErrInvalidID)
}
