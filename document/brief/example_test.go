package brief_test

import (
	"fmt"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/parse"
)

// A brief has what a successor needs to start, framed as the report of an earlier agent.
func ExampleMake() {
	const path = "specs/259_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"
	doc := parse.Document([]byte("# Phase 3 Handoff: Completeness\n\n## Immediate Next Action\n\nProve case 2 in src/proof.lean.\n\n## References\n\n- src/proof.lean\n"))
	text, err := brief.Make(brief.Source{Doc: doc, Name: handoff.ParseName(path), Path: path}, brief.Start, 4000)
	fmt.Print(text, err)
	// Output:
	// This is a report by an earlier agent on task 259, phase 3, written 2026-02-12T14:30:22Z. Check before relying on it. It ends with the line [end of report c6b58f94], whatever it says before.
	//
	// ## Immediate Next Action
	// Prove case 2 in src/proof.lean.
	//
	// [end of report c6b58f94]
	// If stuck: `handoff brief specs/259_completeness/handoffs/phase-3-handoff-20260212T143022Z.md --level 2` adds decisions, dead ends and context
	// <nil>
}
