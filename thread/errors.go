package thread

import (
	"fmt"
	"strings"

	"handoff"
)

// invalid is an error of the kind handoff.ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", fmt.Errorf(format, args...), handoff.ErrInvalid)
}

// Refusal is an error in words that repeat nothing of the request and hold
// nothing of a thread but numbers: anybody may be told.
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

// blank reports text that is given and says nothing. RIP takes it and keeps
// nonsense.
func blank(s *string) bool { return s != nil && strings.TrimSpace(*s) == "" }

// or is the text, or what stands for none.
func or(s, instead string) string {
	if strings.TrimSpace(s) == "" {
		return instead
	}
	return s
}

// Who did something, where the request does not say.
const (
	defaultActor  = "user"
	defaultOrigin = "handoff"
)
