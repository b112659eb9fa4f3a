package rules

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"handoff/lint"
)

// sampled is a finding and the document it is in.
type sampled struct {
	*realDocument
	lint.Finding
}

// everyFinding is what a rule finds in some documents: those that it is meant
// for, where it is meant for reports alone.
func everyFinding(documents []realDocument, r *lint.Rule) (all []sampled) {
	set := lint.Defaults()
	if r.Profiles == lint.Completion {
		set.Profile = lint.Handoff | lint.Completion
	}
	for i := range documents {
		for _, f := range found(documents[i].input(), r, &set) {
			all = append(all, sampled{&documents[i], f})
		}
	}
	return all
}

// TestSample prints, for the rule that HANDOFF_SAMPLE names or for all rules,
// 30 findings at random with the lines that they are about. The same documents
// always give the same sample. Judge each on its document and write the figures
// to docs/rules-precision.md.
func TestSample(t *testing.T) {
	const size, seed = 30, 20261122
	documents := realDocuments(t)
	for _, r := range All {
		if name := os.Getenv("HANDOFF_SAMPLE"); name != "" && name != r.Name {
			continue
		}
		all := everyFinding(documents, r)
		total := len(all)
		random := rand.New(rand.NewPCG(seed, 0))
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		all = all[:min(len(all), size)]
		t.Logf("%s (%v): %d of %d findings", r.Name, r.Severity, len(all), total)
		for n, s := range all {
			t.Logf("%d. %s\n%s", n+1, s.place(), s.lines())
		}
	}
}

func (s sampled) place() string {
	return fmt.Sprintf("%s/%s:%d: %s", filepath.Base(s.root), s.path, s.Lines.First, s.Message)
}

// lines are those that the finding is about, at most six.
func (s sampled) lines() string {
	doc := read(s.source)
	var b strings.Builder
	for n := max(s.Lines.First, 1); n <= min(s.Lines.Last, s.Lines.First+5); n++ {
		fmt.Fprintf(&b, "   %d\t%s\n", n, doc.Line(n))
	}
	return b.String()
}

// TestPrecision: every rule has been judged on real documents, and one that is
// wrong more often than once in twenty is a note.
func TestPrecision(t *testing.T) {
	page, err := os.ReadFile("../../docs/rules-precision.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]int{} // findings, read, true
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) < 4 || Find(strings.TrimSpace(cells[0])) == nil {
			continue
		}
		name := strings.TrimSpace(cells[0])
		if rows[name] != nil {
			t.Errorf("%s is in the table twice", name)
		}
		for _, cell := range cells[1:4] {
			n, err := strconv.Atoi(strings.TrimSpace(cell))
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			rows[name] = append(rows[name], n)
		}
	}
	for _, r := range All {
		row := rows[r.Name]
		if row == nil {
			t.Errorf("%s is not in the table: run TestSample and judge what it finds", r.Name)
			continue
		}
		findings, judged, right := row[0], row[1], row[2]
		if judged != min(findings, 30) || right > judged {
			t.Errorf("%s: %d of %d findings judged, %d of them right", r.Name, judged, findings, right)
		}
		if right*20 < judged*19 && r.Severity > lint.Note {
			t.Errorf("%s: %d of %d findings are right: make it so, or make it a note", r.Name, right, judged)
		}
	}
	if len(rows) != len(All) {
		t.Errorf("%d rows for %d rules", len(rows), len(All))
	}
}
