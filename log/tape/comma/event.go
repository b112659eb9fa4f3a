package comma

import (
	"time"

	"handoff/log/tape"
	"handoff/log/tape/entry"
)

// Outcome is what became of a command.
type Outcome struct {
	Failed  bool
	Output  string // or why it failed
	Elapsed time.Duration
	At      time.Time
}

// Event is the entry that records a command, with the members of Bub's.
func (c Command) Event(o Outcome) (tape.Entry, error) {
	data := struct {
		Raw     string `json:"raw"`
		Name    string `json:"name"`
		Status  string `json:"status"` // ok or error
		Elapsed int64  `json:"elapsed_ms"`
		Output  string `json:"output"`
		Date    string `json:"date"`
	}{c.Raw, c.Name, "ok", o.Elapsed.Milliseconds(), o.Output, entry.FormatTime(o.At)}
	if o.Failed {
		data.Status = "error"
	}
	return entry.NewEvent(entry.EventCommand, data)
}
