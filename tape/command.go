package tape

import (
	"context"
	"time"

	"handoff/tape/entry"
)

// Command is a comma command that was carried out.
type Command struct {
	Raw     string // as it was written, without its comma
	Name    string // its full name: tape.handoff
	Failed  bool
	Output  string // or why it failed
	Elapsed time.Duration
}

// commandEvent is the data of the event "command", with Bub's members.
type commandEvent struct {
	Raw     string `json:"raw"`
	Name    string `json:"name"`
	Status  string `json:"status"` // ok or error
	Elapsed int64  `json:"elapsed_ms"`
	Output  string `json:"output"`
	Date    string `json:"date"`
}

// RecordCommand appends the event of a command, as Bub does. It does not create
// a tape.
func (t *Tape) RecordCommand(ctx context.Context, c Command) error {
	if exists, err := t.Exists(); err != nil || !exists {
		return err
	}
	data := commandEvent{c.Raw, c.Name, "ok", c.Elapsed.Milliseconds(), c.Output, t.store.now()}
	if c.Failed {
		data.Status = "error"
	}
	e, err := entry.NewEvent(entry.EventCommand, data)
	if err != nil {
		return err
	}
	_, err = t.Append(ctx, e)
	return err
}
