package entry

import (
	"fmt"
	"io/fs"
	"strconv"

	"handoff"
)

// ErrorKind is Bub's class of an error.
type ErrorKind string

// The classes of error that a query may have.
const (
	InvalidInput ErrorKind = "invalid_input"
	NotFound     ErrorKind = "not_found"
)

// Error is an error of a query, in Bub's words.
type Error struct {
	Kind    ErrorKind
	Message string
}

func (e *Error) Error() string { return "[" + string(e.Kind) + "] " + e.Message }

// Is makes not_found fs.ErrNotExist, and invalid_input handoff.ErrInvalid.
func (e *Error) Is(target error) bool {
	return e.Kind == NotFound && target == fs.ErrNotExist || e.Kind == InvalidInput && target == handoff.ErrInvalid
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
