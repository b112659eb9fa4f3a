package thread

import (
	"fmt"
	"strings"

	"handoff/document/handoff"
)

// invalid is an error of the kind handoff.ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", fmt.Errorf(format, args...), handoff.ErrInvalid)
}

// Refusal is an error whose text contains nothing of the request, and nothing of
// a thread except numbers, so it is safe to show.
type Refusal struct {
	Text string
	Kind error // handoff.ErrInvalid or fs.ErrNotExist
}

func (r *Refusal) Error() string { return r.Text }
func (r *Refusal) Unwrap() error { return r.Kind }

// refuse is a refusal of the kind handoff.ErrInvalid.
func refuse(format string, args ...any) error {
	return &Refusal{fmt.Sprintf(format, args...), handoff.ErrInvalid}
}

// blank reports text that is set and empty. RIP accepts and stores it.
func blank(s *string) bool { return s != nil && strings.TrimSpace(*s) == "" }

// or is the text, or another one if it is blank.
func or(s, instead string) string {
	if strings.TrimSpace(s) == "" {
		return instead
	}
	return s
}

// by sets the actor and the origin of a payload if they are blank.
func by[P Payload](p P, actorID, origin *string) P {
	*actorID, *origin = or(*actorID, defaultActor), or(*origin, defaultOrigin)
	return p
}

// The actor and the origin of requests without them.
const (
	defaultActor  = "user"
	defaultOrigin = "handoff"
)
