package tree

import (
	"fmt"
	"strings"
	"testing"
)

// TestDeepTrees: the text of a chain grows with its nodes, not with their square, and has each of them once, after its
// parent.
func TestDeepTrees(t *testing.T) {
	root := &Node{ID: "n0."}
	last := root
	for i := range 10_000 {
		next := &Node{ID: fmt.Sprintf("n%d.", i+1)}
		last.Children = []*Node{next}
		last = next
	}
	text := Text(root)
	if most := 10_000 * (4*maxIndent + 20); len(text) > most {
		t.Errorf("%d bytes, want at most %d", len(text), most)
	}
	if want := "└─ n59.\n… level 61, below n59.:\n└─ n60.\n   └─ n61.\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in %.6000s", want, text)
	}
	if n := strings.Count(text, "n9999.\n"); n != 1 || strings.Count(text, "\n") != 10_001+10_000/maxIndent {
		t.Errorf("%d times, %d lines", n, strings.Count(text, "\n"))
	}
}
