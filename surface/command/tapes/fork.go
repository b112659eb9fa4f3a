package tapes

import (
	"errors"
	"fmt"
	"slices"

	"handoff/log/convert"
	"handoff/log/tape"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	conversion "handoff/workspace/convert"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

func checkFork(k *operations.Call, r *tapes.ForkRequest) error {
	if r.To == "" && r.Key == "" { // a key determines the name
		return errors.New("tape fork needs the name of the new tape: handoff tape fork worker")
	}
	if r.FromAnchor != nil && r.FromEntry != nil {
		return errors.New("give one of --from-anchor and --from-entry")
	}
	return nil
}

// confirmed is an operation that may destroy entries, which --yes confirms.
func confirmed[R any](op *tapeops.Op[R, tapes.Archived], parts func(*R) (archive *bool, confirm *string)) operations.Special[tapePlace] {
	yes := new(bool)
	return operations.Doing(op, func(k *operations.Call, at tapePlace, id string, r R) error {
		archive, confirm := parts(&r)
		if *yes {
			*confirm = at.Name()
		}
		if err := tapes.CheckConfirmed(at.Name(), archive, *confirm); err != nil {
			return err
		}
		done, err := op.On(k, at, id, r)
		if err != nil {
			return err
		}
		return printTape(k, done)
	}).WithFlags(func(of []cli.Flag) []cli.Flag {
		return command.Flags(of[:1], &cli.BoolFlag{Name: "yes", Destination: yes, Usage: "confirm that entries are destroyed"}, of[1:])
	})
}

// sendOptions are those of tape send besides its request.
type sendOptions struct{ document, thread string }

func (o *sendOptions) flags(of []cli.Flag) []cli.Flag {
	return command.Flags(of,
		&cli.StringFlag{Name: "from-document", Destination: &o.document, Usage: "`REF`  hand over this document (259/3), which becomes an anchor of the tape"},
		&cli.StringFlag{Name: "from-thread", Destination: &o.thread, Usage: "`THREAD`  hand over this thread, or THREAD@SEQ, likewise"})
}

func (o *sendOptions) check(k *operations.Call, r *tapes.SendRequest) error {
	switch {
	case r.From == "" || r.To == "":
		return errors.New("tape send needs a sender and a receiver: --from agent:worker-1 --to agent:worker-2")
	case o.document != "" && o.thread != "":
		return errors.New("give one of --from-document and --from-thread")
	case o.document == "" && o.thread == "":
		return nil
	}
	for _, flag := range []string{"bub", "summary", "next-steps", "context-summary"} {
		if slices.Contains(k.Given, flag) {
			return fmt.Errorf("--%s cannot be combined with --from-document or --from-thread", flag)
		}
	}
	if k.Server.Given {
		return errors.New("--from-document and --from-thread cannot be combined with --server")
	}
	return nil
}

func (o *sendOptions) do(k *operations.Call, one tapePlace, id string, r tapes.SendRequest) error {
	switch {
	case o.document != "":
		return sendOther(k, o.document, r)
	case o.thread != "":
		return sendOther(k, "thread:"+o.thread, r)
	}
	e, err := tapeops.Send.On(k, one, id, r)
	if err != nil {
		return err
	}
	return k.W.Print(string(e.Bytes()) + "\n")
}

// sendOther sends a document or a thread to the tape: it becomes the anchor
// that the envelope names.
func sendOther(k *operations.Call, from string, r tapes.SendRequest) error {
	done, err := conversion.Run(k, k.W.Workspace, conversion.Request{From: from, Dir: k.W.Dir, To: convert.Envelope, Write: true, Tape: k.Tape.Name,
		Sending: convert.Sending{From: r.From, To: r.To, Reason: r.Reason}})
	if err != nil {
		return err
	}
	operations.SayWritten(k.W, k.W.Workspace, done.Written)
	return operations.PrintConverted(k.W, k.W.Workspace, true, done)
}

func tapeReceive(k *operations.Call, one tapePlace, id string, r tapes.ReceiveRequest) error {
	file, err := k.Args.Only(k.Command, "the file of an envelope, - for standard input")
	if err != nil {
		return err
	}
	src, shown, err := k.W.Read(file, maxEntries)
	if err != nil {
		return err
	}
	if r.Body, err = tape.ParseEnvelope(src); err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	received, err := tapeops.Receive.On(k, one, id, r)
	if err != nil {
		return err
	}
	if received.Existed {
		k.W.Say("it was already received: nothing is written")
	}
	return printEntries(k, sequence(nil, received.Anchor), false)
}
