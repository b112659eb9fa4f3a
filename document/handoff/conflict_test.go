package handoff_test

import (
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
)

func TestConflicts(t *testing.T) {
	type lines = []handoff.Lines
	for _, c := range []struct {
		name, text string
		want       lines
	}{
		{"none", "# T\n\ntext\n=======\n", nil},
		{"one", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> c\n", lines{{1, 5}}},
		{"CRLF and no labels", "x\r\n<<<<<<<\r\na\r\n=======\r\nb\r\n>>>>>>>", lines{{2, 6}}},
		{"a heading in one version", "<<<<<<< A\na\n=======\nb\n=======\nc\n>>>>>>> c\n", lines{{1, 7}}},
		{"two", "<<<<<<< A\n=======\n>>>>>>> c\nx\n<<<<<<< A\n=======\n>>>>>>> c\n", lines{{1, 3}, {5, 7}}},
		{"the end is missing before another", "<<<<<<< A\na\n<<<<<<< A\n=======\n>>>>>>> c\n", lines{{1, 1}, {3, 5}}},
		{"the middle is missing", "<<<<<<< A\na\n>>>>>>> c\n", lines{{3, 3}, {1, 1}}},
		{"the base alone", "a\n||||||| 5bce1d1\n", lines{{2, 2}}},
		{"no markers", "<<<<<<<A\n<<<<<<<< A\n <<<<<<< A\n`<<<<<<< A`\n======= A\n>>>>>>>\tx\n", nil},
	} {
		if got := slices.Collect(parse.Document([]byte(c.text)).Conflicts); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	conflict := parse.Document([]byte("a\n>>>>>>> c\n")).Undeliverable("x.md")
	if text := "x.md has an unresolved merge conflict in line 2: "; conflict == nil || !strings.HasPrefix(conflict.Error(), text) {
		t.Errorf("%v, want %q…", conflict, text)
	}
	refused := parse.Document([]byte("\xff\xfe#\x00 \x00T\x00")).Undeliverable("x.md")
	if text := "x.md is UTF-16, as some programs on Windows write text: "; refused == nil || !strings.HasPrefix(refused.Error(), text) || refused.Needs() != "save it as UTF-8" {
		t.Errorf("%v, want %q…", refused, text)
	}
	if c := parse.Document([]byte("# Pr\xfcfung\n\nRun `a`.\n")).Undeliverable("x.md"); c != nil {
		t.Errorf("a byte that is not UTF-8: %v", c)
	}
	if c := (*handoff.Document)(nil).Undeliverable("x.md"); c != nil {
		t.Error(c)
	}
}
