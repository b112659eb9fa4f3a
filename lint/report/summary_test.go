package report_test

import (
	"bytes"
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
			want: "2 errors, 1 warning, 1 note in 2 of 3 handoffs; `handoff rules e1` explains, `--fix` can mend 2"},
		{name: "some mended", files: [][]lint.Finding{{of(lint.Warning, "w")}, nil}, fixed: 3,
			want: "1 warning in 1 of 2 handoffs, 3 mended; `handoff rules w` explains"},
		{name: "all mended", files: [][]lint.Finding{nil, nil}, fixed: 3, want: "3 mended, nothing left in 2 handoffs"},
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
	counts := map[string]int{"vague-next-action": 3, "long-document": 12, "elsewhere": 3, "malformed-name": 1}
	if err := report.Statistics(&b, counts, rules); err != nil {
		t.Fatal(err)
	}
	want := "12  error    long-document\n" +
		" 3  -        elsewhere\n" +
		" 3  warning  vague-next-action\n" +
		" 1  note     malformed-name\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}
