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

// Refusal is an error of the kind handoff.ErrInvalid in words that repeat nothing
// of the request and hold nothing of a thread but numbers: anybody may be told.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Is makes it a handoff.ErrInvalid.
func (r Refusal) Is(target error) bool { return target == handoff.ErrInvalid }

func refuse(format string, args ...any) error { return Refusal(fmt.Sprintf(format, args...)) }

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
