package lint_test

import (
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/lint"
	"handoff/parse"
)

func edit(first, last int, text string) lint.Edit {
	return lint.Edit{Lines: handoff.Lines{First: first, Last: last}, Text: text}
}

// once is a rule that offers, while the document is as it was, one finding with
// each list of edits.
func once(was string, findings ...[]lint.Edit) *lint.Rule {
	return &lint.Rule{Name: "once", Severity: lint.Error, Fixable: true, Check: func(p *lint.Pass) {
		if p.Doc.Source != was {
			return
		}
		for _, edits := range findings {
			p.Fix(handoff.Lines{First: edits[0].Lines.First, Last: max(edits[0].Lines.First, edits[0].Lines.Last)}, edits, "x")
		}
	}}
}

// TestFixChooses: of findings whose edits touch the same lines the first wins,
// and a finding's edits are made all or not at all.
func TestFixChooses(t *testing.T) {
	const src = "1\n2\n3\n4\n"
	for _, c := range []struct {
		name     string
		findings [][]lint.Edit
		want     string
		applied  int
	}{
		{"apart", [][]lint.Edit{{edit(1, 1, "a\n")}, {edit(3, 4, "b\n")}}, "a\n2\nb\n", 2},
		{"next to each other", [][]lint.Edit{{edit(1, 2, "a\n")}, {edit(3, 3, "b\n")}}, "a\nb\n4\n", 2},
		{"the same line", [][]lint.Edit{{edit(2, 2, "a\n")}, {edit(2, 2, "b\n")}}, "1\na\n3\n4\n", 1},
		{"the end of the one before", [][]lint.Edit{{edit(1, 3, "a\n")}, {edit(3, 4, "b\n")}}, "a\n4\n", 1},
		{"inside of the one before", [][]lint.Edit{{edit(1, 4, "a\n")}, {edit(2, 3, "b\n")}}, "a\n", 1},
		{"two insertions at one line", [][]lint.Edit{{edit(2, 1, "a\n")}, {edit(2, 1, "b\n")}}, "1\na\n2\n3\n4\n", 1},
		{"an insertion before a replacement", [][]lint.Edit{{edit(2, 2, "a\n")}, {edit(2, 1, "b\n")}}, "1\na\n3\n4\n", 1},
		{"an insertion between", [][]lint.Edit{{edit(1, 1, "a\n")}, {edit(2, 1, "b\n")}, {edit(3, 3, "c\n")}}, "a\nb\n2\nc\n4\n", 3},
		{"an insertion inside", [][]lint.Edit{{edit(1, 3, "a\n")}, {edit(3, 2, "b\n")}}, "a\n4\n", 1},
		{"all or none", [][]lint.Edit{{edit(1, 1, "a\n"), edit(3, 3, "b\n")}, {edit(2, 2, "c\n"), edit(3, 3, "d\n")}, {edit(4, 4, "e\n")}}, "a\n2\nb\ne\n", 3},
		{"a deletion", [][]lint.Edit{{edit(2, 3, "")}}, "1\n4\n", 1},
		{"the end", [][]lint.Edit{{edit(5, 4, "5\n")}}, "1\n2\n3\n4\n5\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := lint.Defaults()
			in := lint.Input{Doc: parse.Document([]byte(src))}
			if got, n := lint.Fix(in, []*lint.Rule{once(src, c.findings...)}, &set, parse.Document); got != c.want || n != c.applied {
				t.Errorf("%d edits make %q, want %d and %q", n, got, c.applied, c.want)
			}
		})
	}
}

// TestFixRests: edits are made until no rule offers one. Rules that undo each
// other's work never get there, and the document stays as it was.
func TestFixRests(t *testing.T) {
	replaces := func(from, to string) *lint.Rule {
		return &lint.Rule{Name: from, Severity: lint.Error, Check: func(p *lint.Pass) {
			if strings.HasPrefix(p.Doc.Line(1), from) {
				p.Fix(handoff.Lines{First: 1, Last: 1}, []lint.Edit{edit(1, 1, strings.Replace(p.Doc.Line(1), from, to, 1)+"\n")}, "x")
			}
		}}
	}
	for _, c := range []struct {
		name, src, want string
		rules           []*lint.Rule
		applied         int
	}{
		{"nothing to fix", "c\n", "c\n", []*lint.Rule{replaces("a", "b")}, 0},
		{"one after the other", "a\n", "c\n", []*lint.Rule{replaces("b", "c"), replaces("a", "b")}, 2},
		{"forth and back", "a\n", "a\n", []*lint.Rule{replaces("a", "b"), replaces("b", "a")}, 0},
		{"almost too many", strings.Repeat("a", 49) + "\n", "\n", []*lint.Rule{replaces("a", "")}, 49},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := lint.Defaults()
			if got, n := lint.Fix(document(c.src), c.rules, &set, parse.Document); got != c.want || n != c.applied {
				t.Errorf("%d edits make %q, want %d and %q", n, got, c.applied, c.want)
			}
		})
	}
}

// TestApply: what comes in gets the document's own line ends, and a last line
// that has none gets one before text that follows it.
func TestApply(t *testing.T) {
	for _, c := range []struct {
		src   string
		edits []lint.Edit
		want  string
	}{
		{"1\n2\n", nil, "1\n2\n"},
		{"1\n2\n", []lint.Edit{edit(2, 2, "b\n"), edit(1, 1, "a\n")}, "a\nb\n"},
		{"1\r\n2\r\n", []lint.Edit{edit(2, 2, "a\nb\r\n")}, "1\r\na\r\nb\r\n"},
		{"1\n2\n", []lint.Edit{edit(2, 2, "a\r\nb\n")}, "1\na\nb\n"},
		{"1\n2", []lint.Edit{edit(3, 2, "3\n")}, "1\n2\n3\n"},
		{"1\r\n2", []lint.Edit{edit(3, 2, "3\n")}, "1\r\n2\r\n3\r\n"},
		{"1\n2", []lint.Edit{edit(2, 2, "b\n")}, "1\nb\n"},
		{"1\n2", []lint.Edit{edit(2, 2, "")}, "1\n"},
		{"1\n2", []lint.Edit{edit(3, 2, "")}, "1\n2"},
		{"", []lint.Edit{edit(1, 0, "a\n")}, "a\n"},
	} {
		if got := lint.Apply(handoff.NewDocument(c.src), c.edits); got != c.want {
			t.Errorf("%q with %v is %q, want %q", c.src, c.edits, got, c.want)
		}
	}
}
