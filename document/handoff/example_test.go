package handoff_test

import (
	"fmt"

	"handoff/document/handoff"
)

// The name of a file says which task and phase a document hands off, and when it was written.
func ExampleParseName() {
	n := handoff.ParseName("specs/259_completeness/handoffs/phase-3-handoff-20260212T143022Z.md")
	fmt.Println(n.Task, n.Slug, n.Phase, n.Class == handoff.Canonical)
	// Output: 259 completeness 3 true
}
