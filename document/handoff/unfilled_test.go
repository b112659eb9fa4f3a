package handoff_test

import (
	"testing"

	"handoff/parse"
)

func TestUnfilled(t *testing.T) {
	for text, want := range map[string]bool{
		"## Immediate Next Action\n{Single specific step - not a list. Be concrete.}\n": true,
		"## Immediate Next Action\n\n  {one step}  \n\n## Current State\n":              true,
		"## Immediate Next Action\n{one step} of the plan\n":                            false,
		"## Immediate Next Action\nReplace `{x}` in f.go.\n":                            false,
		"## Immediate Next Action\n{a} and {b}\n":                                       false,
		"## Immediate Next Action\n":                                                    false,
		"# Title\n":                                                                     false,
	} {
		doc := parse.Document([]byte(text))
		if got := doc.Unfilled(); got != want || got && doc.Continues() {
			t.Errorf("%q: unfilled %v, continues %v", text, got, doc.Continues())
		}
	}
}
