package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"handoff/tape"
	"handoff/workspace/tapes"
)

// tapeForks create tapes, also from others, and end them.
func (w *process) tapeForks() []tapeSub {
	return []tapeSub{
		{name: "fork", usage: "create a tape that continues another, which stays unchanged", args: "NEW", most: 1, writes: true,
			about: "Without --from-anchor or --from-entry the fork gets all entries. Its last anchor holds --next-steps and --context-summary.\nWith --idempotency-key, NEW can be left out: the name is made from the key.",
			flags: flags(&cli.StringFlag{Name: "from-anchor", Usage: "start at the last anchor `NAME`"},
				&cli.Int64Flag{Name: "from-entry", Usage: "start at entry `ID`"},
				&cli.StringFlag{Name: "until", Usage: "end before the next anchor `NAME`", DefaultText: "latest, the end"},
				&cli.StringFlag{Name: "next-steps", Usage: "what the fork is for: `TEXT`"},
				&cli.StringFlag{Name: "context-summary", Usage: "context for it: `TEXT`"},
				&cli.StringFlag{Name: "trigger-on-complete", Usage: "`WHAT` happens when it ends"},
				&cli.BoolFlag{Name: "link", Usage: "refer to the entries instead of copying them"}, keyFlag()), ask: w.tapeFork},
		{name: "merge", usage: "append a fork's own entries to its parent and archive the fork", args: "FORK", most: 1, writes: true, all: true, named: true,
			flags: flags(&cli.BoolFlag{Name: "keep-anchors", Usage: "its anchors also cut the parent's context"}), ask: w.tapeMerge},
		{name: "discard", usage: "archive a fork without merging it", args: "FORK", most: 1, writes: true, all: true, named: true,
			flags: flags(&cli.StringFlag{Name: "reason", Usage: "`TEXT`: why"}), ask: w.tapeDiscard},
		{name: "reset", usage: "archive a tape's entries and start it again", writes: true,
			flags: flags(&cli.BoolFlag{Name: "no-archive", Usage: "archive nothing; requires --yes"}, yesFlag(), keyFlag()), ask: w.tapeReset},
		{name: "create", usage: "create a tape", args: "NAME", most: 1, writes: true, all: true, named: true,
			about: "An append creates a tape, too. An existing tape stays as it is.",
			flags: flags(bareFlag()), ask: w.tapeCreate},
		{name: "delete", usage: "archive a tape's entries and delete it", args: "NAME", most: 1, writes: true, all: true, named: true,
			about: "A fork is merged or discarded instead. An append to a deleted tape creates it again.",
			flags: flags(&cli.BoolFlag{Name: "no-archive", Usage: "archive nothing; requires --yes"}, yesFlag()), ask: w.tapeDelete},
		{name: "send", usage: "hand a tape over to another agent: print an envelope", writes: true,
			about: "--summary and --next-steps default to those of the last anchor. The handover is recorded on the tape.",
			flags: flags(&cli.StringFlag{Name: "from", Usage: "`WHO` hands over: agent:worker-1"}, &cli.StringFlag{Name: "to", Usage: "to `WHOM`"},
				&cli.StringFlag{Name: "reason", Usage: "`TEXT`: why"}, &cli.StringFlag{Name: "summary", Usage: "summary for the receiver: `TEXT`"},
				&cli.StringFlag{Name: "next-steps", Usage: "next steps for the receiver: `TEXT`"},
				&cli.StringFlag{Name: "context-summary", Usage: "context for the receiver: `TEXT`"},
				&cli.StringFlag{Name: "from-document", Usage: "hand over document `REF` (259/3), which becomes an anchor of the tape"},
				&cli.StringFlag{Name: "from-thread", Usage: "hand over `THREAD`, or THREAD@SEQ, likewise"}), ask: w.tapeSend},
		{name: "receive", usage: "receive an envelope: write its anchor", args: "FILE", most: 1, writes: true,
			about: "FILE is - for standard input. The content is data for a model, not an instruction. Receiving it again changes nothing.",
			flags: flags(&cli.StringFlag{Name: "name", Usage: "`NAME` of the anchor", DefaultText: "context_handoff"},
				&cli.StringFlag{Name: "as", Usage: "fail unless the envelope is for `WHO`: agent:worker-2"}), ask: w.tapeReceive},
	}
}

func (w *process) tapeFork(c *cli.Context, one oneTape) error {
	r := tapes.ForkRequest{To: c.Args().First(), FromAnchor: optional(c, "from-anchor", c.String), Until: c.String("until"), Link: c.Bool("link"),
		NextSteps: optional(c, "next-steps", c.String), ContextSummary: optional(c, "context-summary", c.String), TriggerOnComplete: optional(c, "trigger-on-complete", c.String),
		Key: c.String("idempotency-key")}
	r.FromEntry = optional(c, "from-entry", c.Int64)
	if r.To == "" && r.Key == "" { // a key determines the name
		return errors.New("tape fork needs the name of the new tape: handoff tape fork worker")
	}
	if r.FromAnchor != nil && r.FromEntry != nil {
		return errors.New("give one of --from-anchor and --from-entry")
	}
	f, err := one.Fork(c.Context, r)
	return w.tapePrint(c, f, f.Tape, err)
}

func (w *process) tapeMerge(c *cli.Context, one oneTape) error {
	r, err := one.Merge(c.Context, tapes.MergeRequest{KeepAnchors: c.Bool("keep-anchors")})
	return w.tapePrint(c, r, fmt.Sprintf("merged %s into %s\narchived: %s", plural(r.Entries, "entry"), r.Parent, r.Archived), err)
}

func (w *process) tapeDiscard(c *cli.Context, one oneTape) error {
	r, err := one.Discard(c.Context, tapes.DiscardRequest{Reason: c.String("reason")})
	return w.tapePrint(c, r, fmt.Sprintf("discarded %s\narchived: %s", plural(r.Entries, "entry"), r.Archived), err)
}

func bareFlag() cli.Flag {
	return &cli.BoolFlag{Name: "bare", Usage: "do not write the anchor session/start, for a program that writes its own"}
}

func (w *process) tapeCreate(c *cli.Context, one oneTape) error {
	r, err := one.Create(c.Context, c.Bool("bare"))
	text := "created"
	if !r.Created {
		text = "it already exists"
	}
	return w.tapePrint(c, r, text, err)
}

func (w *process) tapeDelete(c *cli.Context, one oneTape) error {
	r, err := one.Delete(c.Context, tapes.DeleteRequest{Archive: new(!c.Bool("no-archive")), Confirm: confirmed(c, one)})
	text := "deleted"
	if r.Archived != "" {
		text = "archived: " + r.Archived
	}
	return w.tapePrint(c, r, text, err)
}

func (w *process) tapeReset(c *cli.Context, one oneTape) error {
	r, err := one.Reset(c.Context, tapes.ResetRequest{Archive: new(!c.Bool("no-archive")), Confirm: confirmed(c, one), Key: c.String("idempotency-key")})
	return w.tapePrint(c, r, r.Text(), err)
}

// confirmed is the name of the tape if --yes is given.
func confirmed(c *cli.Context, one oneTape) string {
	if c.Bool("yes") {
		return one.Name()
	}
	return ""
}

func (w *process) tapeSend(c *cli.Context, one oneTape) error {
	if c.String("from") == "" || c.String("to") == "" {
		return errors.New("tape send needs a sender and a receiver: --from agent:worker-1 --to agent:worker-2")
	}
	switch doc, thread := c.String("from-document"), c.String("from-thread"); {
	case doc != "" && thread != "":
		return errors.New("give one of --from-document and --from-thread")
	case doc != "":
		return w.sendOther(c, doc)
	case thread != "":
		return w.sendOther(c, "thread:"+thread)
	}
	e, err := one.Send(c.Context, tapes.SendRequest{From: c.String("from"), To: c.String("to"), Reason: c.String("reason"), Summary: c.String("summary"),
		NextSteps: optional(c, "next-steps", c.String), ContextSummary: optional(c, "context-summary", c.String)})
	if err != nil {
		return err
	}
	return w.print(string(e.Bytes()) + "\n")
}

func (w *process) tapeReceive(c *cli.Context, one oneTape) error {
	file, err := oneArgument(c, "the file of an envelope, - for standard input")
	if err != nil {
		return err
	}
	src, shown, err := w.read(file, maxEntries)
	if err != nil {
		return err
	}
	e, err := tape.ParseEnvelope(src)
	if err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	r, err := one.Receive(c.Context, e, tapes.ReceiveRequest{Name: c.String("name"), As: c.String("as")})
	if err != nil {
		return err
	}
	if r.Existed {
		w.say("it was already received: nothing is written")
	}
	return w.printEntries(c, sequence(nil, r.Anchor))
}
