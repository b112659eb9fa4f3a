package hooks_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/host"
	"handoff/surface/hooks"
	"handoff/workspace/config"
	"handoff/workspace/trust"
)

// TestStranger: what another user has left in a folder is not delivered, and nothing is
// written there.
func TestStranger(t *testing.T) {
	root := treeOf(t, false)
	answer := func(err error) string {
		o := options()
		o.Trust = func(string, config.Config) error { return err }
		return string(answered(t.Context(), hooks.Call{Within: patience, Event: host.SessionStart, Host: "claude", Dir: root,
			Stdin: strings.NewReader(`{"session_id": "a", "source": "startup"}`), Getenv: func(string) string { return "" }, Options: o}))
	}
	if got := answer(trust.ErrStranger); got != "" {
		t.Errorf("delivered %q", got)
	}
	if _, err := os.Stat(filepath.Join(root, ".handoff")); err == nil {
		t.Error("something was written there")
	}
	if got := answer(trust.ErrNotTrusted); !strings.Contains(got, "259") { // its own, which has no store
		t.Errorf("delivered %q", got)
	}
}
