package tape

import (
	"context"
	"slices"
	"time"
)

// Command is a command that was given in the place of a message, and what came
// of it.
type Command struct {
	Raw     string // as it was written, without its comma
	Name    string // its full one: tape.handoff
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

// NoteCommand appends the event that tells of a command, as Bub does. A tape
// that is not there is not begun by it.
func (t *Tape) NoteCommand(ctx context.Context, c Command) error {
	if there, err := t.Exists(); err != nil || !there {
		return err
	}
	data := commandEvent{c.Raw, c.Name, "ok", c.Elapsed.Milliseconds(), c.Output, t.store.now()}
	if c.Failed {
		data.Status = "error"
	}
	e, err := newEvent(eventCommand, data)
	if err != nil {
		return err
	}
	_, err = t.Append(ctx, e)
	return err
}

// repeats reports whether an entry only says again what others say: the event
// of a command, whose output is what a search or a list has found.
func repeats(e *Entry, kinds []string) bool {
	return e.Kind == KindEvent && e.Name() == eventCommand && !slices.Contains(kinds, KindEvent)
}
