package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/parse"
)

func TestLimit(t *testing.T) {
	many := func(a, b int) (list []lint.Finding) {
		for i := range a {
			list = append(list, lint.Finding{Rule: "a", Lines: handoff.Lines{First: i + 1, Last: i + 1}, Message: fmt.Sprint(i)})
		}
		for range b {
			list = append(list, lint.Finding{Rule: "b"})
		}
		return list
	}
	for _, c := range []struct {
		a, b, shown int
		last        string // of rule a
	}{
		{0, 0, 0, ""},
		{100, 100, 200, "99"},
		{101, 1, 102, "100"},
		{102, 1, 102, "and 2 more of a: the report shows the first 100"},
		{39_000, 3, 104, "and 38,900 more of a: the report shows the first 100"},
	} {
		in := many(c.a, c.b)
		got := lint.Limit(in)
		if len(in) != c.a+c.b || slices.ContainsFunc(in, func(f lint.Finding) bool { return f.More > 0 }) {
			t.Errorf("%d, %d: the findings given were changed", c.a, c.b)
		}
		last, stands := "", 0
		for _, f := range got {
			if f.Rule == "a" {
				last = f.Message
			}
			stands += max(f.More, 1)
		}
		if len(got) != c.shown || last != c.last || stands != c.a+c.b {
			t.Errorf("%d, %d: %d shown for %d, the last of a is %q", c.a, c.b, len(got), stands, last)
		}
	}
}

// TestFixMany makes all edits of a document, not only those that a report shows.
func TestFixMany(t *testing.T) {
	const lines = 1000
	rule := lint.Rule{Name: "x", Severity: lint.Error, Fixable: true, Check: func(p *lint.Pass) {
		for n := 1; n <= p.Doc.NumLines(); n++ {
			if l := (handoff.Lines{First: n, Last: n}); p.Doc.Line(n) == "a" {
				p.Fix(l, []lint.Edit{{Lines: l, Text: "b\n"}}, "a")
			}
		}
	}}
	set := lint.Defaults()
	in := lint.Input{Doc: parse.Document([]byte(strings.Repeat("a\n", lines)))}
	if src, n := lint.Fix(in, []*lint.Rule{&rule}, &set, parse.Document); n != lines || src != strings.Repeat("b\n", lines) {
		t.Errorf("%d edits, %d left", n, strings.Count(src, "a"))
	}
}

// TestDone ends a check between two rules, and does not fix the document.
func TestDone(t *testing.T) {
	done, ran := make(chan struct{}), ""
	line := handoff.Lines{First: 1, Last: 1}
	first := lint.Rule{Name: "first", Severity: lint.Error, Check: func(p *lint.Pass) {
		if ran += "first "; ran == "first " {
			close(done)
		}
		p.Fix(line, []lint.Edit{{Lines: line, Text: "b\n"}}, "a")
	}}
	next := lint.Rule{Name: "next", Severity: lint.Error, Check: func(*lint.Pass) { ran += "next " }}
	last := lint.Rule{Name: "last", Severity: lint.Error, Late: true, Check: func(*lint.Pass) { ran += "last " }}
	set := lint.Defaults()
	in := lint.Input{Doc: parse.Document([]byte("a\n")), Done: done}
	if src, n := lint.Fix(in, []*lint.Rule{&first, &next, &last}, &set, parse.Document); ran != "first " || src != "a\n" || n != 0 {
		t.Errorf("%q ran, %d edits made %q", ran, n, src)
	}
}
