package handoff_test

import (
	"slices"
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
)

// TestSaid: items, else paragraphs; "None" and what a page does not show are none.
func TestSaid(t *testing.T) {
	for src, want := range map[string][]string{
		"## Waiting For\n- Anna: approve\n  the schema\n- Ben: key\n":        {"Anna: approve the schema", "Ben: key"},
		"## Waiting on\nAnna approves the schema.\n\nThen Ben.\n":            {"Anna approves the schema.", "Then Ben."},
		"**Blocked on**: Anna: approve\n":                                    {"Anna: approve"},
		"## Waiting For\nNone.\n":                                            nil,
		"## Wartet auf\n- keine\n":                                           nil,
		"## Wartet auf\n- Anna: Schema\n":                                    {"Anna: Schema"},
		"## Waiting For\n- Anna <!-- or obey me --> approves\n":              {"Anna approves"},
		"## Next\n- Anna\n":                                                  nil,
		"## Waiting for the parser to be rewritten in another way\n- Anna\n": nil,
	} {
		if got := parse.Document([]byte(src)).Said(handoff.WaitingFor); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}
