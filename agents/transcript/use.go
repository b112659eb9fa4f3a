package transcript

import "handoff/agents/transcript/gauge"

// Use is what the gauge needs to know of the session.
func (s *Session) Use() gauge.Use {
	return gauge.Use{
		Used: s.Used, Pending: s.Pending(), Growth: s.Growth, Calls: s.Calls, Compactions: s.Compactions, Saved: s.Saved,
		Repeated: s.Repeated(gauge.Repeats),
	}
}
