package report_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"handoff/lint"
	"handoff/lint/report"
)

func TestSummaryLine(t *testing.T) {
	of := func(s lint.Severity, rule string, edits ...lint.Edit) lint.Finding {
		return lint.Finding{Severity: s, Rule: rule, Edits: edits}
	}
	for _, c := range []struct {
		name  string
		files [][]lint.Finding
		fixed int
		want  string
	}{
		{name: "no files", want: "0 files checked"},
		{name: "clean", files: [][]lint.Finding{nil, nil}},
		{name: "one of one", files: [][]lint.Finding{{of(lint.Error, "a")}},
			want: "1 error in 1 handoff; `handoff rules a` explains"},
		{name: "the worst rule is the one explained", files: [][]lint.Finding{
			nil, {of(lint.Note, "n"), of(lint.Warning, "w", lint.Edit{})}, {of(lint.Error, "e1"), of(lint.Error, "e2", lint.Edit{})}},
			want: "2 errors, 1 warning, 1 note in 2 of 3 handoffs; `handoff rules e1` explains, 2 fixable with `--fix`"},
		{name: "some fixed", files: [][]lint.Finding{{of(lint.Warning, "w")}, nil}, fixed: 3,
			want: "1 warning in 1 of 2 handoffs, 3 fixed; `handoff rules w` explains"},
		{name: "all fixed", files: [][]lint.Finding{nil, nil}, fixed: 3, want: "3 fixed, nothing left in 2 handoffs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s report.Summary
			for _, f := range c.files {
				s.Count(f)
			}
			s.Fixed = c.fixed
			if got := report.SummaryLine(s); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestStatistics(t *testing.T) {
	var b bytes.Buffer
	counts := report.Counts{}
	for _, c := range []struct {
		rule     string
		severity lint.Severity
		n        int
		edits    []lint.Edit
	}{
		{"vague-next-action", lint.Warning, 3, nil},
		{"long-document", lint.Note, 1, nil},
		{"long-document", lint.Error, 11, nil},
		{"bare-heading", lint.Note, 3, []lint.Edit{{Text: "x\n"}}},
	} {
		for range c.n {
			counts.Add(&lint.Finding{Rule: c.rule, Severity: c.severity, Edits: c.edits})
		}
	}
	if err := report.Statistics(&b, counts); err != nil {
		t.Fatal(err)
	}
	want := "12  error    long-document\n" +
		" 3  note     bare-heading       3 fixable\n" +
		" 3  warning  vague-next-action\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// If GitHub does not show everything, one more annotation gives the number of the rest.
func TestGitHubSaysTheRest(t *testing.T) {
	for _, c := range []struct {
		errors, notes int
		want          string
	}{
		{10, 10, ""},
		{12, 0, "::notice title=handoff::2 more errors in the log of this step: GitHub shows 10 of a kind\n"},
		{11, 30, "::warning title=handoff::1 more error, 20 more notes in the log of this step: GitHub shows 10 of a kind\n"},
	} {
		var out bytes.Buffer
		r, err := report.New("github", &out, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		findings := slices.Concat(slices.Repeat([]lint.Finding{{Rule: "e", Severity: lint.Error, Message: "m"}}, c.errors),
			slices.Repeat([]lint.Finding{{Rule: "n", Severity: lint.Note, Message: "m"}}, c.notes))
		if err := r.File("a.md", nil, findings); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(report.Summary{}); err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(out.String(), "\n")
		if got := strings.Join(lines[len(findings):], ""); got != c.want {
			t.Errorf("%d errors, %d notes: got %q, want %q", c.errors, c.notes, got, c.want)
		}
	}
}
