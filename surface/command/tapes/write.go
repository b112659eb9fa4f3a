package tapes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/log/convert"
	"handoff/log/tape"
	"handoff/log/tape/bulk"
	"handoff/log/tape/comma"
	"handoff/log/tape/tool"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	conversion "handoff/workspace/convert"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

func (o *appendOptions) do(k *operations.Call, one tapePlace, id string, r tape.AppendRequest) error {
	entries, err := o.entries(k)
	if err != nil {
		return err
	}
	return printEntries(k, bulk.Append(k, r, entries, func(ctx context.Context, r tape.AppendRequest) ([]tape.Entry, error) {
		a, err := tapeops.Append.On(ctx, one, id, r)
		return a.Entries, cmp.Or(err, sayQueuedEntries(k, a, len(r.Entries)))
	}), false)
}

// queuedEntries is what tape append and tape handoff print for entries that wait for
// the store, as JSON.
type queuedEntries struct {
	Tape    string `json:"tape"`
	Queued  bool   `json:"queued"`
	Key     string `json:"key"` // the idempotency key that they will have
	Entries int    `json:"entries"`
}

// sayQueuedEntries reports entries that wait for the store: they have no ids to print.
func sayQueuedEntries(k *operations.Call, a tapes.Appended, n int) error {
	if !a.Queued {
		return nil
	}
	command.SayQueued(k.W, say.Count(n, "entry")+" for tape "+command.Plain(a.Tape), a.Waits)
	if k.PrintsJSON() {
		return command.WriteLine(k.W.Stdout, queuedEntries{a.Tape, true, a.Key, n})
	}
	return nil
}

// tapeHandoffOptions are those of tape handoff besides its request.
type tapeHandoffOptions struct {
	from      string
	fromGiven bool
	document  operations.AlsoDocument
}

func (o *tapeHandoffOptions) flags(of []cli.Flag) []cli.Flag {
	once := slices.IndexFunc(of, func(f cli.Flag) bool { return f.Names()[0] == "idempotency-key" })
	return command.Flags(of[:once],
		&cli.StringFlag{Name: "from", Destination: &o.from, Action: command.Noting[string](&o.fromGiven), Usage: "`FILE`  file with the tool's arguments, - for standard input"},
		of[once:], operations.DocumentToo(&o.document))
}

// check refuses options that contradict each other.
func (o *tapeHandoffOptions) check(k *operations.Call, r *tapes.HandoffRequest) error {
	if err := o.document.Check(); err != nil {
		return err
	}
	overflow := r.Overflow != ""
	alone := len(k.Args) == 0 && r.Summary == nil && r.NextSteps == nil && r.State == nil
	switch {
	case (o.document.Document || overflow) && (r.Key != "" || r.After != nil || r.Bare):
		return errors.New("--idempotency-key, --after and --bare apply to entries only: leave out --document and --overflow")
	case overflow && (!alone || o.fromGiven || o.document.Document || r.Meta != nil):
		return errors.New("--overflow uses the state of the last anchor: give no other values")
	case o.fromGiven && !alone:
		return errors.New("--from reads the whole handoff: it cannot be combined with NAME, --summary and the like")
	case !o.fromGiven && !overflow && r.Name == "":
		return errors.New("tape handoff needs a name for the anchor: handoff tape handoff phase-1")
	case k.Server.Given && o.document.Document:
		return notOnServer("document")
	}
	return nil
}

func (o *tapeHandoffOptions) do(k *operations.Call, one tapePlace, id string, r tapes.HandoffRequest) error {
	if o.fromGiven {
		src, shown, err := k.W.Read(o.from, maxEntries)
		if err != nil {
			return err
		}
		said, err := tool.Request(src)
		if err != nil {
			return fmt.Errorf("%s: %w", shown, err)
		}
		r.Name, r.State = said.Name, said.State
	}
	if o.document.Document {
		anchor, err := r.Anchor()
		if err != nil {
			return err
		}
		return handOffWithDocument(k, &o.document, one.(tapeops.Here).Tape, anchor)
	}
	a, err := tapeops.Handoff.On(k, one, id, r)
	return printEntries(k, sequence(cmp.Or(err, sayQueuedEntries(k, a, 2)), a.Entries...), false)
}

// tapeExec runs a comma command. yes confirms that it may destroy entries.
func tapeExec(k *operations.Call, one tapePlace, id string, r tapes.ExecRequest, yes bool) error {
	if r.Command == "-" {
		src, _, err := k.W.Read("-", maxEntries)
		if err != nil {
			return err
		}
		r.Command = string(src)
	}
	if yes {
		r.Confirm = one.Name()
	}
	x, err := tapeops.Exec.On(k, one, id, r)
	switch {
	case x.Output == "":
		return err
	case k.JSON || k.Tape.Format == "json":
		return errors.Join(command.WriteLine(k.W.Stdout, x), err)
	}
	return errors.Join(k.W.Print(command.PlainText(forModel(k.W, x.Output))+"\n"), err) // unwrapped also on a terminal, as a model gets it
}

func tapeSchemaCommand(w *command.Process) *cli.Command {
	return operations.ToolSchema(w, "print the definition of the tool tape.handoff, which lets a model hand off",
		"handoff tape schema [flags]\n\n`handoff tape handoff --from -` executes a call of it.", tool.Schema)
}

// handOffWithDocument makes a handoff of a tape and writes the task's document.
func handOffWithDocument(k *operations.Call, o *operations.AlsoDocument, t *tapes.Tape, r comma.HandoffRequest) error {
	ws, document, err := operations.DocumentHere(k, k.W, o)
	if err != nil {
		return err
	}
	made, doc, err := conversion.HandOffTape(k, ws, t, convert.State{Name: r.Name, State: r.State}, document)
	if err != nil {
		return operations.ConvertError(k, err, func(doc *handoff.Document, l handoff.Lines) string { return operations.SectionAt(doc, l, "the state") })
	}
	operations.DocumentWritten(k, k.W, ws, doc)
	return printEntries(k, sequence(nil, made.Entries...), false)
}
