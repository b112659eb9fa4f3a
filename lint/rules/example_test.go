package rules_test

import (
	"fmt"

	"handoff/lint/rules"
)

// A rule is found by its name, with its reason.
func ExampleFind() {
	r := rules.Find("vague-next-action")
	fmt.Println(r.Severity, "-", rules.Docs.Summary(r.Name))
	// Output: error - "Continue working on the proof" tells a successor nothing new, so it reads everything again.
}
