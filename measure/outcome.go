package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/lint/rules"
	"handoff/measure/benchmark"
	parser "handoff/parse"
)

// recordedRun is a run of a public study: a successor got a text, and hidden tests tell whether it solved the task.
type recordedRun struct {
	Condition string `json:"condition"`
	Passed    *bool  `json:"passed"`
	Text      string `json:"handoff"`
}

// maxRun is the most bytes of a file with a run.
const maxRun = 4 << 20

// outcomes asks which of our findings separate texts whose successors passed from those whose did not.
func outcomes(ctx context.Context, l lab) (benchmark.Suite, error) {
	s := benchmark.Suite{Name: "outcome", About: "which findings of lint separate the handoffs of recorded runs whose successors solved the task from those whose successors did not",
		Tables: []benchmark.Table{}, Limits: []string{
			"Whether a successor succeeds depends on the task and on the model first. That a finding is more common in failed runs does not say that it is the cause.",
			"p is of Fisher's exact test, two-sided, in thousandths, of one rule alone: of twenty rules one is below 50 by chance.",
			"The texts are in forms of their own: that all of them lack our sections tells nothing.",
		}}
	if l.runs == "" {
		s.Skipped = "no runs: -runs FOLDER has files of JSON with condition, passed and handoff"
		return s, nil
	}
	list, err := readRuns(ctx, l.runs)
	if err != nil {
		return s, err
	}
	s.Tables = append(s.Tables, byCondition(list), byRule(list))
	return s, nil
}

// readRuns are the runs in a folder. Files without an outcome are left out.
func readRuns(ctx context.Context, folder string) (list []recordedRun, err error) {
	err = filepath.WalkDir(folder, func(file string, e fs.DirEntry, err error) error {
		if err != nil || ctx.Err() != nil || e.IsDir() || filepath.Ext(file) != ".json" {
			return cmp.Or(err, ctx.Err())
		}
		src, err := regular.Read(file, nil, maxRun)
		if err != nil {
			return err
		}
		var one recordedRun
		if json.Unmarshal(src, &one) == nil && one.Passed != nil {
			list = append(list, one)
		}
		return nil
	})
	return list, err
}

func byCondition(list []recordedRun) benchmark.Table {
	passed, all := map[string]int{}, map[string]int{}
	var names []string
	for _, r := range list {
		if all[r.Condition]++; all[r.Condition] == 1 {
			names = append(names, r.Condition)
		}
		if *r.Passed {
			passed[r.Condition]++
		}
	}
	slices.Sort(names)
	t := benchmark.Table{Title: fmt.Sprintf("%d runs, by what the successor got", len(list)), Columns: []string{"solved"}}
	for _, name := range names {
		t.Rows = append(t.Rows, benchmark.Row{Name: name, Cells: []benchmark.Cell{benchmark.Share(passed[name], all[name])}})
	}
	return t
}

// byRule has a row for each rule that reports anything in the texts.
func byRule(list []recordedRun) benchmark.Table {
	found, runs := map[string][2]int{}, [2]int{} // of failed, of passed
	settings := lint.Defaults()
	for _, r := range list {
		if r.Text == "" {
			continue
		}
		passed := 0
		if *r.Passed {
			passed = 1
		}
		runs[passed]++
		in := lint.Input{Doc: parser.Document([]byte(r.Text))}
		rulesFound := map[string]bool{}
		for _, f := range lint.Document(&in, rules.All, &settings) {
			rulesFound[f.Rule] = true
		}
		for name := range rulesFound {
			n := found[name]
			n[passed]++
			found[name] = n
		}
	}
	t := benchmark.Table{Title: fmt.Sprintf("%d texts: those with a finding", runs[0]+runs[1]), Columns: []string{"solved", "not solved", "p"}}
	for _, r := range rules.All {
		if n := found[r.Name]; n != [2]int{} {
			p := fisher(n[1], runs[1], n[0], runs[0])
			t.Rows = append(t.Rows, benchmark.Row{Name: r.Name, Cells: []benchmark.Cell{benchmark.Share(n[1], runs[1]), benchmark.Share(n[0], runs[0]), benchmark.Number(int(1000*p + 0.5))}})
		}
	}
	return t
}

// fisher is how likely two shares are at least as far apart if nothing separates them.
func fisher(a, of1, b, of2 int) (p float64) {
	choose := func(n, k int) float64 {
		x, _ := math.Lgamma(float64(n + 1))
		y, _ := math.Lgamma(float64(k + 1))
		z, _ := math.Lgamma(float64(n - k + 1))
		return x - y - z
	}
	chance := func(k int) float64 {
		return math.Exp(choose(of1, k) + choose(of2, a+b-k) - choose(of1+of2, a+b))
	}
	seen := chance(a)
	for k := max(0, a+b-of2); k <= min(of1, a+b); k++ {
		if one := chance(k); one <= seen*(1+1e-9) {
			p += one
		}
	}
	return min(p, 1)
}
