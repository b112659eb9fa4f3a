package templates_test

import (
	"fmt"
	"time"

	"handoff/templates"
)

// A document is made of its values, in the order of the schema.
func ExampleRender() {
	text, err := templates.Render(templates.Values{
		Task: 259, Phase: 3, Time: time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC),
		NextAction: "Prove case 2 in src/proof.lean.",
		State:      templates.State{File: "src/proof.lean", Location: "line 342", Goal: "the induction step"},
		Decisions:  []string{"None"},
		DeadEnds:   []string{"Induction on n: the hypothesis is too weak"},
		Context:    []string{"None"},
		References: []string{"src/proof.lean"},
	}, "", false)
	fmt.Print(string(text), err)
	// Output:
	// # Phase 3 Handoff - 20260212T143022Z
	//
	// ## Immediate Next Action
	// Prove case 2 in src/proof.lean.
	//
	// ## Current State
	// - **File**: src/proof.lean
	// - **Location**: line 342
	// - **Goal state**: the induction step
	//
	// ## Key Decisions Made
	// None
	//
	// ## What NOT to Try
	// 1. Induction on n: the hypothesis is too weak
	//
	// ## Critical Context (max 5 items)
	// None
	//
	// ## References (read only if stuck)
	// - src/proof.lean
	// <nil>
}
