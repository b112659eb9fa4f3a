package drain_test

import (
	"context"
	"testing"
	"time"

	"handoff/workspace"
	"handoff/workspace/drain"
)

// TestKeepOpensLittle: a program that runs for days, with nothing to send, looks at one folder and
// does not open its workspace at each look.
func TestKeepOpensLittle(t *testing.T) {
	const every = time.Millisecond
	root, opened := t.TempDir(), 0
	ctx, cancel := context.WithCancel(t.Context())
	begin := time.Now()
	drain.Keeper{Every: every, Say: func(text string) { t.Error(text) }, Open: func() (*workspace.Workspace, error) {
		if opened++; opened == 20 {
			cancel()
		}
		return workspace.Open(root, workspace.Options{})
	}}.Keep(ctx)
	if looks := int(time.Since(begin) / every); opened > 2+looks/10 {
		t.Errorf("opened %d times in at most %d looks", opened, looks)
	}
}
