package config

import (
	"fmt"
	"strings"
	"testing"
)

// TestConfigOfManyUnknown lists the first unknown rules of a configuration, in
// their order, and counts the rest.
func TestConfigOfManyUnknown(t *testing.T) {
	var src strings.Builder
	src.WriteString("rules:\n")
	for i := range 5000 {
		fmt.Fprintf(&src, "  long-documen%d: off\n", i)
	}
	_, err := Parse("c.yaml", []byte(src.String()), []string{"long-document"})
	if err == nil {
		t.Fatal("no error")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 101 {
		t.Fatalf("%d lines", len(lines))
	}
	for i, line := range lines[:100] {
		if want := fmt.Sprintf("c.yaml:%d:3: unknown rule \"long-documen%d\": did you mean long-document?", i+2, i); line != want {
			t.Fatalf("line %d: %s\nwant %s", i, line, want)
		}
	}
	if want := "c.yaml: and 4900 more problems: only the first 100 are shown"; lines[100] != want {
		t.Errorf("%s\nwant %s", lines[100], want)
	}
}
