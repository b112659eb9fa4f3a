package workspace

import "testing"

func TestDetected(t *testing.T) {
	for want, d := range map[string]Detected{
		"HANDOFF.md looks like a handoff: `handoff init --preset single` reads it there":                      {"single", 1, "HANDOFF.md"},
		"docs/handoffs/a.md and 1 more look like handoffs: `handoff init --preset sessions` reads them there": {"sessions", 2, "docs/handoffs/a.md"},
	} {
		if got := d.String(); got != want {
			t.Errorf("%+v prints %q, want %q", d, got, want)
		}
	}
}
