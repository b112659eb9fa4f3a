package chain

import (
	"fmt"
	"time"
)

// Notice is what a person is told who does not watch. Its keys are the JSON that a command of
// `relay --notify` gets.
type Notice struct {
	Event     string    `json:"event"` // ended, asks, waits or hangs
	Relay     string    `json:"relay"`
	Task      int       `json:"task"`
	Link      int       `json:"link"`
	Agent     string    `json:"agent"`
	Reason    Reason    `json:"reason,omitempty"` // ended
	Why       string    `json:"why,omitempty"`    // asks: the question
	Until     time.Time `json:"until,omitzero"`   // waits
	Handoff   string    `json:"handoff,omitempty"`
	Objective string    `json:"objective"`
}

// Notice is what a fact means to a person, nil for nothing. s is the state after it.
func (f Fact) Notice(s *State) *Notice {
	n := &Notice{Relay: s.ID, Task: s.Plan.Task, Link: s.Link, Agent: s.Agent, Why: f.Why, Handoff: s.Handoff, Objective: OneLine(s.Plan.Objective)}
	switch {
	case f.Kind == Ended:
		n.Event, n.Reason = "ended", f.Reason
	case f.Kind == Asking:
		n.Event, n.Why = "asks", f.Question
	case f.Kind == Waits && f.Until.Sub(f.At) > short:
		n.Event, n.Until = "waits", f.Until
	case f.Kind == TurnEnded && f.End == Hung:
		n.Event = "hangs"
	default:
		return nil
	}
	return n
}

// Environ is the notice for a shell.
func (n *Notice) Environ() []string {
	env := []string{"HANDOFF_EVENT=" + n.Event, "HANDOFF_RELAY=" + n.Relay, fmt.Sprintf("HANDOFF_TASK=%d", n.Task), fmt.Sprintf("HANDOFF_LINK=%d", n.Link), "HANDOFF_AGENT=" + n.Agent,
		"HANDOFF_REASON=" + string(n.Reason), "HANDOFF_WHY=" + OneLine(n.Why), "HANDOFF_PATH=" + n.Handoff, "HANDOFF_UNTIL="}
	if !n.Until.IsZero() {
		env[len(env)-1] += n.Until.UTC().Format(time.RFC3339)
	}
	return env
}
