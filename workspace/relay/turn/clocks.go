package turn

import (
	"fmt"
	"time"

	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn/meter"
)

// mostPrinted is how many bytes an agent may print in a turn: many times what a long session prints. An agent
// that repeats itself prints as much in minutes, and would go on all night.
const mostPrinted = 1 << 30

// clocks decide whether an agent hangs: nothing has happened for some time, or it works for too long. It
// reads no clock. A command that runs counts as life: only the time of the link ends it.
type clocks struct {
	idle, link, budget time.Duration // 0 for no limit

	begun, since time.Time
	seen         meter.Pulse
}

// clocksOf are those of a turn. One in which the agent only writes a handoff has its own limit.
func clocksOf(s *chain.State, t chain.Turn) *clocks {
	if t == chain.Ask || t == chain.Fix {
		return &clocks{}
	}
	idle, link, budget := s.Clocks()
	return &clocks{idle: idle, link: link, budget: budget}
}

// step returns why the agent is interrupted, nil if it goes on.
func (c *clocks) step(p meter.Pulse, now time.Time) *interruption {
	if c.begun.IsZero() {
		c.begun, c.since, c.seen = now, now, p
	}
	if p != c.seen || p.Running > 0 {
		c.since, c.seen = now, p
	}
	over := func(limit time.Duration, since time.Time) bool { return limit > 0 && now.Sub(since) >= limit }
	switch {
	case p.Printed > mostPrinted:
		return &interruption{chain.Hung, "it has printed more than 1 GB"}
	case over(c.budget, c.begun):
		return &interruption{chain.OverLimit, "the budget of time is used up"}
	case over(c.link, c.begun):
		return &interruption{chain.Hung, fmt.Sprintf("it has worked for as long as a link may, the last %s without a break", c.link.Round(time.Second))}
	case over(c.idle, c.since):
		return &interruption{chain.Hung, fmt.Sprintf("nothing has happened for %s", c.idle)}
	}
	return nil
}

// beat returns why the agent is interrupted, as an error.
func (a *Agent) beat(c *clocks, p meter.Pulse) error {
	if why := c.step(p, a.now()); why != nil {
		return why
	}
	return nil
}

func (a *Agent) now() time.Time {
	if a.o.Clock != nil {
		return a.o.Clock()
	}
	return time.Now() // its monotonic part stands still while the machine sleeps
}
