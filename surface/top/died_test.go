package top

import (
	"context"
	"strings"
	"testing"
	"time"

	"handoff/workspace/unreported"
)

// TestDied: the session that died last is on the screen, and one key drafts from it, after the command is shown.
func TestDied(t *testing.T) {
	m := modelOf(t, 1)
	if keys(m, "d"); m.ask != nil || !strings.Contains(m.note, "no session") {
		t.Errorf("without one: %v %q", m.ask, m.note)
	}
	one := &unreported.Session{Agent: "claude", Short: "8463", Why: "usage limit \x1b[2J", At: start.Add(-2 * time.Hour), Draft: []string{"handoff", "draft", "--session", "8463", "--save"}}
	m.o.Died, m.o.Self = func(context.Context) *unreported.Session { return one }, "/bin/true"
	m.died, m.note = m.lookDied(), ""
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "d drafts: claude 8463 ended in the middle 2h ago") || strings.Contains(text, "\x1b[2J") {
		t.Errorf("%s", text)
	}
	keys(m, "d")
	if text := strings.Join(plain(m), "\n"); !strings.Contains(text, "run `handoff draft --session 8463 --save`?") {
		t.Errorf("%s", text)
	}
	if keys(m, "n"); m.died == nil || m.note != "not run" {
		t.Errorf("another key: %q", m.note)
	}
	if run := keys(m, "d", "y"); run == nil || m.died != nil {
		t.Error("y does not run it")
	}
}
