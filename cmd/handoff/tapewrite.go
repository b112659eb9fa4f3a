package main

import (
	"cmp"
	"context"
	"errors"

	"github.com/urfave/cli/v2"

	"handoff/internal/text/say"
	"handoff/tape"
	"handoff/tape/bulk"
	"handoff/tape/tool"
	"handoff/workspace/tapes"
)

// tapeWrites append to tapes.
func (w *process) tapeWrites() []tapeSub {
	return []tapeSub{
		{name: "append", usage: "append a message, or entries of any kind", args: "[TEXT]", most: 1, writes: true,
			about: "--from reads one JSON object per entry: with kind, payload and meta, or a message with role and content.\n" +
				"All entries are written, or none. Above 1 MiB or 5,000 entries this holds for each part of that size; to continue after an\n" +
				"interruption, repeat with the same --idempotency-key. A missing tape is created.",
			flags: flags(&cli.StringFlag{Name: "role", Value: "user", Usage: "role of the message, `WHO`: user, assistant, system"}, contentFlags(),
				&cli.StringFlag{Name: "kind", Usage: "an entry of `KIND`, with --payload", DefaultText: tape.KindMessage},
				&cli.StringFlag{Name: "payload", Usage: "its payload, a `JSON` object"},
				&cli.StringFlag{Name: "meta", Usage: "its meta, a `JSON` object"},
				&cli.StringFlag{Name: "from", Usage: "entries from `FILE`, - for standard input"}, onceFlags()), ask: w.tapeAppend},
		{name: "handoff", usage: "write an anchor: the context starts again there", args: "NAME", most: 1, writes: true,
			about: "Without --summary and the like the anchor has no state. --from, instead of NAME, reads the arguments of a call of the tool\ntape_handoff, as the model wrote them (`handoff tape schema`). --overflow is for an agent loop whose model refused the context as too\nlong: it hands off with the summary of the last anchor, and fails if that would not make the context shorter.",
			flags: flags(&cli.StringFlag{Name: "summary", Usage: "summary `TEXT`"},
				&cli.StringFlag{Name: "next-steps", Usage: "next steps: `TEXT`"},
				&cli.StringFlag{Name: "state", Usage: "further facts, a `JSON` object"},
				&cli.StringFlag{Name: "meta", Usage: "meta of both entries, a `JSON` object: {\"run_id\": \"r1\"}"},
				&cli.StringFlag{Name: "overflow", Usage: "the model refused the context with `ERROR`"},
				&cli.StringFlag{Name: "from", Usage: "read the tool's arguments from `FILE`, - for standard input"}, onceFlags(), documentToo()), ask: w.tapeHandoff},
		{name: "exec", usage: "run a comma command", args: "COMMAND", most: 1, writes: true,
			about: "',handoff name=phase-1 summary=\"…\" next_steps=\"…\" state={tables: 5}', ',anchors', ',info', ',search query=…', ',reset',\n" +
				"',fork_session new_session_id=…', ',intention', or as Bub spells them: ',tape.handoff phase-1'. - reads it from standard input.\n" +
				"The command is recorded on the tape as an event `command`, as Bub does.",
			flags: flags(yesFlag(), &cli.BoolFlag{Name: "no-record", Usage: "do not record it on the tape"}), do: w.tapeExec},
	}
}

func onceFlags() []cli.Flag {
	return []cli.Flag{
		keyFlag(),
		bareFlag(),
		&cli.Int64Flag{Name: "after", Usage: "only if `ID` is still the largest id on the tape; 0 for a new tape"},
	}
}

// appendRequest is the request of onceFlags.
func appendRequest(c *cli.Context) tape.AppendRequest {
	r := tape.AppendRequest{Key: c.String("idempotency-key"), Bare: c.Bool("bare")}
	r.After = optional(c, "after", c.Int64)
	return r
}

func yesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Usage: "confirm that entries are destroyed"}
}

func (w *process) tapeAppend(c *cli.Context, one oneTape) error {
	entries, err := w.entriesToAppend(c)
	if err != nil {
		return err
	}
	return w.printEntries(c, bulk.Append(c.Context, appendRequest(c), entries, func(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
		a, err := one.Append(ctx, r)
		return a.Entries, cmp.Or(err, w.queuedEntries(c, a, len(r.Entries)))
	}))
}

// queuedEntries is what tape append and tape handoff print for entries that wait for
// the store, as JSON.
type queuedEntries struct {
	Tape    string `json:"tape"`
	Queued  bool   `json:"queued"`
	Key     string `json:"key"` // the idempotency key that they will have
	Entries int    `json:"entries"`
}

// queuedEntries reports entries that wait for the store: they have no ids to print.
func (w *process) queuedEntries(c *cli.Context, a tapes.Appended, n int) error {
	if !a.Queued {
		return nil
	}
	w.sayQueued(say.Count(n, "entry")+" for tape "+plain(a.Tape), a.Waits)
	if w.tapeJSON(c) {
		return writeLine(w.stdout, queuedEntries{a.Tape, true, a.Key, n})
	}
	return nil
}

func (w *process) tapeHandoff(c *cli.Context, one oneTape) error {
	withDocument, err := asksDocument(c)
	if err != nil {
		return err
	}
	if (withDocument || c.IsSet("overflow")) && (c.IsSet("idempotency-key") || c.IsSet("after") || c.IsSet("bare")) {
		return errors.New("--idempotency-key, --after and --bare apply to entries only: leave out --document and --overflow")
	}
	r, err := w.handoffFromFlags(c)
	if err != nil {
		return err
	}
	local, _ := one.(*tapes.Tape) // --document and --overflow exclude --server
	if withDocument {
		return w.handOffWithDocument(c, local, r)
	}
	if c.IsSet("overflow") {
		entries, err := local.Overflow(c.Context, c.String("overflow"))
		return w.printEntries(c, sequence(err, entries...))
	}
	expect := appendRequest(c)
	a, err := one.HandOff(c.Context, tapes.HandoffRequest{Name: r.Name, State: r.State, Meta: r.Meta, Key: expect.Key, After: expect.After, Bare: expect.Bare})
	return w.printEntries(c, sequence(cmp.Or(err, w.queuedEntries(c, a, 2)), a.Entries...))
}

func (w *process) tapeExec(c *cli.Context, t *tapes.Tapes) error {
	text, err := oneArgument(c, `a comma command: ',handoff name=phase-1 summary="…"'`)
	if err != nil {
		return err
	}
	if text == "-" {
		src, _, err := w.read("-", maxEntries)
		if err != nil {
			return err
		}
		text = string(src)
	}
	t.Unrecorded = c.Bool("no-record")
	x, err := t.Exec(c.Context, c.String("tape"), text, c.Bool("yes"))
	switch {
	case x.Output == "":
		return err
	case c.Bool("json") || c.String("format") == "json":
		return errors.Join(writeLine(w.stdout, x), err)
	}
	return errors.Join(w.print(plainText(w.forModel(x.Output))+"\n"), err) // unwrapped also on a terminal, as a model gets it
}

func tapeSchemaCommand(w *process) *cli.Command {
	return &cli.Command{
		Name: "schema", Usage: "print the tool definition of tape.handoff, with which a model hands off",
		UsageText: "handoff tape schema [flags]\n\n`handoff tape handoff --from -` executes a call of it.",
		Flags:     []cli.Flag{toolFormFlag()},
		Action:    w.toolSchema(tool.Schema),
	}
}
