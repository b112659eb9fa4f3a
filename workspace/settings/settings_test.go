package settings_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/workspace"
	"handoff/workspace/settings"
)

// book opens a workspace with some settings; git is its git folder, if it has one.
func book(t *testing.T, git bool) (*settings.Book, string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) { put(t, dir, name, text) }
	write("specs/.keep", "")
	write(".claude/settings.json", `{"hooks":{}}`)
	write(".husky/pre-commit", "true")
	write(".opencode/plugins/a.ts", "1")
	write("main.go", "package main")
	if git {
		for _, name := range []string{"objects/x", "refs/x", "HEAD", "config", "hooks/pre-push"} {
			write(".git/"+name, "x")
		}
	}
	ws, err := workspace.Open(dir, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := settings.Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	return b, dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each way to change a setting is found, stops what comes next, and can be taken back.
func TestChanges(t *testing.T) {
	needs.Unix(t, "modes and symlinks")
	for name, change := range map[string]struct {
		files []string
		do    func(dir string) error
	}{
		"edited": {[]string{".claude/settings.json"}, func(dir string) error { put(t, dir, ".claude/settings.json", "x"); return nil }},
		"new": {[]string{".gemini/settings.json", ".mcp.json"}, func(dir string) error {
			put(t, dir, ".gemini/settings.json", "x")
			put(t, dir, ".mcp.json", "x")
			return nil
		}},
		"deleted":    {[]string{".husky/pre-commit"}, func(dir string) error { return os.Remove(filepath.Join(dir, ".husky/pre-commit")) }},
		"executable": {[]string{".husky/pre-commit"}, func(dir string) error { return os.Chmod(filepath.Join(dir, ".husky/pre-commit"), 0o755) }},
		"linked": {[]string{".claude/settings.json"}, func(dir string) error {
			return errors.Join(os.Remove(filepath.Join(dir, ".claude/settings.json")), os.Symlink("../main.go", filepath.Join(dir, ".claude/settings.json")))
		}},
		"folder linked": {[]string{".codex", ".codex/config.toml"}, func(dir string) error {
			put(t, dir, "codex/config.toml", "x")
			return os.Symlink("codex", filepath.Join(dir, ".codex"))
		}},
		"git config": {[]string{".git/config"}, func(dir string) error { put(t, dir, ".git/config", "[core]\n fsmonitor = x"); return nil }},
		"git hook": {[]string{".git/hooks/post-checkout", ".git/hooks/pre-push"}, func(dir string) error {
			put(t, dir, ".git/hooks/post-checkout", "y")
			put(t, dir, ".git/hooks/pre-push", "y")
			return nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			b, dir := book(t, true)
			before, err := b.Take()
			if err != nil {
				t.Fatal(err)
			}
			put(t, dir, "main.go", "package other")                // no setting
			put(t, dir, ".opencode/package.json", "{}")            // OpenCode's own
			put(t, dir, ".opencode/node_modules/a/index.js", "{}") // the same
			if _, err := b.Check(before, "claude", settings.Stop); err != nil {
				t.Fatalf("before the change: %v", err)
			}
			if err := change.do(dir); err != nil {
				t.Fatal(err)
			}
			var changed *settings.ChangedError
			if _, err := b.Check(before, "claude", settings.Stop); !errors.As(err, &changed) || !slices.Equal(changed.Files, change.files) || changed.By != "claude" {
				t.Fatalf("%v, want %q", err, change.files)
			}
			if _, err := b.Begin(settings.Stop); !errors.As(err, &changed) || !slices.Equal(changed.Files, change.files) {
				t.Errorf("the next one begins: %v", err)
			}
			restored, err := b.Begin(settings.Restore)
			if err != nil || !slices.Equal(restored, change.files) {
				t.Fatalf("restored %q, %v", restored, err)
			}
			if _, err := b.Check(before, "claude", settings.Stop); err != nil {
				t.Errorf("after it was restored: %v", err)
			}
			if _, err := b.Begin(settings.Stop); err != nil {
				t.Errorf("the next one: %v", err)
			}
		})
	}
}

// What the agent wrote is not lost, and what a person has changed back is forgotten.
func TestAsideAndForgotten(t *testing.T) {
	for _, git := range []bool{true, false} {
		b, dir := book(t, git)
		before, err := b.Take()
		if err != nil {
			t.Fatal(err)
		}
		put(t, dir, ".mcp.json", "the agent's")
		if restored, err := b.Check(before, "x", settings.Restore); err != nil || len(restored) != 1 {
			t.Fatalf("%q, %v", restored, err)
		}
		if _, err := os.Lstat(filepath.Join(dir, ".mcp.json")); err == nil {
			t.Error("the new file is still there")
		}
		aside, _ := filepath.Glob(filepath.Join(dir, map[bool]string{true: ".git/handoff", false: ".handoff"}[git], "settings/aside/*/.mcp.json"))
		if len(aside) != 1 {
			t.Fatalf("kept aside: %q", aside)
		}
		if text, err := os.ReadFile(aside[0]); err != nil || string(text) != "the agent's" {
			t.Errorf("%q, %v", text, err)
		}
		put(t, dir, ".mcp.json", "the agent's")
		if _, err := b.Check(before, "x", settings.Stop); err == nil {
			t.Fatal("no error")
		}
		if err := os.Remove(filepath.Join(dir, ".mcp.json")); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := b.Begin(settings.Stop); err != nil {
				t.Errorf("a person removed it: %v", err)
			}
		}
	}
}
