package spawn

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/agents"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

var now = time.Date(2026, 11, 27, 1, 40, 0, 0, time.UTC)

// env is an environment with a home folder of its own.
func env(t *testing.T, more ...string) func(string) string {
	t.Helper()
	home := t.TempDir()
	return func(name string) string {
		for _, v := range append([]string{"HOME=" + home}, more...) {
			if n, value, _ := strings.Cut(v, "="); n == name {
				return value
			}
		}
		return ""
	}
}

// TestHeld: an account is held until its time, in all repositories, and no other account is.
func TestHeld(t *testing.T) {
	getenv, ctx := env(t), context.Background()
	claude, codex := agents.Agent{Name: "claude", Transcripts: agents.Transcripts{Env: "CLAUDE_CONFIG_DIR"}}, agents.Agent{Name: "codex"}
	if err := KeepHold(ctx, getenv, claude, now.Add(time.Hour), "hit your limit, token=abcdefgh", now); err != nil {
		t.Fatal(err)
	}
	h, held := HoldOf(getenv, claude, now)
	if !held || !h.Until.Equal(now.Add(time.Hour)) || strings.Contains(h.Why, "abcdefgh") {
		t.Errorf("%+v", h)
	}
	if _, held := HoldOf(getenv, codex, now); held {
		t.Error("another agent is held")
	}
	second := func(name string) string {
		if name == "CLAUDE_CONFIG_DIR" {
			return "/second"
		}
		return getenv(name)
	}
	if _, held := HoldOf(second, claude, now); held {
		t.Error("another account is held")
	}
	if _, held := HoldOf(getenv, claude, now.Add(time.Hour)); held {
		t.Error("held when its time has come")
	}
	if err := KeepHold(ctx, second, claude, now.Add(2*time.Hour), "", now); err != nil {
		t.Fatal(err)
	}
	if err := FreeHold(ctx, getenv, claude); err != nil {
		t.Fatal(err)
	}
	if _, held := HoldOf(getenv, claude, now); held {
		t.Error("not freed")
	}
	if _, held := HoldOf(second, claude, now); !held {
		t.Error("another account was freed")
	}
}

// TestTogether: two processes that hold accounts at once lose none; a damaged file is set aside; and
// without a place nothing fails.
func TestTogether(t *testing.T) {
	getenv, ctx := env(t), context.Background()
	dir := filepath.Dir(holdsFile(getenv))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(holdsFile(getenv), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		all.Go(func() {
			if err := KeepHold(ctx, getenv, agents.Agent{Name: name}, now.Add(time.Hour), "", now); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, name := range []string{"a", "b", "c", "d"} {
		if _, held := HoldOf(getenv, agents.Agent{Name: name}, now); !held {
			t.Errorf("%s is not held", name)
		}
	}
	if aside, _ := filepath.Glob(holdsFile(getenv) + ".aside-*"); len(aside) != 1 {
		t.Errorf("set aside: %q", aside)
	}
	nowhere := func(string) string { return "" }
	if err := KeepHold(ctx, nowhere, agents.Agent{Name: "a"}, now, "", now); err != nil {
		t.Error(err)
	}
	if _, held := HoldOf(nil, agents.Agent{Name: "a"}, now); held {
		t.Error("held without a place")
	}
}
