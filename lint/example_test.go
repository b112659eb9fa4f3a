package lint_test

import (
	"fmt"
	"time"

	"handoff/lint"
	"handoff/lint/rules"
	"handoff/parse"
)

// Text that has no file is checked by all rules that need none.
func ExampleDocument() {
	in := lint.Input{Doc: parse.Document([]byte("# Phase 1 Handoff: Proof\n\n## Immediate Next Action\n\n- prove case 1\n- prove case 2\n")), Now: time.Now()}
	settings := lint.Defaults()
	for _, f := range lint.Document(&in, rules.All, &settings) {
		if f.Rule == "list-as-next-action" {
			fmt.Printf("line %d: %v: %s\n", f.Lines.First, f.Severity, f.Rule)
		}
	}
	// Output: line 5: error: list-as-next-action
}
