package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"

	"handoff/lint"
)

// Counts are the findings of each rule, by the rule's name.
type Counts map[string]Count

// Count is what one rule found.
type Count struct {
	Severity lint.Severity // the worst of its findings
	Findings int
	Fixable  int // of them
}

// Add counts the findings of one file.
func (c Counts) Add(findings []lint.Finding) {
	for i := range findings {
		f := &findings[i]
		n := c[f.Rule]
		n.Findings++
		n.Severity = max(n.Severity, f.Severity)
		if fixable(f) {
			n.Fixable++
		}
		c[f.Rule] = n
	}
}

// Statistics writes a line for each rule that found something, the rule with
// the most findings first: count, severity, name, and how many can be mended.
func Statistics(w io.Writer, counts Counts) error {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b].Findings, counts[a].Findings), cmp.Compare(a, b))
	})
	digits, longest := 1, 0
	for _, name := range names {
		digits = max(digits, len(fmt.Sprint(counts[name].Findings)))
		longest = max(longest, cells(visible(name)))
	}
	for _, name := range names {
		c := counts[name]
		line := fmt.Sprintf("%*d  %-7s  %s", digits, c.Findings, c.Severity, visible(name))
		if c.Fixable > 0 {
			line += fmt.Sprintf("%*s  %d fixable", longest-cells(visible(name)), "", c.Fixable)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}
