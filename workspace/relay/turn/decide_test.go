package turn

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"handoff/agents/transcript"
	"handoff/agents/transcript/gauge"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn"
	"handoff/workspace/spawn/meter"
)

// reading is a gauge with a known limit.
func reading(mark, compactions int) meter.Progress {
	return meter.Progress{Reading: gauge.Reading{Used: 70_000, Limit: 100_000, Left: 30_000, CallsLeft: 7, Mark: mark, Compactions: compactions}, Model: "m"}
}

// spent is what a turn has used of calls, tokens and money, in an empty context.
func spent(calls, tokens int, usd float64) meter.Progress {
	p := reading(0, 0)
	p.Turn = transcript.Total{Calls: calls, Tokens: tokens, USD: usd}
	return p
}

// TestStep: when a relay interrupts an agent, and with which reason. Each case is what the
// agent reports, one reading after the other: it is interrupted at the last one, or never.
func TestStep(t *testing.T) {
	limits := chain.State{Plan: chain.Plan{Tokens: 1000, USD: 2}, Tokens: 400, USD: 0.5}
	asked := chain.State{Asked: true}
	few, summaries := "About 30,000 tokens (7 calls at this pace) until this session is compacted.", "This session has been compacted 4 times, and each summary keeps less."
	for name, c := range map[string]struct {
		state    chain.State
		turn     chain.Turn // begin if it is empty
		readings []meter.Progress
		finished bool
		end      chain.End
		why      string
	}{
		"nothing is noted":               {readings: []meter.Progress{reading(0, 0), reading(0, 0)}},
		"the first mark is a hint":       {readings: []meter.Progress{reading(0, 0), reading(1, 0), reading(1, 0)}},
		"the second mark":                {readings: []meter.Progress{reading(1, 0), reading(2, 0)}, end: chain.Low, why: few},
		"the third mark at once":         {readings: []meter.Progress{reading(3, 0)}, end: chain.Low, why: few},
		"a resumed turn":                 {turn: chain.Continue, readings: []meter.Progress{reading(2, 0)}, end: chain.Low, why: few},
		"asked before":                   {state: asked, readings: []meter.Progress{reading(2, 0), reading(3, 0)}},
		"the work is done":               {finished: true, readings: []meter.Progress{reading(2, 0), reading(3, 0)}},
		"few compactions":                {readings: []meter.Progress{reading(0, 0), reading(0, 1), reading(0, 2), reading(0, 3)}},
		"many compactions":               {readings: []meter.Progress{reading(0, 3), reading(0, 4)}, end: chain.Low, why: summaries},
		"many compactions, asked before": {state: asked, readings: []meter.Progress{reading(0, 3), reading(0, 4)}},
		"many compactions, work is done": {finished: true, readings: []meter.Progress{reading(0, 3), reading(0, 4)}},
		"compactions before the process": {readings: []meter.Progress{reading(0, 9), reading(0, 9)}},
		"an objective is done":           {readings: []meter.Progress{{Reading: gauge.Reading{Limit: 9}}, {Reading: gauge.Reading{Limit: 9, Done: 1, Mark: 0}}}},
		"a file is read often": {readings: []meter.Progress{{Reading: gauge.Reading{Limit: 9, Mark: 1}},
			{Reading: gauge.Reading{Limit: 9, Mark: 1, Repeated: []gauge.Repeat{{File: "a", Times: 3}}}}}},
		"a file is read often after the second mark": {state: asked, readings: []meter.Progress{reading(2, 0),
			{Reading: gauge.Reading{Limit: 9, Mark: 2, Repeated: []gauge.Repeat{{File: "a", Times: 3}}}}}},
		"a handoff was saved": {readings: []meter.Progress{{Reading: gauge.Reading{Limit: 9, Mark: 3, Saved: true}}}},

		"below the budgets":                {state: limits, readings: []meter.Progress{spent(99, 599, 1.4)}},
		"the budget of tokens":             {state: limits, readings: []meter.Progress{spent(1, 599, 0), spent(1, 600, 0)}, end: chain.OverLimit, why: "the budget of tokens is used up"},
		"the budget of money":              {state: limits, readings: []meter.Progress{spent(1, 0, 1.4), spent(1, 0, 1.5)}, end: chain.OverLimit, why: "the budget of money is used up"},
		"a budget, asked before":           {state: chain.State{Plan: chain.Plan{Tokens: 5}, Asked: true}, readings: []meter.Progress{spent(1, 5, 0)}, end: chain.OverLimit, why: "the budget of tokens is used up"},
		"a budget, and the work is done":   {state: limits, finished: true, readings: []meter.Progress{spent(1, 600, 0)}, end: chain.OverLimit, why: "the budget of tokens is used up"},
		"calls do not matter in the work":  {readings: []meter.Progress{spent(26, 0, 0)}},
		"as many calls as it may take":     {turn: chain.Ask, readings: []meter.Progress{spent(25, 0, 0)}},
		"a call more":                      {turn: chain.Ask, readings: []meter.Progress{spent(25, 0, 0), spent(26, 0, 0)}, end: chain.Failed, why: "it did not stop within 25 calls after it was asked to"},
		"a call more for the errors":       {turn: chain.Fix, readings: []meter.Progress{spent(25, 0, 0), spent(26, 0, 0)}, end: chain.Failed, why: "it did not stop within 25 calls after it was asked to"},
		"a handoff may go over a budget":   {state: limits, turn: chain.Ask, readings: []meter.Progress{spent(1, 9000, 9)}},
		"a handoff may fill the context":   {turn: chain.Ask, readings: []meter.Progress{reading(2, 0), reading(3, 0)}},
		"so may the repair of its errors":  {state: limits, turn: chain.Fix, readings: []meter.Progress{spent(1, 9000, 9), reading(3, 0)}},
		"an unknown window has no marks":   {readings: []meter.Progress{{Reading: gauge.Reading{Used: 1 << 30}}}},
		"an unknown window has compaction": {readings: []meter.Progress{{Reading: gauge.Reading{Compactions: 3}}, {Reading: gauge.Reading{Compactions: 4}}}, end: chain.Low, why: summaries},
	} {
		if c.turn == "" {
			c.turn = chain.Begin
		}
		w := &watcher{state: &c.state, turn: c.turn, calls: 25, finished: func() bool { return c.finished }}
		for i, p := range c.readings {
			why, _ := w.step(p)
			switch last := i == len(c.readings)-1; {
			case why == nil && last && c.end != "":
				t.Errorf("%s: not interrupted, want %s: %s", name, c.end, c.why)
			case why != nil && (!last || c.end == ""):
				t.Errorf("%s: interrupted at reading %d: %s: %s", name, i, why.end, why)
			case why != nil && (why.end != c.end || why.Error() != c.why):
				t.Errorf("%s: %s: %s, want %s: %s", name, why.end, why, c.end, c.why)
			}
		}
	}
}

// TestUnknownWindow: it is said once in a turn that nothing can tell when the context of an
// agent runs low, and not before its first call, nor for a turn that only writes a handoff.
func TestUnknownWindow(t *testing.T) {
	none, used, known := meter.Progress{}, meter.Progress{Reading: gauge.Reading{Used: 1}}, meter.Progress{Reading: gauge.Reading{Used: 1, Limit: 9}}
	for _, c := range []struct {
		turn     chain.Turn
		readings []meter.Progress
		want     []bool
	}{
		{chain.Begin, []meter.Progress{none, used, used}, []bool{false, true, false}},
		{chain.Begin, []meter.Progress{known, used, known, used}, []bool{false, true, false, false}},
		{chain.Ask, []meter.Progress{used}, []bool{false}},
		{chain.Fix, []meter.Progress{used}, []bool{false}},
	} {
		w := &watcher{state: &chain.State{}, turn: c.turn, finished: func() bool { return false }}
		for i, p := range c.readings {
			if _, unknown := w.step(p); unknown != c.want[i] {
				t.Errorf("%s, reading %d: unknown %t", c.turn, i, unknown)
			}
		}
	}
}

// stopped is a context that has ended with this cause.
func stopped(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	return ctx
}

// TestEnded: which fact is recorded of a turn, and what stops the relay.
func TestEnded(t *testing.T) {
	running, signal, broken := context.Background(), stopped(os.ErrClosed), errors.New("cannot start")
	late, cancel := limited(context.Background(), chain.Fix, 0)
	defer cancel()
	stale := &receipt.StaleError{Path: "a.md", Token: 1, Latest: receipt.Claim{Token: 2, By: "b"}}
	used := spawn.Outcome{RunID: "r", ExitCode: 3, Used: transcript.Total{Tokens: 7, USD: 0.5}}
	with := func(edit func(*spawn.Outcome)) *spawn.Outcome {
		out := used
		out.Run.Reason = runner.Completed
		edit(&out)
		return &out
	}
	whole := with(func(*spawn.Outcome) {})
	low := &interruption{chain.Low, "few tokens"}
	for name, c := range map[string]struct {
		relay, turn context.Context
		out         *spawn.Outcome
		err         error
		end         chain.End
		why         string // beginning
		stops       error
	}{
		"it ends by itself":            {running, running, whole, nil, chain.Completed, "", nil},
		"interrupted":                  {running, running, with(func(o *spawn.Outcome) { o.Stopped, o.Run.Reason = low, runner.Cancelled }), nil, chain.Low, "few tokens", nil},
		"interrupted, and it reported": {running, running, with(func(o *spawn.Outcome) { o.Stopped, o.Failed = low, "aborted" }), nil, chain.Low, "few tokens", nil},
		"stopped by somebody else":     {running, running, with(func(o *spawn.Outcome) { o.Stopped, o.Run.Reason = broken, runner.Cancelled }), nil, chain.Failed, runner.Cancelled, nil},
		"it reports a failure":         {running, running, with(func(o *spawn.Outcome) { o.Failed = "no\ncredit" }), nil, chain.Failed, "no credit", nil},
		"it exits with an error":       {running, running, with(func(o *spawn.Outcome) { o.Run.Reason = runner.Cancelled }), nil, chain.Failed, runner.Cancelled, nil},
		"the time is up":               {running, late, with(func(o *spawn.Outcome) { o.Run.Reason = runner.Cancelled }), nil, chain.Failed, "it did not stop within 0s after it was asked to", nil},
		"the time is up before it starts": {running, late, with(func(o *spawn.Outcome) { o.Run.Reason = runner.NotStarted }), context.DeadlineExceeded, chain.Failed,
			"it did not stop within 0s after it was asked to", nil},
		"the relay is stopped":             {signal, signal, whole, nil, chain.Signalled, "", os.ErrClosed},
		"the relay is stopped, an error":   {signal, signal, whole, broken, chain.Signalled, "", os.ErrClosed},
		"the relay is stopped, stale":      {signal, signal, whole, stale, chain.Signalled, "", os.ErrClosed},
		"another claim":                    {running, running, whole, stale, chain.Failed, "stale claim: a.md", nil},
		"another claim, the time is up":    {running, late, whole, stale, chain.Failed, "stale claim: a.md", nil},
		"the program cannot start":         {running, running, whole, broken, "", "", broken},
		"it cannot start, the time was up": {running, late, whole, broken, "", "", broken},
	} {
		f, err := ended(c.relay, c.turn, c.out, c.err)
		if !errors.Is(err, c.stops) || (err == nil) != (c.stops == nil) {
			t.Errorf("%s: stops with %v, want %v", name, err, c.stops)
		}
		if f == nil {
			f = &chain.Fact{}
		} else if f.Kind != chain.TurnEnded || f.Run != "r" || f.Exit != 3 || f.Tokens != 7 || f.USD != 0.5 {
			t.Errorf("%s: fact %+v", name, f)
		}
		if f.End != c.end || !strings.HasPrefix(f.Why, c.why) || (c.why == "") != (f.Why == "") {
			t.Errorf("%s: ends %q: %q, want %q: %q", name, f.End, f.Why, c.end, c.why)
		}
	}
}

// TestLimited: only a turn in which the agent writes a handoff has a limit of its time, and
// the agent gets an interrupt when it is over.
func TestLimited(t *testing.T) {
	for turn, has := range map[chain.Turn]bool{chain.Begin: false, chain.Continue: false, chain.Ask: true, chain.Fix: true} {
		ctx, cancel := limited(context.Background(), turn, time.Hour)
		at, limit := ctx.Deadline()
		if limit != has || limit && time.Until(at) < time.Minute {
			t.Errorf("%s: limited %t, until %s", turn, limit, at)
		}
		cancel()
	}
	ctx, cancel := limited(context.Background(), chain.Ask, 0)
	defer cancel()
	if s, ok := errors.AsType[runner.Signal](context.Cause(ctx)); !ok || s.Signal != os.Interrupt {
		t.Errorf("the cause is %v, not an interrupt", context.Cause(ctx))
	}
}

// TestUnrecorded: a fact that could not be recorded interrupts the agent at its next
// report, and no further fact is recorded.
func TestUnrecorded(t *testing.T) {
	recorded, events := 0, []string(nil)
	a := New(nil, &chain.State{Session: "s1"}, fake(t), func(chain.Fact) error { recorded++; return fs.ErrPermission },
		Options{Event: func(e meter.Event) { events = append(events, e.Kind+" "+e.Session) }})
	w := &watcher{state: a.state, turn: chain.Begin, finished: func() bool { return false }}
	if a.event(meter.Event{Kind: "session", Session: "s1"}); recorded != 0 {
		t.Error("the session was recorded again")
	}
	if a.event(meter.Event{Kind: "text", Session: "s2"}); recorded != 0 {
		t.Error("the session of a text was recorded")
	}
	if err := a.watch(w, reading(1, 0)); err != nil {
		t.Errorf("interrupted: %v", err)
	}
	a.event(meter.Event{Kind: "session", Session: "s2"})
	if a.event(meter.Event{Kind: "session", Session: "s3"}); recorded != 1 {
		t.Errorf("%d facts, want 1", recorded)
	}
	if err := a.watch(w, reading(1, 0)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("interrupted with %v", err)
	}
	if got := strings.Join(events, ", "); got != "session s1, text s2, session s2, session s3" {
		t.Errorf("events: %s", got)
	}
}
