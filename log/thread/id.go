package thread

import (
	"crypto/sha256"
	"fmt"

	"handoff/document/handoff"
	"handoff/internal/state/names"
	"handoff/internal/uuid"
)

// CheckID checks that a text is a valid id of a thread or run: a name that is safe
// as a file name on every system, such as a UUID. Otherwise it is
// handoff.ErrInvalid.
func CheckID(id string) error {
	if names.IsID(id) {
		return nil
	}
	return fmt.Errorf("invalid id %s: want at most %d letters, digits, '-', '_' and '.': %w", foreign(id), names.MaxID, handoff.ErrInvalid)
}

// NewUUID is a random UUID, as RIP's ids are.
func NewUUID() string { return uuid.New() }

// derived is an id that depends only on the parts: a UUID of version 8, which is for
// custom schemes.
func derived(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s,", len(p), p)
	}
	return uuid.Of([16]byte(h.Sum(nil)), 8)
}
