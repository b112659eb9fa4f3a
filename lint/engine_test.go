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

// flags is a rule that reports each line of the document that contains a word,
// comments left out. Its name is the word.
func flags(word string) *lint.Rule {
	return &lint.Rule{Name: word, Severity: lint.Warning, Check: func(p *lint.Pass) {
		for n := 1; n <= p.Doc.NumLines(); n++ {
			if line := p.Doc.Line(n); strings.Contains(line, word) && !strings.Contains(line, "<!--") {
				p.At(handoff.Lines{First: n, Last: n}, "contains %s", word)
			}
		}
	}}
}

func document(src string) lint.Input {
	return lint.Input{Doc: parse.Document([]byte(src)), Path: "a.md"}
}

// places renders findings as "rule:line", in their order.
func places(list []lint.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s:%d", f.Rule, f.Lines.First))
	}
	return strings.Join(out, " ")
}

// TestSeverity: the settings win over the rule, and a rule that is off does not
// run at all, early or late.
func TestSeverity(t *testing.T) {
	for _, c := range []struct{ own, set, want lint.Severity }{
		{lint.Off, 0, lint.Off},
		{lint.Note, 0, lint.Note},
		{lint.Warning, 0, lint.Warning},
		{lint.Error, 0, lint.Error},
		{lint.Error, lint.Note, lint.Note},
		{lint.Off, lint.Error, lint.Error},
		{lint.Note, lint.Warning, lint.Warning},
	} {
		testSeverity(t, c.own, c.set != 0, c.set, c.want)
	}
	testSeverity(t, lint.Error, true, lint.Off, lint.Off)
}

func testSeverity(t *testing.T, own lint.Severity, isSet bool, severity, want lint.Severity) {
	t.Helper()
	for _, late := range []bool{false, true} {
		r, ran := flags("word"), false
		check := r.Check
		r.Severity, r.Late, r.Check = own, late, func(p *lint.Pass) { ran = true; check(p) }
		set := lint.Defaults()
		set.Severity = map[string]lint.Severity{"other": lint.Error}
		if isSet {
			set.Severity["word"] = severity
		}
		in := document("word\n")
		list := lint.Document(&in, []*lint.Rule{r}, &set)
		if ran != (want != lint.Off) || len(list) > 0 != ran {
			t.Errorf("%s set to %s (%t), late %t: ran %t, %d findings", own, severity, isSet, late, ran, len(list))
		}
		for _, f := range list {
			if f.Severity != want || f.Rule != "word" || f.Path != "a.md" || f.Message != "contains word" {
				t.Errorf("%s set to %s (%t), late %t: %+v", own, severity, isSet, late, f)
			}
		}
	}
}

func TestParseSeverity(t *testing.T) {
	for i, name := range []string{"off", "note", "warning", "error"} {
		if s, ok := lint.ParseSeverity(name); !ok || s != lint.Severity(i) || s.String() != name {
			t.Errorf("%s is read as %s, %t", name, s, ok)
		}
	}
	for _, name := range []string{"", "Error", "fatal"} {
		if s, ok := lint.ParseSeverity(name); ok || s != lint.Off {
			t.Errorf("%q is read as %s, %t", name, s, ok)
		}
	}
}

// TestMeant: a rule runs for its kinds of document, and a rule that looks at
// files runs only if there is a workspace.
func TestMeant(t *testing.T) {
	look := func(string) lint.Facts { return lint.Facts{} }
	for _, c := range []struct {
		profiles lint.Profiles
		set      lint.Profiles
		files    bool
		look     func(string) lint.Facts
		runs     bool
	}{
		{0, lint.Handoff, false, nil, true},
		{0, lint.Completion, false, nil, true},
		{lint.Handoff, lint.Handoff, false, nil, true},
		{lint.Handoff, lint.Completion, false, nil, false},
		{lint.Completion, lint.Completion, false, nil, true},
		{lint.Completion, lint.Handoff, false, nil, false},
		{lint.Handoff | lint.Completion, lint.Completion, false, nil, true},
		{0, lint.Handoff, true, nil, false},
		{0, lint.Handoff, true, look, true},
		{lint.Completion, lint.Handoff, true, look, false},
		{lint.Handoff, lint.Handoff, false, look, true},
	} {
		r := flags("word")
		r.Profiles, r.Files = c.profiles, c.files
		in := document("word\n")
		in.Look = c.look
		if list := lint.Document(&in, []*lint.Rule{r}, &lint.Settings{Profile: c.set}); len(list) > 0 != c.runs {
			t.Errorf("rule for %d in a document of %d, files %t, to look at %t: %d findings", c.profiles, c.set, c.files, c.look != nil, len(list))
		}
	}
}

// TestProfile: the frontmatter decides what a document is, then the settings,
// then what it looks like.
func TestProfile(t *testing.T) {
	const done, open, next = "# Phase 1 (complete)\n", "# Phase 1\n", "\n## Immediate Next Action\n\ngo on\n"
	both := lint.Handoff | lint.Completion
	for _, c := range []struct {
		src  string
		set  lint.Profiles
		want lint.Profiles
	}{
		{"---\nprofile: handoff\n---\n" + done, lint.Completion, lint.Handoff},
		{"---\nprofile: completion\n---\n" + open + next, lint.Handoff, lint.Completion},
		{"---\ntask: 1\n---\n" + open, lint.Completion, lint.Completion},
		{open + next, lint.Completion, lint.Completion},
		{done, lint.Handoff, lint.Handoff},
		{done, both, lint.Completion},
		{done + next, both, lint.Handoff},
		{open, both, lint.Handoff},
		{open, 0, lint.Handoff},
		{done, 0, lint.Completion},
	} {
		var got lint.Profiles
		r := &lint.Rule{Name: "x", Severity: lint.Error, Check: func(p *lint.Pass) { got = p.Profile }}
		in := document(c.src)
		lint.Document(&in, []*lint.Rule{r}, &lint.Settings{Profile: c.set})
		if got != c.want {
			t.Errorf("settings %d: %q is a %s, want %s", c.set, c.src, got, c.want)
		}
	}
	if lint.Handoff.String() != "handoff" || lint.Completion.String() != "completion" {
		t.Errorf("profiles are named %s and %s", lint.Handoff, lint.Completion)
	}
}

// TestOrder: findings come by line, then column, then rule, and else in the
// order in which they were reported, late rules included.
func TestOrder(t *testing.T) {
	type at struct{ line, col int }
	reports := func(name string, late bool, list ...at) *lint.Rule {
		return &lint.Rule{Name: name, Severity: lint.Error, Late: late, Check: func(p *lint.Pass) {
			for i, a := range list {
				p.Report(lint.Finding{Lines: handoff.Lines{First: a.line, Last: a.line}, Col: a.col, Message: fmt.Sprint(i)})
			}
		}}
	}
	in := document("a\nb\nc\n")
	set := lint.Defaults()
	list := lint.Document(&in, []*lint.Rule{
		reports("z", true, at{1, 2}, at{0, 0}),
		reports("b", false, at{3, 1}, at{1, 2}, at{1, 2}),
		reports("a", false, at{2, 5}, at{1, 3}, at{2, 4}),
	}, &set)
	var got []string
	for _, f := range list {
		got = append(got, fmt.Sprintf("%d:%d %s%s", f.Lines.First, f.Col, f.Rule, f.Message))
	}
	want := []string{"0:0 z1", "1:2 b1", "1:2 b2", "1:2 z0", "1:3 a1", "2:4 a2", "2:5 a0", "3:1 b0"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestPass: a finding at lines covers them whole, and one about the file has no
// place.
func TestPass(t *testing.T) {
	r := &lint.Rule{Name: "x", Severity: lint.Note, Check: func(p *lint.Pass) {
		p.At(handoff.Lines{First: 1, Last: 2}, "%d lines", 2)
		p.At(handoff.Lines{}, "no line")
		p.File("the file %s", p.Path)
	}}
	in := document("one\nthree\n")
	set := lint.Defaults()
	var got []string
	for _, f := range lint.Document(&in, []*lint.Rule{r}, &set) {
		got = append(got, fmt.Sprintf("%d-%d:%d-%d %s", f.Lines.First, f.Lines.Last, f.Col, f.EndCol, f.Message))
	}
	if want := []string{"0-0:0-0 no line", "0-0:0-0 the file a.md", "1-2:1-6 2 lines"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestRedact: no finding repeats a secret of the document, whatever its rule
// quotes, and one that quotes none does not change.
func TestRedact(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	quotes := &lint.Rule{Name: "x", Severity: lint.Error, Check: func(p *lint.Pass) { p.File("quotes %s", p.Doc.Line(1)) }}
	set := lint.Defaults()
	for src, want := range map[string]string{"use " + secret + "\n": "", "use nothing\n": "quotes use nothing"} {
		in := document(src)
		list := lint.Document(&in, []*lint.Rule{quotes}, &set)
		if len(list) != 1 {
			t.Fatalf("%d findings", len(list))
		}
		if got := list[0].Message; strings.Contains(got, secret) || !strings.HasPrefix(got, "quotes use ") || want != "" && got != want {
			t.Errorf("%q gives %q", src, got)
		}
	}
}
