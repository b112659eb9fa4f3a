package tape

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"handoff"
)

// ErrorKind is how Bub sorts errors.
type ErrorKind string

// The kinds of error that Bub knows.
const (
	InvalidInput ErrorKind = "invalid_input"
	NotFound     ErrorKind = "not_found"
	Config       ErrorKind = "config"
	Provider     ErrorKind = "provider"
	Tool         ErrorKind = "tool"
	Temporary    ErrorKind = "temporary"
	Unknown      ErrorKind = "unknown"
)

// Error is an error of a query, in Bub's words. It can stand on a tape: see
// [Error.Entry].
type Error struct {
	Kind    ErrorKind       `json:"kind"`
	Message string          `json:"message"`
	Details json.RawMessage `json:"details,omitempty"`
}

func (e *Error) Error() string { return "[" + string(e.Kind) + "] " + e.Message }

// Is makes not_found fs.ErrNotExist, and invalid_input handoff.ErrInvalid.
func (e *Error) Is(target error) bool {
	return e.Kind == NotFound && target == fs.ErrNotExist || e.Kind == InvalidInput && target == handoff.ErrInvalid
}

// Entry is the error as an entry of a tape.
func (e *Error) Entry() Entry {
	entry, err := NewEntry(KindError, e, nil)
	if err != nil { // Details is no JSON
		entry, _ = NewEntry(KindError, &Error{Kind: e.Kind, Message: e.Message}, nil)
	}
	return entry
}

func noAnchors() error { return &Error{Kind: NotFound, Message: "No anchors found in tape."} }

func noAnchor(name string) error {
	return &Error{Kind: NotFound, Message: fmt.Sprintf("Anchor '%s' was not found.", name)}
}

// invalid is an error of the kind handoff.ErrInvalid.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", fmt.Errorf(format, args...), handoff.ErrInvalid)
}
