package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"handoff/internal/procgroup"
)

// Signal is the cause of a context that ended because the process got a signal,
// which is then sent to the command. For other causes it gets SIGTERM.
type Signal struct{ os.Signal }

func (s Signal) Error() string { return "stopped by " + s.String() }

// errCancelled is the cause of the end of a cancelled run.
var errCancelled = errors.New("cancelled")

// trusts is the variable that lists trusted repositories: see handoff/workspace/trust. An
// agent must not make what it writes trusted.
const trusts = "HANDOFF_TRUST"

// command executes the command until it ends or is cancelled.
func (r *Run) command(ctx context.Context, g given, result *Result) error {
	o := &r.options
	if ctx.Err() != nil {
		result.Reason = Cancelled
		return nil
	}
	output := &deltas{limit: newLimit(r), out: o.Stdout}
	reported, err := r.reports()
	if err != nil {
		result.Reason = NotStarted
		return err
	}
	g.env = append(g.env, "HANDOFF_EVENTS="+reported.path)
	cmd := exec.Command(o.Command[0], o.Command[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = o.Dir, o.Env, bytes.NewReader(g.stdin)
	cmd.Env = append(procgroup.Environ(cmd, trusts), g.env...) // with PWD, for commands that trust it
	cmd.Stdout, cmd.Stderr = output, o.Stderr
	cmd.WaitDelay = o.Grace // for child processes that keep its output open
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	started, err := procgroup.Start(cmd)
	if err != nil {
		result.Reason = NotStarted
		return errors.Join(fmt.Errorf("%s: %w", o.Command[0], bare(err)), reported.close())
	}
	go r.watch(ctx, cancel, reported)
	signalled, err := wait(ctx, started, o.Grace)
	result.ExitCode, result.Signal = cmd.ProcessState.ExitCode(), procgroup.SignalOf(cmd.ProcessState)
	keepErr := errors.Join(output.close(), reported.close())
	if keepErr != nil && !isMissing(keepErr) {
		return keepErr
	}
	result.Wrong = reported.wrong
	if result.Reason, err = reason(signalled, err); err == nil && output.outErr != nil {
		err = &OutputError{output.outErr}
	}
	if keepErr != nil {
		err = errors.Join(err, &LostError{keepErr})
	}
	return err
}

// Lookup returns why a command cannot be started in a folder ("" for the process's
// own), nil if it exists. Callers check before they post a message for it.
func Lookup(dir, command string) error {
	if dir != "" && filepath.Base(command) != command && !filepath.IsAbs(command) {
		command = filepath.Join(dir, command)
	}
	_, err := exec.LookPath(command)
	var missing *exec.Error
	if errors.As(err, &missing) {
		err = missing.Err
	}
	return bare(err)
}

// LostError: the thread or the run was deleted while the command worked, as `git clean -x` does. What it printed
// since then was not stored; [Result] has how it ended.
type LostError struct{ Err error }

func (e *LostError) Error() string { return "deleted while it ran: " + e.Err.Error() }
func (e *LostError) Unwrap() error { return e.Err }

// OutputError: not all of the output could be copied to [Options.Stdout]. It was
// stored completely.
type OutputError struct{ Err error }

func (e *OutputError) Error() string { return "output: " + e.Err.Error() }
func (e *OutputError) Unwrap() error { return e.Err }

// watch ends the run when it is cancelled, and reads reports.
func (r *Run) watch(ctx context.Context, cancel context.CancelCauseFunc, reported *reports) {
	tick := time.NewTicker(cancelEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if r.hold.cancelled() {
				cancel(errCancelled)
			}
			reported.take(false)
		}
	}
}

// await waits for the run's turn in the queue. ok is false if the run is cancelled
// before.
func (r *Run) await(ctx context.Context) (ok bool) {
	tick := time.NewTicker(cancelEvery)
	defer tick.Stop()
	for {
		select {
		case <-r.place.Turn:
			return true
		case <-ctx.Done():
			return false
		case <-tick.C:
			if r.hold.cancelled() {
				return false
			}
		}
	}
}

// wait waits for a command. When ctx ends it sends a signal, and kills the command
// if it has not ended after the grace time.
func wait(ctx context.Context, c *procgroup.Command, grace time.Duration) (signalled bool, err error) {
	select {
	case err := <-c.Ended:
		return false, err
	case <-ctx.Done():
	}
	var s Signal
	if !errors.As(context.Cause(ctx), &s) {
		s = Signal{syscall.SIGTERM}
	}
	c.Signal(s.Signal)
	select {
	case err := <-c.Ended:
		return true, err
	case <-time.After(grace):
	}
	c.Signal(os.Kill)
	return true, <-c.Ended
}

// reason is the reason of a run, from the end of its command.
func reason(signalled bool, err error) (string, error) {
	var exit *exec.ExitError
	switch {
	case signalled:
		return Cancelled, nil
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it ended; its child processes have not
		return Completed, nil
	case errors.As(err, &exit):
		return exit.Error(), nil // "exit status 3", "signal: killed"
	}
	return OutputFailed, err
}

// bare is the error without the name of the program.
func bare(err error) error {
	if e := (*exec.Error)(nil); errors.As(err, &e) {
		return e.Err
	}
	if e := (*os.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}
