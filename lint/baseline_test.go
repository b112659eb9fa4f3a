package lint_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/lint"

	"github.com/google/go-cmp/cmp"
)

// found makes findings of the rules, in that order.
func found(rules ...string) []lint.Finding {
	var list []lint.Finding
	for i, r := range rules {
		list = append(list, lint.Finding{Rule: r, Lines: handoff.Lines{First: i + 1, Last: i + 1}})
	}
	return list
}

func names(list []lint.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, f.Rule)
	}
	return strings.Join(out, " ")
}

func parsed(t *testing.T, src string) *lint.Baseline {
	t.Helper()
	b, err := lint.ParseBaseline("baseline.json", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBaselineFilter(t *testing.T) {
	for _, c := range []struct {
		name, known, found, kept string
	}{
		{"nothing known", "", "a b", "a b"},
		{"as many as counted", "a a b", "a b a", ""},
		{"fewer", "a a a", "a", ""},
		{"more shows all of that rule", "a b", "a b a", "a a"},
		{"another rule", "a", "a b", "b"},
		{"none found", "a", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b lint.Baseline
			b.Add("x.md", found(strings.Fields(c.known)...))
			in := found(strings.Fields(c.found)...)
			before := slices.Clone(in)
			kept, hidden := b.Filter("x.md", in)
			if got := names(kept); got != c.kept {
				t.Errorf("kept %q, want %q", got, c.kept)
			}
			if hidden != len(in)-len(kept) {
				t.Errorf("hidden %d of %d, but kept %d", hidden, len(in), len(kept))
			}
			if diff := cmp.Diff(before, in); diff != "" {
				t.Errorf("Filter changed its argument:\n%s", diff)
			}
			if kept, _ := b.Filter("other.md", in); len(kept) != len(in) {
				t.Errorf("another file: kept %d of %d", len(kept), len(in))
			}
		})
	}
}

func TestBaselinePruned(t *testing.T) {
	var b lint.Baseline
	b.Add("paid.md", found("a", "b"))
	b.Add("partly.md", found("a", "a", "a", "b"))
	b.Add("worse.md", found("a"))
	b.Add("unchecked.md", found("a", "a"))
	untouched := string(b.Bytes())
	b.Filter("paid.md", nil)
	b.Filter("partly.md", found("a", "b"))
	b.Filter("worse.md", found("a", "a", "new"))

	if diff := cmp.Diff([]string{
		"paid.md: a: 1 counted, 0 found",
		"paid.md: b: 1 counted, 0 found",
		"partly.md: a: 3 counted, 1 found",
	}, b.Stale()); diff != "" {
		t.Errorf("stale (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"unchecked.md"}, b.Unchecked()); diff != "" {
		t.Errorf("unchecked (-want +got):\n%s", diff)
	}
	want := `{
  "version": 1,
  "files": {
    "partly.md": {
      "a": 1,
      "b": 1
    },
    "unchecked.md": {
      "a": 2
    },
    "worse.md": {
      "a": 1
    }
  }
}
`
	if diff := cmp.Diff(want, string(b.Pruned().Bytes())); diff != "" {
		t.Errorf("pruned (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(untouched, string(b.Bytes())); diff != "" {
		t.Errorf("Pruned changed the baseline it was made of:\n%s", diff)
	}
}

// A written baseline is read back the same, whatever a path contains.
func TestBaselineRoundTrip(t *testing.T) {
	var b lint.Baseline
	for _, path := range []string{"a <b> & \"c\".md", "é\n水.md", "broken\xff\xfename.md"} {
		b.Add(path, found("a", "a", "long-document"))
	}
	again := parsed(t, string(b.Bytes()))
	if diff := cmp.Diff(string(b.Bytes()), string(again.Bytes())); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if kept, hidden := again.Filter("broken\xff\xfename.md", found("a", "a")); len(kept) > 0 || hidden != 2 {
		t.Errorf("a path that is no UTF-8: kept %d, hidden %d", len(kept), hidden)
	}
	if got := string(new(lint.Baseline).Bytes()); got != "{\n  \"version\": 1,\n  \"files\": {}\n}\n" {
		t.Errorf("empty baseline is %q", got)
	}
	parsed(t, string(new(lint.Baseline).Bytes()))
}

func TestParseBaselineErrors(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{``, `baseline.json:1:1: invalid: end of the file: want a value`},
		{`{"version":1`, `baseline.json:1:13: invalid: end of the file: want ',' or '}'`},
		{"{\n  \"version\": 1,\n}", `baseline.json:3:1: invalid: a comma before the closing bracket: remove it`},
		{`{"version":1,"files":{}} x`, `baseline.json:1:26: invalid: 'x' after the end of the value`},
		{"{\"version\":1,\n\"files\":{\"\xff\":{}}}", `baseline.json:2:11: invalid: byte 0xff is not UTF-8`},
		{`[]`, `baseline.json:1:1: invalid: a baseline must be an object: write {…}`},
		{`null`, `baseline.json:1:1: invalid: a baseline must be an object: write {…}`},
		{`{"files":{}}`, `baseline.json:1:1: invalid: no version: write "version": 1`},
		{`{"version":1}`, `baseline.json:1:1: invalid: no files: write "files": {}`},
		{`{"version":2,"files":{}}`, `baseline.json:1:12: invalid: version is not 1: a newer handoff may read it`},
		{`{"version":"1","files":{}}`, `baseline.json:1:12: invalid: version is not 1: a newer handoff may read it`},
		{`{"version":1,"rules":{}}`, `baseline.json:1:14: invalid: unknown key "rules" (version, files)`},
		{"{\"version\":1,\n \"files\": []}", `baseline.json:2:11: invalid: files must be an object: write {…}`},
		{`{"version":1,"files":{"a.md":3}}`, `baseline.json:1:30: invalid: a file must be an object: write {…}`},
		{`{"version":1,"files":{"a.md":{"r":0}}}`, `baseline.json:1:35: invalid: count of "r" must be a whole number above 0`},
		{`{"version":1,"files":{"a.md":{"r":1.5}}}`, `baseline.json:1:35: invalid: count of "r" must be a whole number above 0`},
		{`{"version":1,"files":{"a.md":{"r":"1"}}}`, `baseline.json:1:35: invalid: count of "r" must be a whole number above 0`},
		{`{"version":1,"files":{"a.md":{"r":1,"r":2}}}`, `baseline.json:1:37: invalid: duplicate key "r"`},
		{`{"version":1,"files":{"a.md":{},"a.md":{}}}`, `baseline.json:1:33: invalid: duplicate key "a.md"`},
	} {
		_, err := lint.ParseBaseline("baseline.json", []byte(c.src))
		if err == nil || err.Error() != c.want {
			t.Errorf("%q\n got %v\nwant %s", c.src, err, c.want)
		}
		if !errors.Is(err, handoff.ErrInvalid) {
			t.Errorf("%q: not ErrInvalid", c.src)
		}
	}
}

func FuzzParseBaseline(f *testing.F) {
	f.Add([]byte(`{"version":1,"files":{"a.md":{"r":2}}}`))
	f.Add([]byte("{\"files\":{},\n\"version\":1}"))
	f.Fuzz(func(t *testing.T, src []byte) {
		b, err := lint.ParseBaseline("f", src)
		if err != nil {
			if !errors.Is(err, handoff.ErrInvalid) {
				t.Fatalf("%v is not ErrInvalid", err)
			}
			return
		}
		again, err := lint.ParseBaseline("f", b.Bytes())
		if err != nil || string(again.Bytes()) != string(b.Bytes()) {
			t.Fatalf("%q comes back as %q, %v", b.Bytes(), again.Bytes(), err)
		}
	})
}

// TestBaselineAdopt keeps the counts of files that were not checked.
func TestBaselineAdopt(t *testing.T) {
	var old, now lint.Baseline
	old.Add("a.md", []lint.Finding{{Rule: "x"}, {Rule: "x"}})
	old.Add("b.md", []lint.Finding{{Rule: "y"}})
	now.Add("a.md", []lint.Finding{{Rule: "z"}})
	now.Adopt(&old)
	var want lint.Baseline
	want.Add("a.md", []lint.Finding{{Rule: "z"}})
	want.Add("b.md", []lint.Finding{{Rule: "y"}})
	if got := string(now.Bytes()); got != string(want.Bytes()) {
		t.Errorf("adopted:\n%s", got)
	}
}
