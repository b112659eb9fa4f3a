package setup_test

import (
	"slices"
	"strings"
	"testing"
)

// TestTwice has installations that exist elsewhere: nothing is doubled, and the step
// names the file that wins.
func TestTwice(t *testing.T) {
	t.Run("user and project", func(t *testing.T) {
		tr := newTree(t, nil)
		tr.install(forUser(tr.request("gemini")))
		before := tr.files()
		lines := tr.install(tr.request("gemini"))
		want := "skipped .gemini/settings.json: ~/.gemini/settings.json has it and is read here, too; that file wins"
		if !slices.Contains(lines, want) {
			t.Errorf("%q, want %s", lines, want)
		}
		same(t, tr.files(), before)
	})
	t.Run("project and user", func(t *testing.T) {
		tr := newTree(t, nil)
		tr.install(tr.request("claude"))
		lines := tr.install(forUser(tr.request("claude")))
		if want := "skipped ~/.claude/settings.json: .claude/settings.json has it and is read here, too; that file wins"; !slices.Contains(lines, want) {
			t.Errorf("%q", lines)
		}
	})
	t.Run("the local settings of Claude Code", func(t *testing.T) {
		tr := newTree(t, nil)
		tr.install(tr.request("claude"))
		tr.write("project/.claude/settings.local.json", tr.files()["project/.claude/settings.json"])
		tr.write("project/.claude/settings.json", "{}")
		lines := tr.install(tr.request("claude"))
		if want := "skipped .claude/settings.json: .claude/settings.local.json has it and is read here, too; that file wins"; !slices.Contains(lines, want) {
			t.Errorf("%q", lines)
		}
	})
	t.Run("plugin and settings", func(t *testing.T) {
		tr := newTree(t, map[string]string{"home/.claude/settings.json": "{\"enabledPlugins\": {\"other@x\": true, \"handoff@tools\": true}}"})
		before := tr.files()
		for _, line := range tr.install(tr.request("claude")) {
			if !strings.HasPrefix(line, "skipped ") || !strings.HasSuffix(line, "the plugin of handoff is installed, see ~/.claude/settings.json; it wins") {
				t.Error(line)
			}
		}
		same(t, tr.files(), before)
		tr.write("home/.claude/settings.json", "{\"enabledPlugins\": {\"handoff@tools\": false}}")
		if lines := tr.install(tr.request("claude")); !slices.Contains(lines, "created .claude/settings.json") {
			t.Errorf("switched off: %q", lines)
		}
	})
	t.Run("a plugin of Codex", func(t *testing.T) {
		for config, skipped := range map[string]bool{
			"[plugins.\"handoff@handoff\"]\nenabled = true\n":                true,
			"[plugins.\"handoff@handoff\"]\nenabled = false\n":               false,
			"[plugins.\"other@x\"]\nenabled = true\n":                        false,
			"plugins = \"handoff@x\"\n":                                      false,
			"[plugins.\"handoff@handoff\"]\nenabled = true\n[plugins]\n= \n": false,
		} {
			tr := newTree(t, map[string]string{"home/.codex/config.toml": config})
			lines := strings.Join(tr.install(tr.request("codex")), "\n")
			if strings.Contains(lines, "see ~/.codex/config.toml; it wins") != skipped {
				t.Errorf("%q: %s", config, lines)
			}
		}
	})
	t.Run("an extension of Gemini CLI", func(t *testing.T) {
		tr := newTree(t, map[string]string{"home/.gemini/extensions/handoff/gemini-extension.json": "{}"})
		if lines := tr.install(tr.request("gemini")); !strings.Contains(strings.Join(lines, "\n"), "see ~/.gemini/extensions/handoff; it wins") {
			t.Errorf("%q", lines)
		}
	})
}

// GitHub Copilot, VS Code and Cursor run the hooks in the settings of Claude Code, too.
func TestHooksOfClaudeCode(t *testing.T) {
	for _, name := range []string{"cursor", "copilot", "vscode"} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, nil)
			tr.install(tr.request("claude"))
			lines := strings.Join(tr.install(tr.request(name)), "\n")
			if !strings.Contains(lines, "hooks.json: .claude/settings.json has the hooks, and "+name+" runs those, too; that file wins") &&
				!strings.Contains(lines, "handoff.json: .claude/settings.json has the hooks, and "+name+" runs those, too; that file wins") {
				t.Errorf("after claude:\n%s", lines)
			}
			for file, text := range tr.files() {
				if file != "project/.claude/settings.json" && strings.Contains(text, "handoff hook session-start") {
					t.Errorf("%s has hooks, too", file)
				}
			}

			tr = newTree(t, nil)
			tr.install(tr.request(name))
			before := tr.files()
			_, err := tr.run(tr.request("claude"))
			want := "so nothing was changed. Run `handoff setup " + name + " --remove`, then `handoff setup claude " + name + "`: .claude/settings.json wins"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("before claude: %v, want %s", err, want)
			}
			same(t, tr.files(), before)
			tr.install(removing(tr.request(name)))
			tr.install(tr.request("claude", name))
		})
	}
	t.Run("two with one file", func(t *testing.T) {
		tr := newTree(t, nil)
		tr.install(tr.request("copilot", "vscode"))
		_, err := tr.run(tr.request("claude"))
		if want := "Run `handoff setup copilot vscode --remove`, then `handoff setup claude copilot vscode`: "; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	})
	t.Run("hooks without a server", func(t *testing.T) {
		tr := newTree(t, nil)
		tr.install(tr.request("vscode"))
		tr.write("project/.vscode/mcp.json", "{}")
		_, err := tr.run(tr.request("claude"))
		if want := "Run `handoff setup copilot --remove`, then "; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		tr.install(removing(tr.request("copilot")))
		tr.install(tr.request("claude", "copilot"))
	})
	t.Run("all at once", func(t *testing.T) {
		tr := newTree(t, nil)
		tr.install(tr.request("cursor", "copilot", "vscode", "claude"))
		for file, text := range tr.files() {
			if !strings.Contains(file, "/.claude/") && strings.Contains(text, "handoff hook session-start") {
				t.Errorf("%s has hooks, too", file)
			}
		}
		if lines := tr.install(tr.request("cursor", "claude")); slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "created") }) {
			t.Errorf("the second time: %q", lines)
		}
	})
}

// What several hosts need is removed with the last of them.
func TestSharedFiles(t *testing.T) {
	tr := newTree(t, nil)
	before := tr.files()
	tr.install(tr.request("codex", "opencode", "claude"))
	lines := tr.install(removing(tr.request("codex")))
	for _, want := range []string{"left AGENTS.md: claude uses it", "left .agents/skills/handoff/SKILL.md: opencode uses it", "removed .codex/hooks.json"} {
		if !slices.Contains(lines, want) {
			t.Errorf("%q, want %s", lines, want)
		}
	}
	tr.install(removing(tr.request("opencode")))
	if files := tr.files(); files["project/AGENTS.md"] == "" || files["project/.agents/skills/handoff/SKILL.md"] != "" {
		t.Error("the block is gone, or the skill is there")
	}
	tr.install(removing(tr.request("claude")))
	same(t, tr.files(), before)
}
