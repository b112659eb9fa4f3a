package rules

import (
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/lint"
)

// TestMovesLoseNothing puts sections of every form into every order: the fix
// brings them back into the template's and keeps each line.
func TestMovesLoseNothing(t *testing.T) {
	parts := []string{
		"## Immediate Next Action\nApply it.\n",
		"Current State\n-------------\n- **File**: x.lean\n  ```\n  ## no heading\n\n  ```\n",
		"\n**Key Decisions Made**: forward first\n",
		"## What NOT to Try\n1. `simp`: too weak\n\n   still the same item\n\n\n",
		"## Own Words\n> quoted\n",
		"## References\n- a plan\n\n<!-- a remark -->\n",
	}
	set := lint.Defaults()
	rules := []*lint.Rule{Find("misordered-section"), Find("buried-next-action")}
	for order := range permutations(len(parts)) {
		source := "# Phase 3 Handoff\n\n"
		for i, part := range order {
			source += parts[part]
			if i%2 == 0 {
				source += "\n"
			}
		}
		source = strings.TrimRight(source, "\n") // the last line may have no end
		before := read([]byte(source))
		fixed, _ := lint.Fix(lint.Input{Doc: before}, rules, &set, read)
		after := read([]byte(fixed))
		if !slices.Equal(linesIn(before), linesIn(after)) {
			t.Fatalf("lines differ:\n%s\nfixed:\n%s", source, fixed)
		}
		if len(before.Sections) == len(parts) && !inOrder(after) {
			t.Fatalf("not in order:\n%s\nfixed:\n%s", source, fixed)
		}
	}
}

// permutations yields every order of n things.
func permutations(n int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var fill func(order []int) bool
		fill = func(order []int) bool {
			if len(order) == n {
				return yield(order)
			}
			for i := range n {
				if !slices.Contains(order, i) && !fill(append(slices.Clip(order), i)) {
					return false
				}
			}
			return true
		}
		fill(nil)
	}
}

func linesIn(doc *handoff.Document) []string {
	var list []string
	for n := range doc.NumLines() {
		if line := strings.TrimSpace(doc.Line(n + 1)); line != "" {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}

// inOrder reports whether the known sections are in the template's order and
// begin with the next action.
func inOrder(doc *handoff.Document) bool {
	kinds := []handoff.Kind{}
	for i := range doc.Sections {
		if k := doc.Sections[i].Kind; k != handoff.Other {
			kinds = append(kinds, k)
		}
	}
	return doc.Sections[0].Kind == handoff.NextAction && slices.IsSorted(kinds)
}
