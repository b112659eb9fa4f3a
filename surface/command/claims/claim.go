// Package claims has the commands of a successor, who takes a handoff up and finishes it: next, claim, ack, renew,
// release, done, receipts, task, restore and top. Other commands ask it whether the caller's claim is stale.
package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/queue"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// StepOptions are the options of the steps of a handoff: claim, ack, renew, release and done
// each have some of them.
type StepOptions struct {
	As, firstAction, Why string
	Ttl                  time.Duration
	Force, json, noCheck bool

	ws *workspace.Workspace // in which it runs
}

// AsFlag is --as, the name of who takes a step.
func AsFlag(to *string, usage string) cli.Flag {
	return &cli.StringFlag{Name: "as", Destination: to, Usage: usage}
}

func ttlFlag(to *time.Duration) cli.Flag {
	return &cli.DurationFlag{Name: "ttl", Destination: to, Value: receipts.DefaultLease, Usage: "how long the lease lasts: `TIME`, 1s to 744h"}
}

func recordFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "json", Destination: to, Usage: "print JSON: the state of the handoff"}
}

// Claim is the command `handoff claim`.
func Claim(w *command.Process) *cli.Command {
	o := new(StepOptions)
	return stepCommand(w, o, &cli.Command{
		Name:      "claim",
		Usage:     "claim a handoff, so that only you work on it",
		UsageText: "handoff claim REF --as NAME [flags]\n\n" + command.RefHelp,
		Description: "Later commands of the same agent session, or from the same terminal, find the claim: ack, renew, release, done,\n" +
			"new and sync need no id, and refuse a claim that another one has replaced. Elsewhere, pass what claim prints\n" +
			"as HANDOFF_CLAIM. When the lease ends, anybody may claim the handoff. Claiming it again extends the lease.\n" +
			"Exit status: 1 if somebody else holds it, or it is done.",
		Flags: []cli.Flag{AsFlag(&o.As, "who claims it: `NAME`, shown to others"), ttlFlag(&o.Ttl),
			&cli.BoolFlag{Name: "force", Destination: &o.Force, Usage: "take it over from its holder, or reopen one that is done; needs --why"},
			&cli.StringFlag{Name: "why", Destination: &o.Why, Usage: "reason, required by --force: `TEXT`"},
		},
	}, func(ctx context.Context, b *receipts.Book, t receipts.Target) (receipts.Record, error) {
		return b.Claim(ctx, t, ClaimRequest(w.Getenv, o))
	})
}

// ClaimRequest is a claim for the agent or person that --as names. It contains the
// session in which the command runs; when that ends, the claim is released.
func ClaimRequest(getenv func(string) string, o *StepOptions) receipt.ClaimRequest {
	name, session, _ := host.Here(getenv)
	level, _ := agents.LevelOf(getenv(agents.LevelVar))
	return receipt.ClaimRequest{By: o.As, TTL: o.Ttl, Force: o.Force, Why: o.Why, Session: receipt.Session{Host: name, ID: session}, Level: level.OfClaim()}
}

// Ack is the command `handoff ack`.
func Ack(w *command.Process) *cli.Command {
	o := new(StepOptions)
	return stepCommand(w, o, &cli.Command{
		Name:  "ack",
		Usage: "confirm that you have read a handoff",
		Description: "--first-action is the next action of the document, or its first sentence, in its own words: proof that\n" +
			"it was read. Exit status: 1 if that does not match, or somebody else holds the handoff.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "first-action", Destination: &o.firstAction, Usage: "the next action as the document has it: `TEXT`"},
			AsFlag(&o.As, "`NAME` of the one that has read it, if it has no claim")},
	}, func(ctx context.Context, b *receipts.Book, t receipts.Target) (receipts.Record, error) {
		return b.Acknowledge(ctx, t, o.As, o.firstAction)
	})
}

// Renew is the command `handoff renew`.
func Renew(w *command.Process) *cli.Command {
	o := new(StepOptions)
	return stepCommand(w, o, &cli.Command{
		Name:        "renew",
		Usage:       "extend the lease of a claim",
		Description: "The lease then ends --ttl from now. Exit status: 1 if your claim was taken over.",
		Flags:       []cli.Flag{ttlFlag(&o.Ttl)},
	}, func(ctx context.Context, b *receipts.Book, t receipts.Target) (receipts.Record, error) {
		return b.Renew(ctx, t, o.Ttl)
	})
}

// Release is the command `handoff release`.
func Release(w *command.Process) *cli.Command {
	o := new(StepOptions)
	return stepCommand(w, o, &cli.Command{
		Name:        "release",
		Usage:       "give a handoff back, so that it waits again",
		Description: "Exit status: 1 if your claim was taken over.",
		Flags:       []cli.Flag{&cli.StringFlag{Name: "why", Destination: &o.Why, Usage: "reason, for the next one: `TEXT`"}},
	}, func(ctx context.Context, b *receipts.Book, t receipts.Target) (receipts.Record, error) {
		return b.Release(ctx, t, o.Why)
	})
}

// Done is the command `handoff done`.
func Done(w *command.Process) *cli.Command {
	o := new(StepOptions)
	return stepCommand(w, o, &cli.Command{
		Name:  "done",
		Usage: "record that the work of a handoff is finished",
		Description: "The metadata of the task then presents it no longer, so other clones and leads see it, too. If all phases of the\n" +
			"plan are completed, the task has ended. A person may finish a handoff without a holder, with --as.\n" +
			"The commands of checks.tests of a repository that you trust are run first, and how they end is recorded with it,\n" +
			"or that there is no evidence. An agent of a relay only tells the relay, which checks.\n" +
			"Exit status: 1 if somebody else holds it, or your claim was taken over.",
		Flags: []cli.Flag{AsFlag(&o.As, "`NAME` of the one that finished it, if it is not claimed"),
			&cli.BoolFlag{Name: "no-check", Destination: &o.noCheck, Usage: "run no tests: record that there is no evidence"}},
	}, func(ctx context.Context, b *receipts.Book, t receipts.Target) (receipts.Record, error) {
		return finish(ctx, w, o, b, t)
	})
}

// A step records what happens to a handoff.
type step func(context.Context, *receipts.Book, receipts.Target) (receipts.Record, error)

// stepCommand completes the command of a step, which prints the new state of
// the handoff.
func stepCommand(w *command.Process, o *StepOptions, cmd *cli.Command, do step) *cli.Command {
	cmd.UsageText = cmp.Or(cmd.UsageText, "handoff "+cmd.Name+command.ClaimedHelp)
	cmd.Flags = append(cmd.Flags, recordFlag(&o.json))
	cmd.Action = w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
		o.ws = ws
		return takeStep(c.Context, w, ws, cmd.Name, o.json, do, command.ArgsOf(c))
	})
	return cmd
}

// takeStep records a step of a handoff and prints the new state.
func takeStep(ctx context.Context, w *command.Process, ws *workspace.Workspace, name string, asJSON bool, do step, args command.Arguments) error {
	b, t, err := bookFor(w, ws, name, args)
	if err != nil {
		return err
	}
	claims := name == "claim"
	if claims && t.Ref == "" {
		return errors.New("claim needs one handoff: a path, 259/3 (task/phase), 259 or latest (`handoff next --claim` takes the best one)")
	}
	queue.DrainFirst(ctx, w, ws)
	r, err := do(ctx, b, t)
	if err != nil {
		return command.SayRefused(w, err)
	}
	queue.SayStepQueued(w, r)
	w.Complain(r.Unlinked)
	if r.Forgotten != nil {
		w.Say("claimed, but later commands will not find it: %s (`export HANDOFF_CLAIM=%s`)", command.Plain(r.Forgotten.Error()), command.Plain(r.Claim))
	}
	if r.Doubt != "" {
		w.Say("%s: this is %s", command.Plain(r.Doubt), command.Plain(w.Shown(ws, r.Path)))
	}
	return printRecord(w, r, claims, asJSON)
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

// bookFor opens the receipts for a command with at most one handoff as argument.
func bookFor(w *command.Process, ws *workspace.Workspace, command string, args command.Arguments) (*receipts.Book, receipts.Target, error) {
	if len(args) > 1 {
		return nil, receipts.Target{}, fmt.Errorf("%s takes one handoff: a path, 259/3 (task/phase), 259 or latest", command)
	}
	b, err := receipts.Open(ws)
	return b, targetOf(w, args.First()), err
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
	b, t, err := bookFor(w, ws, "", nil)
	if err != nil && w.Claim() == "" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	path, _, err := b.Claimed(ctx, t)
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
