package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
)

// Statistics writes how often each rule was broken: count, severity and rule,
// the most frequent first and those of the same count by name. A rule that is
// not in rules has the severity "-".
func Statistics(w io.Writer, counts map[string]int, rules []Rule) error {
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	out := bufio.NewWriter(w)
	for _, name := range names {
		severity := "-"
		if i := indexOf(rules, name); i >= 0 {
			severity = rules[i].Severity.String()
		}
		width := len(strconv.Itoa(counts[names[0]]))
		fmt.Fprintf(out, "%*d  %-7s  %s\n", width, counts[name], severity, visible(name))
	}
	return out.Flush()
}
