package claims

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"

	"handoff/document/handoff"
	"handoff/internal/procgroup"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
)

// holdOptions are what claim needs to run a command, which comes after the handoff.
type holdOptions struct {
	wait time.Duration
	done bool
}

func (o *holdOptions) flags(of []cli.Flag) []cli.Flag {
	return command.Flags(of,
		&cli.DurationFlag{Name: "wait", Destination: &o.wait, Usage: "`TIME`  with a COMMAND: how long to wait while somebody else holds it"},
		&cli.BoolFlag{Name: "done", Destination: &o.done, Usage: "with a COMMAND: record it as done instead of releasing it, if COMMAND succeeds"})
}

func (o *holdOptions) check(k *operations.Call, _ *receipts.ClaimRequest) error {
	program := k.Args.Tail()
	if len(program) == 0 {
		if o.done || o.wait > 0 {
			return fmt.Errorf("%w: --done and --wait need a command: handoff claim REF --as NAME -- COMMAND", handoff.ErrInvalid)
		}
		return nil
	}
	if err := runner.Lookup(k.W.Dir, program[0]); err != nil {
		return fmt.Errorf("%s: %w: nothing was claimed (claim takes one handoff, and a command after --)", program[0], err)
	}
	if k.Server.Given {
		return fmt.Errorf("%w: a command is run where the claim is: leave out --server", handoff.ErrInvalid)
	}
	return nil
}

// do claims, and runs the command if there is one.
func (o *holdOptions) do(k *operations.Call, p handoffops.Place, ref string, r receipts.ClaimRequest) error {
	if here, local := p.(handoffops.Here); local && len(k.Args) > 1 {
		return runHeld(k, o, here, ref, r)
	}
	record, err := handoffops.Claim.On(k, p, ref, r)
	if err != nil {
		return err
	}
	return printStep(k, record)
}

// waitEvery is how often a claim is tried while somebody else holds it.
const waitEvery = 500 * time.Millisecond

// claimSoon claims, and waits at most so long while somebody else holds it.
func claimSoon(ctx context.Context, b *receipts.Book, t receipts.Target, r receipt.ClaimRequest, wait time.Duration) (receipts.Record, error) {
	for end := time.Now().Add(wait); ; {
		record, err := b.Claim(ctx, t, r)
		left := time.Until(end)
		if _, held := errors.AsType[*receipt.HeldError](err); !held || left <= 0 {
			return record, err
		}
		select {
		case <-ctx.Done():
			return record, ctx.Err()
		case <-time.After(min(waitEvery, left)):
		}
	}
}

// endAfter is how long a command has to end by itself when its claim is lost.
const endAfter = 5 * time.Second

// runHeld claims, runs a command, and releases the claim. The command is a process group, which
// ends with this process: nothing works on without a claim.
func runHeld(k *operations.Call, o *holdOptions, here handoffops.Here, ref string, r receipts.ClaimRequest) error {
	b, err := receipts.Open(here.Workspace)
	if err != nil {
		return err
	}
	w, t, ask := k.W, k.W.Target(ref), here.Request(r)
	t.Alone, ask.Session = true, receipt.Session{} // it belongs to the command
	record, err := claimSoon(k, b, t, ask, o.wait)
	if err != nil {
		return err
	}
	sayClaimed(w, record)
	ctx, stop := command.WhileRunning(k, w)
	defer stop()
	t.Ref, t.Claim = "", record.Claim
	held, err := underClaim(ctx, w, b, t, ask.TTL, k.Args.Tail())
	return cmp.Or(settle(context.WithoutCancel(ctx), w, o, b, t, held, err), err, held.status(ctx))
}

// ran is how a command ended that was run under a claim.
type ran struct {
	state *os.ProcessState
	lost  error // why the claim was lost; nil if it was not
}

func underClaim(ctx context.Context, w *command.Process, b *receipts.Book, t receipts.Target, ttl time.Duration, program []string) (r ran, err error) {
	cmd := exec.Command(program[0], program[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = w.Dir, w.Stdout, w.Stderr
	if !command.IsTerminal(w.Stdin) { // which a group in the background cannot read
		cmd.Stdin = w.Stdin
	}
	cmd.Env = append(procgroup.Environ(cmd, "HANDOFF_TRUST"), "HANDOFF_CLAIM="+t.Claim)
	cmd.WaitDelay = endAfter
	holding, stop := b.Hold(ctx, t, ttl)
	defer stop()
	started, err := procgroup.Start(cmd)
	if err != nil {
		return r, fmt.Errorf("%s: %w", program[0], err)
	}
	select {
	case err = <-started.Ended:
	case <-holding.Done():
		r.lost, err = end(holding, w, started)
	}
	if r.state = cmd.ProcessState; r.state != nil {
		err = nil
	}
	return r, err
}

// end ends a command whose claim is lost, or passes the signal on that this process got.
func end(holding context.Context, w *command.Process, started *procgroup.Command) (lost, err error) {
	signal := os.Signal(syscall.SIGTERM)
	if got, ok := errors.AsType[runner.Signal](context.Cause(holding)); ok {
		signal = got.Signal
	} else if stale, ok := errors.AsType[*receipt.StaleError](context.Cause(holding)); ok {
		lost = stale
		w.Say("%s: ending the command", command.Plain(stale.Error()))
	}
	started.Signal(signal)
	select {
	case err := <-started.Ended:
		return lost, err
	case <-time.After(endAfter):
	}
	started.Signal(os.Kill)
	return lost, <-started.Ended
}

// status is the exit status of the command.
func (r ran) status(ctx context.Context) error {
	switch {
	case r.lost != nil:
		return command.Exit(command.Findings)
	case r.state == nil:
		return nil
	}
	result := runner.Result{ExitCode: r.state.ExitCode(), Signal: procgroup.SignalOf(r.state)}
	if result.Signal == 0 && result.ExitCode < 0 {
		result.ExitCode = 1
	}
	return command.EndOf(ctx, result)
}

// settle records the end: done if that was asked for and the command succeeded, else released.
// What the command itself recorded counts.
func settle(ctx context.Context, w *command.Process, o *holdOptions, b *receipts.Book, t receipts.Target, r ran, failed error) error {
	if r.lost != nil {
		return nil
	}
	var record receipts.Record
	var err error
	if o.done && r.state != nil && r.state.Success() {
		record, err = b.FinishWith(ctx, t, "", nil)
	} else {
		record, err = b.Release(ctx, t, reasonOf(r, failed))
	}
	if errors.Is(err, receipt.ErrRefused) {
		return nil
	}
	if err == nil {
		command.SayStepQueued(w, record)
		w.Complain(record.Unlinked)
	}
	return err
}

// reasonOf is why a claim is released; "" for a command that succeeded.
func reasonOf(r ran, failed error) string {
	switch {
	case failed != nil:
		return receipts.Reason(failed.Error())
	case r.state != nil && !r.state.Success():
		return "its command failed: " + r.state.String()
	}
	return ""
}

func sayClaimed(w *command.Process, r receipts.Record) {
	sayUnderstand(w, r)
	w.Say("claimed %s until %s (token %d)", command.Plain(r.Path), r.Until.Format(time.RFC3339), r.Token)
}
