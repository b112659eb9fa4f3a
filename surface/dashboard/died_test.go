package dashboard

import (
	"context"
	"strings"
	"testing"
	"time"

	"handoff/workspace/unreported"
)

// TestDied: the first page shows the session that died last, also in a tree without tasks, and the command
// that drafts from it.
func TestDied(t *testing.T) {
	one := &unreported.Session{Agent: "claude", Short: "8463", Why: "usage limit <b>", At: clock.Add(-2 * time.Hour), Command: "handoff draft --session 8463 --save"}
	died := one
	s := newSite(t, func(c *Config) { c.Died = func(context.Context) *unreported.Session { return died } })
	text := s.content("/")
	for _, want := range []string{"claude 8463 ended in the middle 2h ago and left no handoff: usage limit &lt;b&gt;", "handoff draft --session 8463 --save", "No tasks yet"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
	died = nil
	if text := s.content("/"); strings.Contains(text, "8463") {
		t.Errorf("none died:\n%s", text)
	}
}
