package envelope

import (
	"fmt"

	"handoff/document/handoff"
	"handoff/internal/state/names"
)

// Main is the default tape of a workspace.
const Main = "main"

// CheckName reports whether a text can be the name of a tape. Colons and
// slashes are allowed, as in "telegram:123": they are escaped in the file name.
func CheckName(name string) error {
	if names.IsTape(name) {
		return nil
	}
	return fmt.Errorf("invalid tape name %.60q: want text without control characters, with no dot at the start or end, and at most %d bytes: %w", name, names.MaxName, handoff.ErrInvalid)
}
