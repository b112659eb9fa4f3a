package rules

import (
	"strings"
	"testing"

	"handoff/lint"
)

// hostile are texts that are repeated to make rules look at the same things
// many times, with the text before them.
var hostile = []struct{ head, part string }{
	{"", "## Current State\n"},
	{"", "## State\n"},
	{"", "## Next Steps\n- a\n"},
	{"", "Current State\n---\n"},
	{"", "**Current State**: a\n"},
	{"", "**Context**: a\n\n"},
	{"", "## Current State\n<!-- a -->\n\n"},
	{"## References\n", "- a/b.md\n"},
	{"## References\n", "a/b.md "},
	{"## References\n- a/b.md\n", "  a/b.md\n"},
	{"## References\n", "a/b.go:12, line 3 "},
	{"## Current State\n", "- **File**: a/b.go\n"},
	{"## Current State\n", "- **File**: a/b.go:1\n\n  x\n"},
	{"## Current State\n", "**File**:\n\n"},
	{"## Current State\n", "<!-- a -->\n\nb\n"},
	{"## Current State\n", "```\na\n```\nb\n"},
	{"## Key Decisions Made\n", "1. a\n\nb\n\n"},
	{"## Key Decisions Made\n", "### a\n1. b because c\n"},
	{"", "<!-- handoff-lint allow nosuch: x -->\n"},
	{"", "<!-- handoff-lint allow secret: x -->\n"},
	{"", "<!-- handoff-lint allow unknown-section: x -->\n"},
	{"", "## A\n<!-- handoff-lint allow unknown-section: x -->\n"},
	{"", "<!-- a -->\n"},
	{"", "see …/a/b\n\n```\nx\n```\n"},
	{"", "## A\nsee …/a/b\n"},
	{"", "[//]: # (a)\n"},
	{"", "## A\n{P}\n```\nb\n```\n"},
}

// TestHostile counts what the rules look at, sections, comments, fences, items
// and lines: four times the text costs about four times as much.
func TestHostile(t *testing.T) {
	const n = 500
	for _, c := range hostile {
		looked := func(times int) int {
			set := lint.Defaults()
			set.Profile = lint.Handoff | lint.Completion
			in := lint.Input{Doc: read([]byte("# Phase 1 Handoff\n\n" + c.head + strings.Repeat(c.part, times))), Path: "x.md"}
			in.Look = func(string) lint.Facts { return lint.Facts{} }
			lint.Document(&in, All, &set)
			return in.Looked
		}
		few, many := looked(n), looked(4*n)
		if few == 0 {
			t.Errorf("%q: nothing was counted", c.part)
		}
		if many > 6*few {
			t.Errorf("%q after %q: %d for %d, %d for %d", c.part, c.head, few, n, many, 4*n)
		}
	}
}
