// Package texts measures how much of generated documents survives: in documents too long
// to be shown whole, and along a chain of them. It does not use the disk.
package texts

import (
	"fmt"
	"time"

	"handoff/templates"
)

// written is the time of the documents.
var written = time.Date(2026, 2, 12, 9, 0, 0, 0, time.UTC)

// Values are a handoff that has something in each section.
func Values(task, phase int) templates.Values {
	return templates.Values{
		Task: task, Phase: phase, NextAction: fmt.Sprintf("Add the test of step %d to `parser_test.go`.", phase),
		State:     templates.State{File: "parser.go", Location: fmt.Sprintf("Line %d, inside `readToken`", 10*phase), Goal: "`go test ./...` passes"},
		Decisions: []string{"One token at a time: the input may be endless"}, DeadEnds: []string{"A regular expression: it cannot count brackets"},
		Context: []string{"Offsets are bytes, not characters"}, References: []string{"The parser: parser.go"},
	}
}
