package chain

import "time"

// The clocks of a link whose plan names none.
const (
	DefaultIdle     = 20 * time.Minute
	DefaultLinkTime = 6 * time.Hour
)

// Clocks are how long an agent may do nothing, work in its link, and work at all, from now on. 0 is for
// no limit.
func (s *State) Clocks() (idle, link, budget time.Duration) {
	idle, link = limitOf(s.Plan.Idle, DefaultIdle), limitOf(s.Plan.LinkTime, DefaultLinkTime)
	if link > 0 {
		link = max(time.Second, link-s.linked)
	}
	if s.Plan.Time > 0 {
		budget = max(time.Second, time.Duration(s.Plan.Time)*time.Second-s.worked)
	}
	return idle, link, budget
}

// limitOf is the limit of a plan, in seconds.
func limitOf(seconds int, usual time.Duration) time.Duration {
	switch {
	case seconds == 0:
		return usual
	case seconds < 0:
		return 0
	}
	return time.Duration(seconds) * time.Second
}
