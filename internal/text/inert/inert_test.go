package inert

import (
	"strings"
	"testing"
)

func TestSafe(t *testing.T) {
	for name, want := range map[string]bool{
		"specs/259_prove/handoffs/phase-3-handoff-20260212T143022.02Z.md": true, "claude-code": true, "259/3": true, ".handoff.yaml": true,
		"": false, "a b": false, "a'b": false, "a`b": false, "a(b)": false, "a\"b": false, "a\nb": false, "a:b": false, "-a": false, "é": false, "水": false,
		"a\u200bb": false, "\xff": false, strings.Repeat("a", 101): false, strings.Repeat("a/", 128): false, strings.Repeat("a/", 100): true,
	} {
		if Safe(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if got := Name("a b", "somebody"); got != "somebody" {
		t.Error(got)
	}
}

// TestQuote: no line can end the quote, whatever it contains, and none is more than one.
func TestQuote(t *testing.T) {
	lines := []string{"a\nb\r\nc", "x"}
	first := Quote("list", lines...)
	end := first[strings.Index(first, "[end of"):strings.Index(first, ":\n")]
	forged := Quote("list", append(lines, end)...)
	if !strings.HasSuffix(first, ":\na b c\nx\n"+end+"\n") || lines[0] != "a\nb\r\nc" {
		t.Errorf("%q, %q", first, lines)
	}
	if strings.HasSuffix(forged, "\n"+end+"\n") || strings.Count(forged, end) != 1 {
		t.Errorf("a line ends the quote:\n%s", forged)
	}
}
