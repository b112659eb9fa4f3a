package doctor

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/host"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
)

// codexHook is a hook as the real Codex lists it.
type codexHook struct {
	Key, CurrentHash, TrustStatus, Command string
}

// listHooks asks the real Codex for the hooks of the project.
func listHooks(t *testing.T, m *Machine) (hooks []codexHook) {
	t.Helper()
	cmd := exec.CommandContext(waittest.Context(t), filepath.Join(needs.Folder(t, "HANDOFF_AGENTS"), "codex"), "app-server")
	cmd.Dir = m.Root
	cmd.Env = append(cmd.Environ(), "HOME="+m.Home, "CODEX_HOME="+m.user(".codex"))
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer in.Close()
	fmt.Fprintf(in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"test","version":"1"}}}`+"\n"+
		`{"method":"initialized"}`+"\n"+`{"id":2,"method":"hooks/list","params":{"cwds":[%q]}}`+"\n", m.Root)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var answer struct {
			ID     int
			Result struct{ Data []struct{ Hooks []codexHook } }
		}
		if json.Unmarshal(lines.Bytes(), &answer) == nil && answer.ID == 2 {
			for _, d := range answer.Result.Data {
				hooks = append(hooks, d.Hooks...)
			}
			return hooks
		}
	}
	t.Fatalf("no answer: %v", lines.Err())
	return nil
}

// TestRealCodex: doctor and the real Codex agree on which hooks are trusted, before
// and after they are, and on hooks of a project that is not trusted.
func TestRealCodex(t *testing.T) {
	needs.Folder(t, "HANDOFF_AGENTS")
	for _, user := range []bool{true, false} {
		m := scene{}.machine(t)
		needs.Tool(t, "git")
		if out, err := exec.Command("git", "init", "-q", m.Root).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		install(t, m, "codex", user)
		config := m.user(".codex", "config.toml")
		if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
			t.Fatal(err)
		}
		trust := func(text string) {
			src, err := os.ReadFile(config)
			if err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
			if err := os.WriteFile(config, append(src, text...), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if hooks := listHooks(t, m); !user && len(hooks) != 0 {
			t.Errorf("Codex reads hooks of a project that is not trusted: %+v", hooks)
		}
		lines := examine(t, m, "codex", true)
		if line(lines, "trust", Problem, "the hooks are not trusted") == nil || !user && line(lines, "trust", Problem, "does not read its .codex folder") == nil {
			t.Errorf("user %v, before: %+v", user, lines)
		}

		trust(fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", m.Root))
		hooks := listHooks(t, m)
		if len(hooks) < 5 {
			t.Fatalf("user %v: Codex found %d hooks", user, len(hooks))
		}
		for _, h := range hooks {
			if h.TrustStatus != "untrusted" || !host.IsCommand(h.Command) {
				t.Errorf("%+v", h)
			}
			trust(fmt.Sprintf("\n[hooks.state.%q]\ntrusted_hash = %q\n", h.Key, h.CurrentHash))
		}
		for _, h := range listHooks(t, m) {
			if h.TrustStatus != "trusted" {
				t.Errorf("%+v", h)
			}
		}
		lines = examine(t, m, "codex", true)
		if l := line(lines, "trust", OK, fmt.Sprintf("%d hooks of this file are trusted", len(hooks))); l == nil || worst(lines) != OK {
			t.Errorf("user %v, after: %+v", user, lines)
		}
	}
}

// TestRealWorktree: in a linked worktree the real Codex reads the hooks of the main
// checkout, and doctor reports those.
func TestRealWorktree(t *testing.T) {
	needs.Folder(t, "HANDOFF_AGENTS")
	needs.Tool(t, "git")
	m := scene{files: map[string]string{"~/.codex/config.toml": "[projects.\"REPO\"]\ntrust_level = \"trusted\"\n"}}.machine(t)
	checkout, linked := m.Root, filepath.Join(filepath.Dir(m.Root), "linked")
	for _, args := range [][]string{
		{"init", "-q", checkout}, {"-C", checkout, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x"},
		{"-C", checkout, "worktree", "add", "-q", linked},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	m.Root = linked
	install(t, m, "codex", false)
	if hooks := listHooks(t, m); len(hooks) != 0 {
		t.Errorf("Codex reads %+v", hooks)
	}
	if lines := examine(t, m, "codex", true); line(lines, "hooks", Problem, "not installed") == nil || line(lines, "hooks", OK, "") != nil {
		t.Errorf("hooks in the worktree only: %+v", lines)
	}
	m.Root = checkout
	install(t, m, "codex", false)
	m.Root = linked
	hooks := listHooks(t, m)
	if len(hooks) == 0 || !strings.HasPrefix(hooks[0].Key, checkout) {
		t.Errorf("%+v", hooks)
	}
	if l := line(examine(t, m, "codex", true), "hooks", OK, "installed"); l == nil || !strings.HasPrefix(l.File, checkout) {
		t.Errorf("hooks in both: %+v", l)
	}
	if l := line(examine(t, m, "codex", true), "trust", OK, "is trusted"); l == nil {
		t.Error("the trust of the main checkout does not count")
	}
}
