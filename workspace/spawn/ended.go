package spawn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"handoff/agents"
	"handoff/agents/ending"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
	"handoff/workspace/spawn/meter"
)

// HeldError is the error about an agent that is not started because its account is held.
type HeldError struct{ Hold }

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s has no usage left until %s (%s): nothing was started; `--ignore-limit` starts it nevertheless", e.Agent, e.Until.UTC().Format(time.RFC3339), e.Why)
}

// Unwrap makes it a refusal.
func (e *HeldError) Unwrap() error { return receipt.ErrRefused }

// getenv is the environment of the options.
func (o Options) getenv() func(string) string {
	if o.Getenv == nil {
		return os.Getenv
	}
	return o.Getenv
}

// classify finds out how a turn ended. A used-up limit holds the account of the agent for all
// processes of this user until it resets, and a call that succeeded frees it.
func (w *Work) classify(ctx context.Context, out *Outcome, resets int64, stderr string) {
	if lost, ok := errors.AsType[*meter.ShellError](out.Stopped); ok {
		out.Stopped, out.Failed, out.Ended = nil, lost.Error(), agents.Permanent
		return
	}
	if out.Stopped != nil || out.Run.Reason == runner.Cancelled || out.Run.Reason == runner.NotStarted || out.Run.Reason == runner.CompileFailed {
		return // it did not end by itself
	}
	now, worked := w.job.ws.Now(), out.Used.Tokens > 0
	e := ending.Of(w.job.agent.Ends, ending.Run{Failed: out.Failed, Stderr: stderr, Said: out.Said, Exit: out.ExitCode,
		Ended: out.Run.Reason == runner.Completed && out.Failed == "", Worked: worked, Reset: resets}, now, now.Location())
	if e.Kind == ending.OK {
		if worked {
			_ = FreeHold(context.WithoutCancel(ctx), w.o.getenv(), w.job.agent)
		}
		return
	}
	if out.Ended = e.Kind; out.Failed == "" && e.Kind != ending.Crash {
		out.Failed = e.Why
	}
	if out.Until = e.Until; e.Kind == ending.Limit && e.Until.After(now) { // without a place to write, each process finds out by itself
		_ = KeepHold(context.WithoutCancel(ctx), w.o.getenv(), w.job.agent, e.Until, e.Why, now)
	}
}

// maxTail is how many bytes of an agent's standard error are read for the reason why it ended.
const maxTail = 4 << 10

// tail passes on what is written, and keeps the end.
type tail struct {
	to io.Writer // nil to print nothing

	mu   sync.Mutex
	last []byte
}

// Write never fails: an agent must not end because its standard error is not read.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p...)
	t.last = t.last[max(0, len(t.last)-maxTail):]
	if t.to != nil {
		_, _ = t.to.Write(p)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.last)
}
