package rules

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/lint"
)

var update = flag.Bool("update", false, "write what the rules find into the archives")

// TestRules runs each rule over the cases of its archive.
func TestRules(t *testing.T) {
	for _, r := range All {
		t.Run(r.Name, func(t *testing.T) { testRule(t, r) })
	}
}

func testRule(t *testing.T, r *lint.Rule) {
	a := readArchive(t, r.Name+lint.ArchiveExt)
	if strings.TrimSpace(string(a.Comment)) == "" {
		t.Error("the archive opens without documentation")
	}
	for _, name := range []string{"bad.md", "good.md"} {
		if a.find(name) == nil {
			t.Errorf("the archive has no %s", name)
		}
	}
	fixes := false
	for i := range a.cases {
		c := &a.cases[i]
		t.Run(c.name, func(t *testing.T) { fixes = a.check(t, r, c) || fixes })
	}
	if fixes != r.Fixable {
		t.Errorf("Fixable is %t, but that some case offers an edit or a new name is %t", r.Fixable, fixes)
	}
	if *update {
		a.write(t)
	}
}

// check runs one case and reports whether any finding offers a fix.
func (a *archive) check(t *testing.T, r *lint.Rule, c *testCase) (fixes bool) {
	in := c.input
	in.Doc = read([]byte(c.source))
	list := found(&in, r, &c.set)
	got := render(list)
	for _, f := range list {
		checkPlace(t, in.Doc, f)
	}
	fixed, hasFix := fix(t, in, r, c, list)
	if *update {
		a.put(c.name, ".want", got)
		a.put(c.name, ".fixed", c.encode(fixed))
	} else {
		compare(t, c.name+".want", c.want, got)
		if hasFix != c.hasFix {
			t.Errorf("%s.fixed is there: %t, a finding offers an edit: %t", c.name, c.hasFix, hasFix)
		}
		compare(t, c.name+".fixed", c.fixed, fixed)
	}
	if c.name == "bad" && got == "" || c.name == "good" && got != "" {
		t.Errorf("%s.md finds %q", c.name, got)
	}
	return hasFix || slices.ContainsFunc(list, func(f lint.Finding) bool { return f.Rename != "" })
}

// checkPlace checks that a finding is about the whole file, whole lines, or bytes
// that exist.
func checkPlace(t *testing.T, doc *handoff.Document, f lint.Finding) {
	t.Helper()
	switch first, last := f.Lines.First, f.Lines.Last; {
	case first == 0 && last == 0 && f.Col == 0 && f.EndCol == 0:
	case first < 1 || last < first || last > max(doc.NumLines(), 1):
		t.Errorf("%+v is at lines that do not exist", f)
	case f.Col == 0 && f.EndCol == 0:
	case f.Col < 1 || f.Col > len(doc.Line(first))+1 || f.EndCol < 1 || f.EndCol > len(doc.Line(last))+2 || first == last && f.EndCol < f.Col:
		t.Errorf("%+v is at columns that do not exist", f)
	}
}

// found is what one rule finds. A late rule sees what the others did, so for
// it all of them run.
func found(in *lint.Input, r *lint.Rule, set *lint.Settings) []lint.Finding {
	list := lint.Document(in, scope(r), set)
	return slices.DeleteFunc(list, func(f lint.Finding) bool { return f.Rule != r.Name })
}

func scope(r *lint.Rule) []*lint.Rule {
	if r.Late {
		return All
	}
	return []*lint.Rule{r}
}

// fix applies a rule's edits, if it has any, and checks that none is left.
func fix(t *testing.T, in lint.Input, r *lint.Rule, c *testCase, list []lint.Finding) (string, bool) {
	if !slices.ContainsFunc(list, offersEdit) {
		return "", false
	}
	fixed, n := lint.Fix(in, scope(r), &c.set, read)
	if n == 0 {
		t.Errorf("the edits of %s.md do not come to rest", c.name)
	}
	in.Doc = read([]byte(fixed))
	if again := found(&in, r, &c.set); slices.ContainsFunc(again, offersEdit) {
		t.Errorf("the fixed %s.md still offers an edit:\n%s", c.name, render(again))
	}
	return fixed, true
}

func offersEdit(f lint.Finding) bool { return len(f.Edits) > 0 }

func compare(t *testing.T, name, want, got string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot:\n%s\nwant:\n%s", name, got, want)
	}
}

// TestArchives expects an archive for each rule and a rule for each archive.
func TestArchives(t *testing.T) {
	for _, r := range All {
		if _, ok := Docs.Archive(r.Name); !ok {
			t.Errorf("rule %s has no archive", r.Name)
		}
		if s := Docs.Summary(r.Name); s == "" || strings.Contains(s, "\n") {
			t.Errorf("rule %s: summary %q", r.Name, s)
		}
		if Find(r.Name) != r {
			t.Errorf("Find(%q) is another rule: the name is taken twice", r.Name)
		}
	}
	for _, name := range Docs.Names() {
		if Find(name) == nil {
			t.Errorf("%s.txtar has no rule in All", name)
		}
	}
}

// TestNoPanic runs every rule alone over every document of all archives, and
// all rules together until no edit is left.
func TestNoPanic(t *testing.T) {
	files, err := filepath.Glob("*" + lint.ArchiveExt)
	if err != nil || len(files) == 0 {
		t.Fatal("no archives", err)
	}
	for _, file := range files {
		for _, c := range readArchive(t, file).cases {
			in := c.input
			in.Doc = read([]byte(c.source))
			for _, r := range All {
				lint.Document(&in, []*lint.Rule{r}, &c.set)
				if list := found(&in, r, &c.set); slices.ContainsFunc(list, offersEdit) {
					fix(t, in, r, &c, list)
				}
			}
			all := lint.Document(&in, All, &c.set)
			if _, n := lint.Fix(in, All, &c.set, read); n == 0 && slices.ContainsFunc(all, offersEdit) {
				t.Errorf("%s: %s.md: the edits of all rules together do not come to rest", file, c.name)
			}
		}
	}
}

// seed parses a document of the handoff schema as if it were in its usual place.
func seed(t testing.TB, file string) *lint.Input {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	c := testCase{}
	c.givePath(defaultPath)
	if c.input.Now, err = time.Parse(time.RFC3339, defaultNow); err != nil {
		t.Fatal(err)
	}
	c.input.Siblings = []string{c.input.Name.Base}
	c.input.Doc = read(source)
	return &c.input
}

// TestExample lints the schema's own example, which breaks no rule.
func TestExample(t *testing.T) {
	set := lint.Defaults()
	if got := render(lint.Document(seed(t, "example.md"), All, &set)); got != "" {
		t.Errorf("the schema's example:\n%s", got)
	}
}

// TestTemplate makes sure that the blank template cannot be used as a handoff:
// its title and each of its sections break some rule with an error.
func TestTemplate(t *testing.T) {
	in, set := seed(t, "template.md"), lint.Defaults()
	list := lint.Document(in, All, &set)
	parts := map[string]handoff.Lines{"the title": in.Doc.Title.Lines}
	for i := range in.Doc.Sections {
		parts[in.Doc.Sections[i].Kind.String()] = in.Doc.Sections[i].Lines
	}
	if len(parts) != 7 {
		t.Fatalf("the template has %d parts, not a title and six sections", len(parts))
	}
	for name, lines := range parts {
		if !slices.ContainsFunc(list, func(f lint.Finding) bool {
			return f.Severity == lint.Error && lines.Has(f.Lines.First)
		}) {
			t.Errorf("nothing is found in %s of the blank template", name)
		}
	}
}

// TestNoAllocation keeps the common case, a document without fault, free of
// garbage.
func TestNoAllocation(t *testing.T) {
	in, set := seed(t, "example.md"), lint.Defaults()
	for _, r := range All {
		one := []*lint.Rule{r}
		base := testing.AllocsPerRun(10, func() { lint.Document(in, nil, &set) })
		if n := testing.AllocsPerRun(10, func() { lint.Document(in, one, &set) }); n > base {
			t.Errorf("%s: %v allocations where nothing is found", r.Name, n-base)
		}
	}
}

// BenchmarkAll runs all rules over a document without fault.
func BenchmarkAll(b *testing.B) {
	in, set := seed(b, "example.md"), lint.Defaults()
	b.ReportAllocs()
	for b.Loop() {
		lint.Document(in, All, &set)
	}
}

// BenchmarkRule shows which rule takes how long.
func BenchmarkRule(b *testing.B) {
	in, set := seed(b, "example.md"), lint.Defaults()
	for _, r := range All {
		one := []*lint.Rule{r}
		b.Run(r.Name, func(b *testing.B) {
			for b.Loop() {
				lint.Document(in, one, &set)
			}
		})
	}
}
