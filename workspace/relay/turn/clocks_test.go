package turn

import (
	"strings"
	"testing"
	"time"

	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn/meter"
)

// TestClocks: when an agent hangs. Each case is what has been seen of it, minute by minute; it is interrupted
// at the last one, or never.
func TestClocks(t *testing.T) {
	p := func(printed int64, running int) meter.Pulse { return meter.Pulse{Printed: printed, Running: running} }
	usual := chain.Plan{Idle: 180, LinkTime: 600}
	for name, c := range map[string]struct {
		plan   chain.Plan
		turn   chain.Turn
		pulses []meter.Pulse
		end    chain.End
		why    string
	}{
		"nothing happens":                     {plan: usual, pulses: []meter.Pulse{p(1, 0), p(1, 0), p(1, 0), p(1, 0)}, end: chain.Hung, why: "nothing has happened for 3m0s"},
		"nothing ever happens":                {plan: usual, pulses: []meter.Pulse{p(0, 0), p(0, 0), p(0, 0), p(0, 0)}, end: chain.Hung, why: "nothing has happened for 3m0s"},
		"something happens":                   {plan: usual, pulses: []meter.Pulse{p(1, 0), p(1, 0), p(1, 0), p(2, 0), p(2, 0), p(2, 0)}},
		"a command runs":                      {plan: usual, pulses: []meter.Pulse{p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1)}},
		"after it nothing happens":            {plan: usual, pulses: []meter.Pulse{p(1, 1), p(1, 1), p(1, 1), p(1, 0), p(1, 0), p(1, 0), p(1, 0)}, end: chain.Hung, why: "nothing has happened for 3m0s"},
		"a command that never ends":           {plan: usual, pulses: []meter.Pulse{p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1), p(1, 1)}, end: chain.Hung, why: "as long as a link may"},
		"the budget of time":                  {plan: chain.Plan{Idle: -1, Time: 120}, pulses: []meter.Pulse{p(1, 0), p(2, 0), p(3, 0)}, end: chain.OverLimit, why: "the budget of time is used up"},
		"no clock":                            {plan: chain.Plan{Idle: -1, LinkTime: -1}, pulses: make([]meter.Pulse, 1000)},
		"the usual clocks":                    {pulses: make([]meter.Pulse, 21), end: chain.Hung, why: "nothing has happened for 20m0s"},
		"an agent that prints without end":    {plan: chain.Plan{Idle: -1, LinkTime: -1}, pulses: []meter.Pulse{p(1<<29, 0), p(1<<30, 0), p(1<<30+1, 0)}, end: chain.Hung, why: "it has printed more than 1 GB"},
		"also while it writes a handoff":      {plan: usual, turn: chain.Ask, pulses: []meter.Pulse{p(1<<30, 1), p(1<<31, 1)}, end: chain.Hung, why: "it has printed more than 1 GB"},
		"a handoff is written":                {plan: usual, turn: chain.Ask, pulses: make([]meter.Pulse, 30)},
		"tokens in the transcript are events": {plan: usual, pulses: []meter.Pulse{p(1, 0), p(1, 0), p(1, 0), {Printed: 1, Used: spent(1, 5, 0).Turn}, {Printed: 1, Used: spent(1, 5, 0).Turn}}},
	} {
		if c.turn == "" {
			c.turn = chain.Begin
		}
		clocks := clocksOf(&chain.State{Plan: c.plan}, c.turn)
		for i, pulse := range c.pulses {
			why := clocks.step(pulse, time.Unix(0, 0).Add(time.Duration(i)*time.Minute))
			switch last := i == len(c.pulses)-1; {
			case why == nil && last && c.end != "":
				t.Errorf("%s: not interrupted", name)
			case why != nil && (!last || c.end != why.end || !strings.Contains(why.why, c.why)):
				t.Errorf("%s: interrupted at %d: %s: %s", name, i, why.end, why.why)
			}
		}
	}
}

// TestHangs: an agent that does nothing is interrupted and asked, one whose time is over as well.
func TestHangs(t *testing.T) {
	for name, plan := range map[string]chain.Plan{"nothing has happened for 1s": {Idle: 1}, "it has worked for as long as a link may": {Idle: -1, LinkTime: 1}, "the budget of time is used up": {Time: 1}} {
		l := begin(t, true, Options{})
		l.state.Plan.Idle, l.state.Plan.LinkTime, l.state.Plan.Time = plan.Idle, plan.LinkTime, plan.Time
		f, err := l.run(t.Context(), chain.Begin, "work,wait")
		if err != nil || !strings.Contains(f.Why, name) || f.End != chain.Hung && plan.Time == 0 {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
}

// TestClock: whether an agent hangs is decided by the clock of the options.
func TestClock(t *testing.T) {
	now := time.Unix(0, 0)
	a := New(nil, &chain.State{}, fake(t), nil, Options{Clock: func() time.Time { return now }})
	c := clocksOf(&chain.State{Plan: chain.Plan{Idle: 180}}, chain.Begin)
	for i, want := range []string{"", "", "", "nothing has happened for 3m0s"} {
		err := a.beat(c, meter.Pulse{Printed: 1})
		if (err == nil) != (want == "") || err != nil && err.Error() != want {
			t.Errorf("after %d minutes: %v, want %q", i, err, want)
		}
		now = now.Add(time.Minute)
	}
}
