// Package claims has the commands of a successor, who takes a handoff up and finishes it: next, claim, ack, renew,
// release, done, receipts, task, restore and top. Other commands ask it whether the caller's claim is stale.
package claims

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/surface/command/queue"
	"handoff/workspace"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
)

// AsFlag is --as, the name of who takes a step.
func AsFlag(to *string, usage string) cli.Flag {
	return &cli.StringFlag{Name: "as", Destination: to, Usage: usage}
}

// Claim is the command `handoff claim`.
func Claim(w *command.Process) *cli.Command {
	g := group(w)
	g.Usage, g.Missing = command.RefHelp, func(*ops.About) string {
		return oneHandoff + ", issue:311, task:7 or path:GLOB (`handoff next --claim` takes the best one)"
	}
	return orHold(w, g.Of(handoffops.Claim))
}

// Step makes the command of another operation on one handoff.
func Step(o handoffops.Operation) func(*command.Process) *cli.Command {
	return func(w *command.Process) *cli.Command { return group(w).Of(o) }
}

const oneHandoff = "one handoff: a path, 259/3 (task/phase), 259 or latest"

// group makes the commands of the operations on one handoff.
func group(w *command.Process) *operations.Group[*handoffops.At, handoffops.Place] {
	return &operations.Group[*handoffops.At, handoffops.Place]{
		W: w, Usage: command.ClaimedHelp, Takes: "takes " + oneHandoff,
		Flags: func(k *operations.Call, of []cli.Flag) []cli.Flag {
			usage := "print JSON: the state of the handoff"
			if !k.About.Records {
				usage += ", and its steps"
			}
			return command.Flags(of, &cli.BoolFlag{Name: "json", Destination: &k.JSON, Usage: usage}, operations.ServerFlags(&k.Server, "ours"))
		},
		With: func(k *operations.Call, ref string, do func(handoffops.Place, string) error) error {
			return command.SayRefused(w, WithHandoffs(k, w, &k.Server, k.About.Records, func(p handoffops.Place) error {
				if k.Server.Given && ref == "" {
					return fmt.Errorf("%s needs %s: a server does not know what you have claimed here", k.Command, oneHandoff)
				}
				if claim := reflect.ValueOf(k.Request).Elem().FieldByName("Claim"); k.Server.Given && claim.IsValid() {
					claim.SetString(w.Claim())
				}
				return do(p, ref)
			}))
		},
		Print: printStep,
	}
}

// WithHandoffs opens the handoffs, of the workspace or of a server. What waits in the outbox of the workspace is
// sent first if drains is set.
func WithHandoffs(ctx context.Context, w *command.Process, o *operations.ServerOptions, drains bool, do func(handoffops.Place) error) error {
	if o.Given {
		s, err := operations.ServerOf(w, o)
		if err != nil {
			return err
		}
		defer s.Close()
		return do(s.Handoffs())
	}
	ws, err := w.Here()
	if err != nil {
		return err
	}
	if drains {
		queue.DrainFirst(ctx, w, ws)
	}
	return do(handoffops.Here{At: In(w, ws)})
}

// In are the handoffs of a workspace as the caller of a command sees them. What he claims belongs to the
// session in which the command runs; when that ends, the claim is released.
func In(w *command.Process, ws *workspace.Workspace) *handoffops.At {
	name, session, _ := host.Here(w.Getenv)
	level, _ := agents.LevelOf(w.Getenv(agents.LevelVar))
	return &handoffops.At{Workspace: ws, Dir: w.Dir, Who: w.Caller(), Session: receipt.Session{Host: name, ID: session}, Level: level.OfClaim(),
		Tests: func() ([][]string, string) { return tests(w, ws) }}
}

// printStep prints what became of a handoff.
func printStep(k *operations.Call, v any) error {
	if h, ok := v.(handoffops.History); ok {
		return printReceipts(k, h)
	}
	w, r := k.W, v.(receipts.Record)
	switch {
	case r.Said:
		w.Say("the relay now checks whether the work is done, and asks again if it is not: stop here")
	case r.Evidence != nil:
		w.Say("done: %s", command.Plain(r.Evidence.String()))
	}
	queue.SayStepQueued(w, r)
	w.Complain(r.Unlinked)
	if r.Forgotten != nil {
		w.Say("claimed, but later commands will not find it: %s (`export HANDOFF_CLAIM=%s`)", command.Plain(r.Forgotten.Error()), command.Plain(r.Claim))
	}
	if r.Doubt != "" {
		w.Say("%s: this is %s", command.Plain(r.Doubt), command.Plain(w.Shown(w.Workspace, r.Path)))
	}
	return printRecord(w, r, k.About.Name == handoffops.Claim.Name, k.JSON)
}

// printRecord prints the new record of a handoff. It prints a new claim alone
// on stdout, for HANDOFF_CLAIM=$(handoff claim …).
func printRecord(w *command.Process, r receipts.Record, claims, asJSON bool) error {
	if asJSON {
		return command.WriteJSON(w.Stdout, r)
	}
	if !claims {
		return nil
	}
	w.Say("claimed %s until %s (token %d)", command.Plain(r.Path), r.Until.Format(time.RFC3339), r.Token)
	return w.Print(r.Claim + "\n")
}

// ClaimOn is the claim that a spawned agent gets if it is for its handoff; "" for none.
func ClaimOn(ctx context.Context, w *command.Process, ws *workspace.Workspace, args command.Arguments) string {
	b, err := receipts.Open(ws)
	if err != nil || w.Claim() != "" || !w.Caller().Alone() {
		return w.Claim()
	}
	claim, _ := b.ClaimOn(ctx, targetOf(w, args.First())) // a handoff that cannot be found is reported by who prepares the agent
	return claim
}

// targetOf is a handoff for a step of the caller; ref "" is the one that it has claimed.
func targetOf(w *command.Process, ref string) receipts.Target {
	who := w.Caller()
	return receipts.Target{Dir: w.Dir, Ref: ref, Claim: who.Claim, Who: who}
}

// Superseded records that the caller wrote the next handoff of a task that it
// holds a claim on. The document is already safe, so a failure is
// reported, and by the exit status.
func Superseded(ctx context.Context, w *command.Process, ws *workspace.Workspace, path string) {
	sayOtherTask(ctx, w, ws, path)
	b, err := receipts.Open(ws)
	if err == nil {
		err = b.Continue(ctx, w.Caller(), path)
	} else if w.Claim() == "" {
		return // without a place for receipts there are no claims
	}
	if err != nil {
		w.Say("written, but the claimed handoff is not superseded: %s", command.Plain(err.Error()))
		w.Incomplete = true
	}
}

// Delivered records that a brief is about to be shown: to the holder of a
// claim, or to the agent that --as names. Reading needs no claim, so
// a stale one is only reported.
func Delivered(ctx context.Context, w *command.Process, ws *workspace.Workspace, ref, as string) error {
	b, err := receipts.Open(ws)
	if err != nil && as == "" && w.Claim() == "" {
		return nil
	}
	if err == nil {
		err = b.Deliver(ctx, targetOf(w, ref), as)
	}
	if as == "" && err != nil {
		w.Complain(err)
		return nil
	}
	return command.SayRefused(w, err)
}

// ClaimedRef is the handoff that the caller holds a claim on, for a command
// without an argument; "" without a claim.
func ClaimedRef(ctx context.Context, w *command.Process, ws *workspace.Workspace, args command.Arguments) (string, error) {
	if len(args) > 0 {
		return "", nil
	}
	b, err := receipts.Open(ws)
	if err != nil && w.Claim() == "" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	path, _, err := b.Claimed(ctx, targetOf(w, ""))
	return path, command.SayRefused(w, err)
}

// Fence rejects writes of a caller whose claim another one has replaced, or whose claim cannot be
// checked now. A claim that is not passed but found may be limited to a task; nil for all. What
// they write can be written again later, so there is no way to write it unchecked.
func Fence(ctx context.Context, w *command.Process, ws *workspace.Workspace, task *int) error {
	_, err := MayWriteNew(ctx, w, ws, task, false)
	if errors.As(err, new(*receipt.UnsureError)) {
		err = command.Reworded(err.Error()+": nothing was written (try again when `handoff store check` reaches the store)", err)
	}
	return err
}

// MayWriteNew rejects a new document of a caller whose claim is stale. With unfenced it returns why the
// claim could not be checked instead of an error: see [receipts.Book.MayWriteNew].
func MayWriteNew(ctx context.Context, w *command.Process, ws *workspace.Workspace, task *int, unfenced bool) (unchecked, err error) {
	b, err := receipts.Open(ws)
	if err != nil && w.Claim() == "" {
		return nil, nil // without a place for receipts there are no claims
	}
	if err == nil {
		unchecked, err = b.MayWriteNew(ctx, w.Caller(), task, unfenced)
	}
	return unchecked, command.SayRefused(w, err)
}
