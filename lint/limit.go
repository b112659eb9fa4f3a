package lint

import "fmt"

// MostShown is how many findings of one rule a report shows for one document.
const MostShown = 100

// Limit returns the findings of one document that a report shows: the first
// [MostShown] of each rule and, instead of the others, one with their number.
// Counts, baselines and fixes need all findings, so only reports use it. The
// given findings are not changed.
func Limit(list []Finding) []Finding {
	count := map[string]int{}
	for i := range list {
		count[list[i].Rule]++
	}
	var out []Finding
	shown := map[string]int{}
	for _, f := range list {
		shown[f.Rule]++
		n, more := shown[f.Rule], count[f.Rule]-MostShown
		switch {
		case n <= MostShown || more == 1:
			out = append(out, f)
		case n == MostShown+1:
			out = append(out, Finding{Rule: f.Rule, Severity: f.Severity, Path: f.Path, Lines: f.Lines, Col: f.Col, EndCol: f.EndCol,
				Message: fmt.Sprintf("and %s more of %s: the report shows the first %d", thousands(more), f.Rule, MostShown), More: more})
		}
	}
	return out
}

// thousands writes a number with commas: 38,900.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return thousands(n/1000) + fmt.Sprintf(",%03d", n%1000)
}
