package house

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMaySkip: what .ci/run allows to be skipped exists, so that a test that was renamed is not skipped
// for ever under its old name.
func TestMaySkip(t *testing.T) {
	script, err := os.ReadFile(".ci/run")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(script), "\nmay_skip='\n")
	list, _, closed := strings.Cut(rest, "'\n")
	if !found || !closed {
		t.Fatal("there is no list")
	}
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		files, err := filepath.Glob(strings.TrimPrefix(words[0], "handoff/") + "/*_test.go")
		exists := false
		for _, file := range files {
			src, err := os.ReadFile(file)
			exists = exists || err == nil && strings.Contains(string(src), "\nfunc "+words[1]+"(")
		}
		if err != nil || !exists {
			t.Errorf("%s has no %s: %v", words[0], words[1], err)
		}
	}
}
