package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// tmuxServer is a server of tmux for the test alone.
func tmuxServer(t *testing.T) (run func(args ...string) string) {
	t.Helper()
	needs.Unix(t, "tmux")
	needs.Tool(t, "tmux")
	folder, err := os.MkdirTemp("", "tmux") // the path of a socket must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMUX_TMPDIR", folder)
	t.Setenv("TMUX", "")
	t.Cleanup(func() {
		exec.Command("tmux", "kill-server").Run()
		os.RemoveAll(folder)
	})
	return func(args ...string) string {
		out, err := exec.Command("tmux", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %q: %v: %s", args, err, out)
		}
		return string(out)
	}
}

// TestSpawnInTmux starts agents in windows: each works in the workspace with the
// environment of the caller. A window closes when the work is done, and stays when
// it is not.
func TestSpawnInTmux(t *testing.T) {
	tmux := tmuxServer(t)
	bin, dir := commandDir(t), filepath.Join(t.TempDir(), "#(touch expanded)")
	handedOverIn(t, dir)
	const key = `it's a "key"; $HOME #{pane_id}`
	t.Setenv("SECRET_KEY", key)
	t.Setenv("HANDOFF_CLAIM", "")
	spawn := func(script string) string {
		return stdoutOf(t, bin, filepath.Join(dir, "parse"), "spawn", "1", "--agent", "custom", "--via", "tmux", "--", "sh", "-c", script)
	}
	printed := spawn(`echo agent-$((40+2)) "$SECRET_KEY"; exit 3`)
	window := regexp.MustCompile(`^tmux attach -t (handoff:@\d+)\n$`).FindStringSubmatch(printed)
	if window == nil {
		t.Fatalf("printed %q", printed)
	}
	shown := ""
	waittest.Until(t, "the window to show how it ended", func() bool {
		shown = tmux("capture-pane", "-p", "-J", "-t", window[1])
		return strings.Contains(shown, "press Enter")
	})
	if !strings.Contains(shown, "custom ended: exit status 3") || !strings.Contains(shown, "exit status 1; press Enter") || !strings.Contains(shown, "agent-42 "+key) {
		t.Errorf("the window shows %s", shown)
	}
	if receipts := stdoutOf(t, bin, dir, "receipts", "1"); !strings.Contains(receipts, "released") {
		t.Errorf("not released: %s", receipts)
	}

	spawn(`printf %s "$SECRET_KEY" > key; pwd > folder; ` + bin + `/handoff done`)
	waittest.Until(t, "the handoff to be done", func() bool {
		return strings.Contains(stdoutOf(t, bin, dir, "receipts", "1"), "done since")
	})
	if got, err := os.ReadFile(filepath.Join(dir, "key")); string(got) != key {
		t.Errorf("SECRET_KEY %q, %v", got, err)
	}
	where, err := os.ReadFile(filepath.Join(dir, "folder"))
	if real, _ := filepath.EvalSymlinks(dir); err != nil || strings.TrimSpace(string(where)) != real {
		t.Errorf("it worked in %q, %v", where, err)
	}
	waittest.Until(t, "its window to close", func() bool { return strings.Count(tmux("list-windows", "-a"), "\n") == 1 })
	if sessions := tmux("list-sessions", "-F", "#{session_name}"); sessions != "handoff\n" {
		t.Errorf("sessions %q", sessions)
	}
}

// TestManyWindows opens windows at the same time: one process creates the session.
func TestManyWindows(t *testing.T) {
	tmux := tmuxServer(t)
	bin, dir := commandDir(t), t.TempDir()
	handedOverIn(t, dir)
	const windows = 6
	var all sync.WaitGroup
	for range windows {
		all.Go(func() {
			out, err := programIn(t, bin, dir, "spawn", "1", "--agent", "custom", "--via", "tmux", "--", "sh", "-c", "exit 3").CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	all.Wait()
	opened := strings.Fields(tmux("list-windows", "-a", "-F", "#{window_id}"))
	if len(opened) != windows { // none is done: all stay
		t.Errorf("%d windows, want %d", len(opened), windows)
	}
	for _, window := range opened {
		waittest.Until(t, "the spawn to end", func() bool {
			return strings.Contains(tmux("capture-pane", "-p", "-J", "-t", window), "press Enter")
		})
	}
}

func TestSpawnWithoutTmux(t *testing.T) {
	bin, dir := commandDir(t), t.TempDir()
	handedOverIn(t, dir)
	for flag, want := range map[string]string{
		"--level=edit": "handoff: tmux: program not found in PATH: install it, or pass --via cli\n",
		"--json":       "handoff: --json prints what the agent does: pass --via cli or --via acp, or leave it out\n",
	} {
		cmd := programIn(t, bin, dir, "spawn", "1", "--agent", "custom", "--via", "tmux", flag, "--", "cat")
		cmd.Env = append(cmd.Env, "PATH="+bin)
		var out strings.Builder
		cmd.Stderr = &out
		if err := cmd.Run(); err == nil || out.String() != want {
			t.Errorf("%v: %q, want %q", err, out.String(), want)
		}
	}
}
