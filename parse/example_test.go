package parse_test

import (
	"fmt"

	"handoff/document/handoff"
	"handoff/parse"
)

// A document has its sections in their order, each with its lines, and its next action by whatever name.
func ExampleDocument() {
	doc := parse.Document([]byte(`# Phase 3 Handoff: Completeness

## Immediate Next Action

Prove case 2 of the induction in src/proof.lean.

## What NOT to Try

1. Induction on n: the hypothesis is too weak
`))
	for _, s := range doc.Sections {
		fmt.Printf("%s (line %d): %d items\n", s.Heading.Text, s.Lines.First, len(s.Items))
	}
	if step, ok := doc.NextStep(); ok {
		fmt.Println(step.Text)
	}
	fmt.Println(doc.Said(handoff.DeadEnds))
	// Output:
	// Immediate Next Action (line 3): 0 items
	// What NOT to Try (line 7): 1 items
	// Prove case 2 of the induction in src/proof.lean.
	// [Induction on n: the hypothesis is too weak]
}
