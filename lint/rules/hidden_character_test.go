package rules

import (
	"testing"
	"unicode"
	"unicode/utf8"

	"handoff/internal/text/visible"
)

// TestSuspectBytes compares the suspect bytes with the hidden characters: each
// is found at every offset.
func TestSuspectBytes(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if !utf8.ValidRune(r) || visible.Name(r) == "" {
			continue
		}
		for _, before := range []string{"", "plain text: "} {
			if at := nextSuspect(before+string(r)+"a", 0); at != len(before) {
				t.Errorf("%U after %q is found at %d", r, before, at)
			}
		}
	}
}
