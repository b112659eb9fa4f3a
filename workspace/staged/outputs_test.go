package staged

import (
	"strings"
	"testing"

	"handoff/lint"
)

func TestOwner(t *testing.T) {
	for file, want := range map[string]string{
		".handoff/threads/x.jsonl": "", "a/b/.handoff/tape/x": "a/b", ".rip/artifacts/blobs/0": "", "a/.rip/x": "a",
		"a/.handoff": "-", ".handoff.yaml": "-", "specs/1_x/handoffs/a.md": "-", "x.handoff/a": "-",
	} {
		root, ok := owner(file)
		if !ok {
			root = "-"
		}
		if root != want {
			t.Errorf("%s: %q, want %q", file, root, want)
		}
	}
}

// TestManySecrets: a file with many secrets has a list that can be read.
func TestManySecrets(t *testing.T) {
	list := secretsIn("x", strings.Repeat("a\nAKIAIOSFODNN7EXAMPLQ\n", 100), lint.Error)
	if len(list) != mostSecrets || list[1].Lines.First != 4 || strings.Contains(list[0].Message, "AKIA") {
		t.Errorf("%d: %+v", len(list), list[:2])
	}
}
