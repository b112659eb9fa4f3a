package entry

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"

	"handoff/document/handoff"
)

// ErrorKind is Bub's class of an error.
type ErrorKind string

// The classes of error that a query may have. Bub has more.
const (
	InvalidInput ErrorKind = "invalid_input"
	NotFound     ErrorKind = "not_found"
)

// Error is an error of a query, in Bub's words. It can be written to a tape:
// see [Error.Entry].
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
	entry, err := New(KindError, e, nil)
	if err != nil { // Details is not JSON
		entry, _ = New(KindError, &Error{Kind: e.Kind, Message: e.Message}, nil)
	}
	return entry
}

// NoAnchors is the error for a tape without anchors.
func NoAnchors() error { return &Error{Kind: NotFound, Message: "No anchors found in tape."} }

// NoAnchor is the error for a missing anchor.
func NoAnchor(name string) error {
	return &Error{Kind: NotFound, Message: fmt.Sprintf("Anchor '%s' was not found.", name)}
}

// NoEntry is the error for a missing id.
func NoEntry(id int64) error {
	return &Error{Kind: NotFound, Message: "Entry " + strconv.FormatInt(id, 10) + " was not found."}
}

// Invalid returns an error of the kind handoff.ErrInvalid.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", fmt.Errorf(format, args...), handoff.ErrInvalid)
}
