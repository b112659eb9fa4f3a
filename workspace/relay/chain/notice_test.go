package chain

import (
	"testing"
	"time"
)

// TestNotice: what a person is told of, and what not.
func TestNotice(t *testing.T) {
	at := time.Date(2026, 11, 27, 1, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		fact Fact
		want string // event and why
	}{
		"the end":                 {Fact{Kind: Ended, Reason: Done}, "ended "},
		"a question":              {Fact{Kind: Asking, Question: "Which one?"}, "asks Which one?"},
		"a question that may go":  {Fact{Kind: TurnEnded, End: Completed, Question: "Which one?"}, ""},
		"a wait":                  {Fact{Kind: Waits, At: at, Until: at.Add(time.Hour), Why: "limit"}, "waits limit"},
		"a wait for some minutes": {Fact{Kind: Waits, At: at, Until: at.Add(short), Why: "limit"}, ""},
		"an agent that hangs":     {Fact{Kind: TurnEnded, End: Hung, Why: "nothing"}, "hangs nothing"},
		"one that dies":           {Fact{Kind: TurnEnded, End: Failed, Why: "exit status 1"}, ""},
	} {
		s := times(plan(), link(1, "", completed))
		s.Apply(c.fact)
		got := ""
		if n := c.fact.Notice(s); n != nil {
			got = n.Event + " " + n.Why
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
