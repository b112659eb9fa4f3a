// Package past finds the sessions of agents on this machine that worked in some folders, and reads
// from the ends of their transcripts how each of them ended. It only reads, a bounded number of files
// and of bytes, and starts no program.
package past

import (
	"time"

	"handoff/agents"
	"handoff/agents/ending"
	"handoff/agents/transcript/outcome"
)

// CauseOf is why a session of an agent ended, by the end of its transcript. An agent of
// [agents.Keeping] gets its words from the table, which are needed only after a failure.
func CauseOf(a agents.Agent, e *outcome.End) outcome.Cause {
	return e.Cause(func(message, as string) outcome.Cause {
		if a.Title == "" {
			if full, err := agents.Builtin(a.Name); err == nil {
				a = full
			}
		}
		switch end := ending.Of(a.Ends, ending.Run{Failed: message + "\n" + as}, e.At, time.UTC); {
		case end.TooLong:
			return outcome.TooLong
		case end.Kind == ending.Limit:
			return outcome.Limit
		}
		return outcome.Failed
	})
}
