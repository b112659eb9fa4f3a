package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"handoff/lint"
)

// TestAllow: an allow before the first section applies to the document, one in
// a section to that section, and a malformed one to nothing.
func TestAllow(t *testing.T) {
	const sections = "# T\n\nword\n\n## One\n\nword\n\nother\n\n## Two\n\nword\n"
	for _, c := range []struct{ name, old, with, want string }{
		{"none", "", "", "word:3 word:7 other:9 word:13"},
		{"before the first section", "# T\n", "# T\n<!-- handoff-lint allow word: why -->\n", "other:10"},
		{"in a section", "## One\n", "## One\n<!-- handoff-lint allow word: why -->\n", "word:3 other:10 word:14"},
		{"in the last section", "## Two\n", "## Two\n<!-- handoff-lint allow word: why -->\n", "word:3 word:7 other:9"},
		{"another rule", "## One\n", "## One\n<!-- handoff-lint allow other: why -->\n", "word:3 word:8 word:14"},
		{"both", "# T\n", "# T\n<!-- handoff-lint allow word: why -->\n<!-- handoff-lint allow other: why -->\n", ""},
		{"another comment", "# T\n", "# T\n<!-- allow word: why -->\n", "word:4 word:8 other:10 word:14"},
		{"no reason", "# T\n", "# T\n<!-- handoff-lint allow word -->\n", "word:4 word:8 other:10 word:14"},
		{"no rule", "# T\n", "# T\n<!-- handoff-lint allow : why -->\n", "word:4 word:8 other:10 word:14"},
		{"another verb", "# T\n", "# T\n<!-- handoff-lint deny word: why -->\n", "word:4 word:8 other:10 word:14"},
		{"frontmatter", "# T\n", "---\nlint:\n  word: why\n---\n# T\n", "other:13"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := document(strings.Replace(sections, c.old, c.with, 1))
			set := lint.Defaults()
			if got := places(lint.Document(&in, []*lint.Rule{flags("word"), flags("other")}, &set)); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestAllows: a late rule sees which allows there are, whether their rules ran
// and whether they hid a finding.
func TestAllows(t *testing.T) {
	const src = "---\nlint:\n  first: a\n---\n\n# T\n" +
		"<!-- handoff-lint allow word: b -->\n" +
		"<!-- handoff-lint allow switched-off: c -->\n" +
		"<!-- handoff-lint allow needs-files: d -->\n" +
		"<!-- handoff-lint allow unknown: e -->\n" +
		"<!-- handoff-lint allow word -->\n" +
		"<!-- handoff-lint allow : f -->\n" +
		"<!-- handoff-lint -->\n" +
		"<!-- handoff-lint deny -->\n" +
		"word\n\n## One\n\n  <!-- handoff-lint allow word: only here -->\n\nnothing\n"
	off, files := flags("switched-off"), flags("needs-files")
	off.Severity, files.Files = lint.Off, true
	var got []string
	late := &lint.Rule{Name: "late", Severity: lint.Error, Late: true, Check: func(p *lint.Pass) {
		for _, a := range p.Allows {
			got = append(got, fmt.Sprintf("%d:%d %s (%s) in %d-%d, ran %t, used %t, %s", a.Line, a.Col, a.Rule, a.Reason, a.Scope.First, a.Scope.Last, a.Ran, a.Used, a.Malformed))
		}
	}}
	in := document(src)
	set := lint.Defaults()
	lint.Document(&in, []*lint.Rule{late, flags("first"), flags("word"), off, files}, &set)
	want := []string{
		"3:1 first (a) in 0-0, ran true, used true, ",
		"7:1 word (b) in 0-0, ran true, used true, ",
		"8:1 switched-off (c) in 0-0, ran false, used false, ",
		"9:1 needs-files (d) in 0-0, ran false, used false, ",
		"10:1 unknown (e) in 0-0, ran false, used false, ",
		"11:1 word () in 0-0, ran true, used false, allow gives no reason: write \"allow word: why\"",
		"12:1  (f) in 0-0, ran false, used false, allow names no rule",
		"13:1  () in 0-0, ran false, used false, comment says nothing: write \"allow RULE: why\"",
		"14:1  () in 0-0, ran false, used false, comment says \"deny\": write \"allow RULE: why\"",
		"19:3 word (only here) in 17-21, ran true, used false, ",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestUsed: an allow for one section is used by a finding there, and not by one
// elsewhere.
func TestUsed(t *testing.T) {
	for src, want := range map[string]bool{
		"# T\n\n## One\n<!-- handoff-lint allow word: why -->\nword\n\n## Two\n":   true,
		"# T\n\n## One\n<!-- handoff-lint allow word: why -->\n\n## Two\n\nword\n": false,
	} {
		used := false
		late := &lint.Rule{Name: "late", Severity: lint.Error, Late: true, Check: func(p *lint.Pass) { used = p.Allows[0].Used }}
		in := document(src)
		set := lint.Defaults()
		if lint.Document(&in, []*lint.Rule{late, flags("word")}, &set); used != want {
			t.Errorf("%q: used %t", src, used)
		}
	}
}
