package top

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	tea "charm.land/bubbletea/v2"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/internal/testing/waittest"
	"handoff/workspace"
	"handoff/workspace/overview"
)

// TestFollowElsewhere: a document of a layout that is written is a change.
func TestFollowElsewhere(t *testing.T) {
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, ".handoff.yaml"), []byte("documents: [{preset: single}, {preset: sessions}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	w, err := workspace.Open(root, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	messages, ended := make(chan tea.Msg, 100), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer close(ended)
		follow(ctx, Options{Workspace: w}, new(overview.Board), func(m tea.Msg) { messages <- m })
	}()
	want := func(what string) {
		t.Helper()
		if m := waittest.For(t, what, messages); m != (changed{}) {
			t.Errorf("%s: %v", what, m)
		}
	}
	want("the first change, when everything is watched")
	for _, path := range []string{"HANDOFF.md", "docs/handoffs/2026-02-12-x.md"} {
		full := filepath.Join(root, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o755), os.WriteFile(full, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		want(path)
	}
	cancel()
	<-ended
}
