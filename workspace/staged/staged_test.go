package staged

import (
	"fmt"
	"slices"
	"testing"

	"handoff/internal/file/gitindex"
)

// TestTouched: of which workspace and task a file is.
func TestTouched(t *testing.T) {
	files := []string{
		"README.md", "specs/README.md", "specs/handoffs/x.md", "specs/.hidden/1_a/x.md", "specs/node_modules/1_a/x.md", "docs/1_a/x.md",
		"specs/1_a/.return-meta.json", "specs/1_a/handoffs/x.md", "specs/archive/2_b/plans/x.md", "specs/2_b",
		"sub/specs/3_c/handoffs/below/x.md", "sub/specs/3_c/specs/4_d/x.md", "sub/specs/specs/5_e/x.md", "sub/specs/specs/x.md",
	}
	var got []string
	for _, g := range touched(files) {
		got = append(got, fmt.Sprintf("%q %q", g.root, g.tasks))
	}
	want := []string{`"" ["specs/1_a" "specs/archive/2_b"]`, `"sub" ["sub/specs/3_c"]`, `"sub/specs" ["sub/specs/specs/5_e"]`}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestIndex: names are sorted and there once, whatever git sorts before a slash.
func TestIndex(t *testing.T) {
	x := index{prefix: "sub/"}
	for _, p := range []string{"sub/specs/1_a.md", "sub/specs/1_a/handoffs/x.md", "sub/specs/1_a/handoffs/y.md", "sub/specs/1_a/plan", "sub/specs/1_ab/x"} {
		x.entries = append(x.entries, gitindex.Entry{Path: p})
	}
	if got, want := x.names("specs"), []string{"1_a", "1_a.md", "1_ab"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := x.names("specs/1_a"), []string{"handoffs", "plan"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !x.folder("specs/1_a/") || x.folder("specs/1_a/plan") || x.folder("specs/1") {
		t.Error("folders")
	}
}
