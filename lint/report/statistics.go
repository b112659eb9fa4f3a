package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"handoff/internal/text/visible"
	"handoff/lint"
)

// Counts are the findings of each rule, by the rule's name.
type Counts map[string]Count

// Count is what one rule found.
type Count struct {
	Severity lint.Severity // the worst of its findings
	Findings int
	Fixable  int // those of them that have edits
}

// Add counts a finding.
func (c Counts) Add(f *lint.Finding) {
	n := c[f.Rule]
	n.Findings++
	n.Severity = max(n.Severity, f.Severity)
	if len(f.Edits) > 0 {
		n.Fixable++
	}
	c[f.Rule] = n
}

// Statistics writes how many findings each rule has: count, severity, rule and
// the number of fixable ones; sorted by falling count, then by name.
func Statistics(w io.Writer, counts Counts) error {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b].Findings, counts[a].Findings), cmp.Compare(a, b))
	})
	longest := 0
	for _, name := range names {
		longest = max(longest, utf8.RuneCountInString(visible.Text(name)))
	}
	out := bufio.NewWriter(w)
	for _, name := range names {
		c, width := counts[name], len(strconv.Itoa(counts[names[0]].Findings))
		fmt.Fprintf(out, "%*d  %-7s  ", width, c.Findings, c.Severity)
		if c.Fixable > 0 {
			fmt.Fprintf(out, "%-*s  %d fixable\n", longest, visible.Text(name), c.Fixable)
		} else {
			fmt.Fprintln(out, visible.Text(name))
		}
	}
	return out.Flush()
}
