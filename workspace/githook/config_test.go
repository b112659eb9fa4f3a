package githook

import (
	"errors"
	"strings"
	"testing"
)

// TestConfigurations: what a configuration says stays the same, or it is refused; without
// our part it is the file that it was.
func TestConfigurations(t *testing.T) {
	for _, c := range []struct {
		name, src string
		owner     *owner
		refused   bool
	}{
		{"empty", "", lefthook, false},
		{"comments", "# pre-commit:\n#   jobs:\n", lefthook, false},
		{"other hooks", "pre-push: {jobs: [{run: x}]}\ncolors: false\n", lefthook, false},
		{"no line end", "colors: false", lefthook, false},
		{"CRLF", "colors: false\r\n", lefthook, false},
		{"such a key", "pre-commit:\n  parallel: true\n", lefthook, true},
		{"such a key, quoted", "\"pre-merge-commit\":\n", lefthook, true},
		{"flow", "{colors: false}\n", lefthook, true},
		{"two documents", "colors: false\n---\ncolors: true\n", lefthook, true},
		{"a list", "- x\n", lefthook, true},
		{"open text", "x: |\n  pre\n", lefthook, false},
		{"no YAML", "x: [\n", lefthook, true},
		{"a damaged part of ours", begin + "\npre-commit:\n", lefthook, true},

		{"indented", "repos: # mine\n  - repo: local\n    hooks: []\n", preCommit, false},
		{"not indented", "exclude: x\nrepos:\n\n- repo: local\n  hooks: []\nfail_fast: true\n", preCommit, false},
		{"deep", "repos:\n# c\n      - repo: local\n        hooks: []\n", preCommit, false},
		{"nothing in it", "repos:\n", preCommit, true},
		{"no repos", "exclude: x\n", preCommit, true},
		{"in one line", "repos: [{repo: local, hooks: []}]\n", preCommit, true},
		{"below another key", "x:\n  repos:\n    - repo: local\n", preCommit, true},
		{"an anchor", "repos: &a\n  - repo: local\n", preCommit, true},
	} {
		change := change{file: "f", old: c.src, new: "unchanged", exists: true}
		err := target{owner: c.owner, file: "f"}.addToConfig(&change)
		if byHand, is := errors.AsType[*ByHandError](err); is != c.refused || !is && err != nil || is && (!strings.Contains(byHand.Lines, check) || change.new != "unchanged") {
			t.Errorf("%s: %v\n%s", c.name, err, change.new)
		}
		if c.refused {
			continue
		}
		before, part, after := cut(change.new)
		if strings.TrimSuffix(before+after, "\n") != strings.TrimSuffix(c.src, "\n") || strings.Count(part, optional) == 0 || !closed(part) {
			t.Errorf("%s: %q", c.name, change.new)
		}
		again := change
		again.old = change.new
		if err := (target{owner: c.owner}).addToConfig(&again); err != nil || again.new != change.new || again.step.Verb != "kept" {
			t.Errorf("%s: again: %v %+v", c.name, err, again)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ src, before, block, after string }{
		{"a\nb", "a\nb", "", ""},
		{"a\n" + block + "b", "a\n", block, "b"},
		{"a\n  " + begin + "\r\n  x\r\n  " + end + "\r\nb", "a\n", "  " + begin + "\r\n  x\r\n  " + end + "\r\n", "b"},
		{begin + "\nx", "", begin + "\nx", ""},
		{"a " + begin + "\n" + end, "a " + begin + "\n" + end, "", ""},
	} {
		if before, part, after := cut(c.src); before != c.before || part != c.block || after != c.after {
			t.Errorf("%q: %q %q %q", c.src, before, part, after)
		}
	}
}
