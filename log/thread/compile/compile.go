// Package compile compiles the context of a run: from a thread and a cut, a
// `rip.context_bundle.v1` with what matters of the thread up to there, and the
// decision on its inputs for the log.
//
// Its three strategies are those of RIP's compiler and give the same bytes: the
// last messages; a summary and the messages after it; summaries of several levels
// and the messages after them. Beyond RIP a context can start with the base context,
// which the thread inherits from the one it branched from or was handed off from
// ([Request.Base]), and can be packed into a budget of tokens ([Request.Budget]). If
// that changes what RIP would select, the bundle names this compiler and another
// strategy.
//
// The result depends only on the input: the package reads neither clock nor disk. It
// queries only a few events and artifacts ([Source]), however long the thread is.
package compile

import (
	"errors"
	"fmt"

	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/log/thread"
)

// The ids of compilers in a bundle.
const (
	RIP = "rip.context_compiler.v1"
	ID  = "handoff.context_compiler.v1" // for what RIP's compiler would not select
)

// Limits are the maximum numbers of messages and summaries in a context. Replies and
// the summary of a handoff do not count.
type Limits struct {
	Messages  int
	Summaries int
}

// DefaultLimits are RIP's.
var DefaultLimits = Limits{Messages: 16, Summaries: 3}

// Request describes what to compile, and for which run.
type Request struct {
	ThreadID string
	// MessageID is the message to answer: the cut is before the next message, or at
	// the end of the thread. As in RIP, summaries that were written later count if
	// what they cover is before the cut, unless a run of the message was recorded at
	// this cut: then only those written before the run count. Seq is a cut at any
	// event; nothing written after it counts. Without both the cut is at the end of
	// the thread.
	MessageID string
	Seq       *uint64

	// Anew leaves out what runs of MessageID have answered so far, because the context is for another
	// run: a model whose context ends with an answer is told that there is nothing to do. RIP compiles
	// before the first run of a message.
	Anew bool

	RunSessionID    string
	ActorID, Origin string

	Limits Limits // [DefaultLimits] if both are zero
	// Base adds what the thread inherits: for a branch the messages and summaries of
	// its parent up to the cut, recursively and within the same limits; for a handoff
	// thread the summary that it started with.
	Base bool
	// Refs adds references to the handoff bundle, to what it and the messages refer to, and to the
	// side effects of runs, as item types that RIP has only planned. A referenced thread is compiled up to its cut,
	// within what the budget leaves.
	Refs bool
	// RefsText adds the texts of the files and artifacts that the handoff bundle refers to. Files are as they are now.
	RefsText bool
	// Incomplete allows a context without the parts whose files are missing or damaged.
	// They are in the decision and in the explanation, and the context begins with a
	// message that names them. Otherwise they are [*Lost].
	Incomplete bool
	// Budget is the approximate maximum of tokens in the texts of the context; 0 is no
	// budget. The text that a rendering adds does not count.
	Budget int
	// Max is the maximum size of the bundle in bytes, 0 for none. If the texts alone
	// exceed it, reading ends with a [*TooLarge]. With a budget it is ignored.
	Max int64
}

// Result is a context and how it was compiled.
type Result struct {
	Bundle      bundle.Context
	Decision    *thread.SelectionDecided
	Explanation Explanation
}

// Compiled is the frame that links the bundle to the run. Store the bundle first.
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

// TooLarge: the context has more bytes than an artifact or [Request.Max] allows,
// which a few long messages can cause. A budget leaves some out.
type TooLarge struct{ Max int64 }

func (e *TooLarge) Error() string {
	return fmt.Sprintf("the context is larger than %d bytes: set a budget (--budget N) to leave out what does not fit", e.Max)
}

// Keep stores the bundle with put, the method of a store of artifacts.
func (r Result) Keep(put func([]byte) (artifact.ID, artifact.Outcome, error)) (artifact.ID, error) {
	id, _, err := put(r.Bundle.Bytes())
	if e := (*artifact.TooLargeError)(nil); errors.As(err, &e) {
		err = &TooLarge{e.Max}
	}
	return id, err
}

// Compile compiles the context. A part that cannot be read is an error, never a gap. A
// thread or message that does not exist is fs.ErrNotExist, a cut after the
// thread's end handoff.ErrInvalid; [*OverBudget] means that not even the message
// to answer fits.
func Compile(src Source, req Request) (Result, error) {
	c := &compiler{src: src, req: req}
	if req.Limits == (Limits{}) {
		c.req.Limits = DefaultLimits
	}
	c.req.Refs = req.Refs || req.RefsText
	if err := c.run(); err != nil {
		return Result{}, err
	}
	return c.result()
}

// compiler is the state of one compilation.
type compiler struct {
	src  Source
	req  Request
	cut  cut
	own  segment
	base []segment // of the ancestors, the parent first
	from *start    // the handoff at the end of the inheritance, nil for none

	failed   bool  // an answer is marked as that of a run that failed
	anew     bool  // an answer was left out, because the message is answered anew
	unusable int   // summaries that could not be read
	held     int64 // bytes of the texts that were read

	threads []bundle.ThreadRef // that are referred to

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
	if err := c.findThreads(); err != nil {
		return err
	}
	c.entries = append(c.gapEntry(), c.compose()...)
	if err := c.include(); err != nil {
		return err
	}
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
