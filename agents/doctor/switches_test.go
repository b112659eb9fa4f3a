package doctor

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// scene is a machine with some files. Paths begin with ~/ or with repo/, and in
// contents HOME and REPO are replaced by the folders.
type scene struct {
	files map[string]string
	env   map[string]string
	os    string
}

// user is a path in the user's folder.
func (m *Machine) user(names ...string) string { return filepath.Join(m.Home, filepath.Join(names...)) }

func (s scene) machine(t *testing.T) *Machine {
	t.Helper()
	top := t.TempDir()
	m := &Machine{
		Home: filepath.Join(top, "home"), Root: filepath.Join(top, "work", "repo"), OS: "linux",
		Self:  Program{Path: "/opt/handoff", Version: "1.2.0 (v1.2.1-0.20261122120000-0a1b2c3d4e5f)"},
		Found: Program{Path: "/opt/handoff", Version: "1.2.0 (v1.2.1-0.20261122120000-0a1b2c3d4e5f)"},

		LookPath: func(string) (string, error) { return "", exec.ErrNotFound },
	}
	if s.os != "" {
		m.OS = s.os
	}
	fill := strings.NewReplacer("HOME", m.Home, "REPO", m.Root)
	m.Getenv = func(name string) string { return fill.Replace(s.env[name]) }
	for _, dir := range []string{m.Home, m.Root} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range s.files {
		path = filepath.FromSlash(strings.Replace(strings.Replace(path, "~/", m.Home+"/", 1), "repo/", m.Root+"/", 1))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(fill.Replace(text)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// TestSwitches: each check of each host shows the problem, and ok without it.
func TestSwitches(t *testing.T) {
	needs.Unix(t, "the paths of the cases are those of Unix")
	const codexHooks = `{"hooks":{"Stop":[{"hooks":[{"command":"handoff hook stop --host codex"}]}]}}`
	for name, c := range map[string]struct {
		host, check string
		scene
		state State
		what  string // a part of it
		line  int
	}{
		"claude, no files":             {"claude", "switches", scene{}, OK, "not switched off", 0},
		"claude, switched off":         {"claude", "switches", scene{files: map[string]string{"~/.claude/settings.json": "{\n// why\n\"disableAllHooks\": true,\n}"}}, Problem, "disableAllHooks", 3},
		"claude, stronger file":        {"claude", "switches", scene{files: map[string]string{"~/.claude/settings.json": `{"disableAllHooks":true}`, "repo/.claude/settings.local.json": `{"disableAllHooks":false}`}}, OK, "", 0},
		"claude, moved folder":         {"claude", "switches", scene{files: map[string]string{"~/c/settings.json": `{"disableAllHooks":true}`}, env: map[string]string{"CLAUDE_CONFIG_DIR": "HOME/c"}}, Problem, "disableAllHooks", 1},
		"claude --bare":                {"claude", "switches", scene{env: map[string]string{"CLAUDE_CODE_SIMPLE": "1"}}, Problem, "CLAUDE_CODE_SIMPLE", 0},
		"claude, not trusted":          {"claude", "trust", scene{files: map[string]string{"~/.claude.json": `{"projects":{"REPO":{"hasTrustDialogAccepted":false}}}`}}, Warning, "not trusted", 0},
		"claude, trusted":              {"claude", "trust", scene{files: map[string]string{"~/.claude.json": "{\"projects\":{\n\"REPO\":{\"hasTrustDialogAccepted\":true}}}"}}, OK, "trusted", 2},
		"claude, trusted above":        {"claude", "trust", scene{files: map[string]string{"~/.claude.json": `{"projects":{"/":{"hasTrustDialogAccepted":true}}}`}}, OK, "/ is trusted", 1},
		"claude, broken":               {"claude", "settings", scene{files: map[string]string{"repo/.claude/settings.json": "{\n\"a\": 1\n\"b\"}"}}, Problem, "cannot be read", 3},
		"claude, not broken":           {"claude", "settings", scene{files: map[string]string{"repo/.claude/settings.json": "{/* x */}"}}, OK, "", 0},
		"claude, plugin off":           {"claude", "plugin", scene{files: map[string]string{"~/.claude/plugins/installed_plugins.json": `{"version":2,"plugins":{"handoff@here":[{"version":"1.2.0"}]}}`, "repo/.claude/settings.json": `{"enabledPlugins":{"handoff@here":false}}`}}, Warning, "switched off", 1},
		"claude, absent plugin":        {"claude", "plugin", scene{files: map[string]string{"repo/.claude/settings.json": "{\n\"enabledPlugins\":{\"other@x\":true,\n\"handoff@here\":true}}"}}, Problem, "not installed", 3},
		"claude, old plugin":           {"claude", "plugin", scene{files: map[string]string{"~/.claude/plugins/installed_plugins.json": `{"version":2,"plugins":{"handoff@here":[{"version":"1.1.0"}]}}`}}, Warning, "version 1.1.0, the program 1.2.0", 1},
		"claude, plugin":               {"claude", "plugin", scene{files: map[string]string{"~/.claude/plugins/installed_plugins.json": `{"version":2,"plugins":{"other@x":[],"handoff@here":[{"version":"1.2.0"}]}}`}}, OK, "handoff@here is installed", 1},
		"claude, no import":            {"claude", "instructions", scene{files: map[string]string{"repo/AGENTS.md": "<!-- handoff:begin v1 -->", "repo/CLAUDE.md": "# x\n"}}, Warning, "does not import", 0},
		"claude, import":               {"claude", "instructions", scene{files: map[string]string{"repo/AGENTS.md": "<!-- handoff:begin v1 -->", "repo/CLAUDE.md": "# x\n@AGENTS.md\n"}}, OK, "imports", 2},
		"claude, the block itself":     {"claude", "instructions", scene{files: map[string]string{"repo/AGENTS.md": "<!-- handoff:begin v1 -->", "repo/CLAUDE.md": "x\n<!-- handoff:begin v1 -->"}}, OK, "has the block itself", 2},
		"claude, no CLAUDE.md":         {"claude", "instructions", scene{files: map[string]string{"repo/AGENTS.md": "<!-- handoff:begin v1 -->"}}, OK, "reads AGENTS.md", 0},
		"claude, no block":             {"claude", "instructions", scene{files: map[string]string{"repo/AGENTS.md": "x", "repo/CLAUDE.md": "# x\n"}}, OK, "", 0},
		"codex, no files":              {"codex", "switches", scene{}, OK, "not switched off", 0},
		"codex, switched off":          {"codex", "switches", scene{files: map[string]string{"~/.codex/config.toml": "model = \"x\"\n[features] # y\nhooks = false # z\n"}}, Problem, "hooks is false", 3},
		"codex, dotted key":            {"codex", "switches", scene{files: map[string]string{"~/.codex/config.toml": "features.hooks = false\n"}}, Problem, "hooks is false", 1},
		"codex, switched on":           {"codex", "switches", scene{files: map[string]string{"~/.codex/config.toml": "[features]\nhooks=true\n[other]\nhooks = false\n"}}, OK, "switched on", 2},
		"codex, commented":             {"codex", "switches", scene{files: map[string]string{"~/.codex/config.toml": "[features]\n# hooks = false\n"}}, OK, "", 0},
		"codex, not trusted":           {"codex", "trust", scene{files: map[string]string{"~/.codex/hooks.json": codexHooks, "~/.codex/config.toml": "[hooks.state.\"/other/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:x\"\n"}}, Problem, "not trusted", 1},
		"codex, trusted":               {"codex", "trust", scene{files: map[string]string{"~/.codex/hooks.json": codexHooks, "~/.codex/config.toml": "[hooks.state.\"HOME/.codex/hooks.json:session_start:0:0\"]\ntrusted_hash = \"sha256:x\"\n"}}, OK, "1 hooks", 0},
		"codex, one is trusted":        {"codex", "trust", scene{files: map[string]string{"~/.codex/hooks.json": codexHooks, "~/.codex/config.toml": "[hooks.state.\"HOME/.codex/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:x\"\n"}}, Problem, "SessionStart is not trusted", 0},
		"codex, a hook off":            {"codex", "trust", scene{files: map[string]string{"~/.codex/hooks.json": codexHooks, "~/.codex/config.toml": "[hooks.state.'HOME/.codex/hooks.json:session_start:0:0']\ntrusted_hash = \"sha256:x\"\nenabled = false\n"}}, Problem, "switched off", 3},
		"codex, project":               {"codex", "trust", scene{files: map[string]string{"repo/.codex/hooks.json": codexHooks, "~/.codex/config.toml": "[hooks.state.\"REPO/.codex/hooks.json:session_start:0:0\"]\ntrusted_hash = \"sha256:x\"\n"}}, Problem, "does not read its .codex folder", 0},
		"codex, trusted project":       {"codex", "trust", scene{files: map[string]string{"repo/.codex/hooks.json": codexHooks, "~/.codex/config.toml": "[projects.\"REPO\"]\ntrust_level = \"trusted\"\n[hooks.state.\"REPO/.codex/hooks.json:session_start:0:0\"]\ntrusted_hash = \"sha256:x\"\n"}}, OK, "is trusted", 2},
		"codex, no hooks":              {"codex", "trust", scene{}, OK, "", 0},
		"codex, good worktree":         {"codex", "worktree", scene{files: map[string]string{"repo/.git": "gitdir: HOME/main/.git/worktrees/repo\n", "repo/.codex/hooks.json": codexHooks, "~/main/.codex/hooks.json": codexHooks}}, OK, "a linked worktree", 0},
		"codex, a submodule":           {"codex", "worktree", scene{files: map[string]string{"repo/.git": "gitdir: ../.git/modules/repo\n", "repo/.codex/hooks.json": codexHooks}}, OK, "", 0},
		"copilot, off":                 {"copilot", "switches", scene{files: map[string]string{"repo/.github/hooks/handoff.json": `{"version":1,"disableAllHooks":true}`}}, Problem, "disableAllHooks", 1},
		"copilot, on":                  {"copilot", "switches", scene{}, OK, "not switched off", 0},
		"copilot, not trusted":         {"copilot", "trust", scene{files: map[string]string{"~/.copilot/config.json": `{"trustedFolders":["REPOsitory"]}`}}, Problem, "not trusted", 0},
		"copilot, trusted":             {"copilot", "trust", scene{files: map[string]string{"~/.copilot/config.json": "// managed\n{\"trustedFolders\":[\"/none\",\n\"REPO\"]}"}}, OK, "is trusted", 3},
		"copilot, older name":          {"copilot", "trust", scene{files: map[string]string{"~/.copilot/config.json": `{"trusted_folders":["REPO/.."]}`}}, OK, "is trusted", 1},
		"copilot, broken":              {"copilot", "settings", scene{files: map[string]string{"~/.copilot/config.json": "{"}}, Problem, "cannot be read", 1},
		"cursor, no version":           {"cursor", "switches", scene{files: map[string]string{"repo/.cursor/hooks.json": `{"hooks":{}}`}}, Problem, "ignores", 1},
		"cursor, version":              {"cursor", "switches", scene{files: map[string]string{"repo/.cursor/hooks.json": `{"version":1,"hooks":{}}`}}, OK, "", 0},
		"cursor, broken":               {"cursor", "settings", scene{files: map[string]string{"~/.cursor/mcp.json": "[]"}}, Problem, "cannot be read", 1},
		"gemini, off":                  {"gemini", "switches", scene{files: map[string]string{"repo/.gemini/settings.json": `{"hooksConfig":{"enabled":false}}`}}, Problem, "hooksConfig.enabled", 1},
		"gemini, ours off":             {"gemini", "switches", scene{files: map[string]string{"~/.gemini/settings.json": "{\"hooksConfig\":{\"disabled\":[\"x\",\n\"handoff\"]}}"}}, Problem, "hooksConfig.disabled", 2},
		"gemini, on":                   {"gemini", "switches", scene{files: map[string]string{"~/.gemini/settings.json": `{"hooksConfig":{"enabled":true,"disabled":["other"]}}`}}, OK, "not switched off", 0},
		"gemini, not trusted":          {"gemini", "trust", scene{}, Problem, "not trusted", 0},
		"gemini, refused":              {"gemini", "trust", scene{files: map[string]string{"~/.gemini/trustedFolders.json": "{\"/\":\"TRUST_FOLDER\",\n\"REPO\":\"DO_NOT_TRUST\"}"}}, Problem, "marked as not trusted", 2},
		"gemini, trusted":              {"gemini", "trust", scene{files: map[string]string{"~/.gemini/trustedFolders.json": `{"/":"DO_NOT_TRUST","REPO":"TRUST_FOLDER"}`}}, OK, "is trusted", 1},
		"gemini, neighbour refused":    {"gemini", "trust", scene{files: map[string]string{"~/.gemini/trustedFolders.json": `{"REPO":"TRUST_FOLDER","REPO/../neighbour/far/away":"DO_NOT_TRUST"}`}}, OK, "is trusted", 1},
		"gemini, neighbour's parent":   {"gemini", "trust", scene{files: map[string]string{"~/.gemini/trustedFolders.json": `{"REPO/../neighbour":"TRUST_PARENT"}`}}, OK, "is trusted", 1},
		"gemini, by the environment":   {"gemini", "trust", scene{env: map[string]string{"GEMINI_CLI_TRUST_WORKSPACE": "true"}}, OK, "GEMINI_CLI_TRUST_WORKSPACE", 0},
		"gemini, trust switched off":   {"gemini", "trust", scene{files: map[string]string{"~/.gemini/settings.json": `{"security":{"folderTrust":{"enabled":false}}}`}}, OK, "switched off", 0},
		"gemini, broken":               {"gemini", "settings", scene{files: map[string]string{"~/.gemini/settings.json": "{]"}}, Problem, "cannot be read", 1},
		"qwen, off":                    {"qwen", "switches", scene{files: map[string]string{"~/.qwen/settings.json": `{"disableAllHooks":true}`}}, Problem, "disableAllHooks", 1},
		"qwen, on":                     {"qwen", "switches", scene{}, OK, "not switched off", 0},
		"qwen, trust is not asked":     {"qwen", "trust", scene{}, OK, "switched off", 0},
		"qwen, not trusted":            {"qwen", "trust", scene{files: map[string]string{"~/.qwen/settings.json": `{"security":{"folderTrust":{"enabled":true}}}`}}, Problem, "not trusted", 0},
		"qwen, broken":                 {"qwen", "settings", scene{files: map[string]string{"~/.qwen/trustedFolders.json": "x"}}, Problem, "cannot be read", 1},
		"opencode --pure":              {"opencode", "switches", scene{env: map[string]string{"OPENCODE_PURE": "1"}}, Problem, "OPENCODE_PURE", 0},
		"opencode":                     {"opencode", "switches", scene{}, OK, "not switched off", 0},
		"opencode, broken":             {"opencode", "settings", scene{files: map[string]string{"repo/opencode.json": "{,}"}}, Problem, "cannot be read", 1},
		"vscode, off":                  {"vscode", "switches", scene{files: map[string]string{"~/.config/Code/User/settings.json": `{"chat.useHooks":false}`}}, Problem, "chat.useHooks", 1},
		"vscode, off on a Mac":         {"vscode", "switches", scene{os: "darwin", files: map[string]string{"~/Library/Application Support/Code/User/settings.json": `{"chat.useHooks":false}`}}, Problem, "chat.useHooks", 1},
		"vscode, AGENTS.md":            {"vscode", "switches", scene{files: map[string]string{"repo/.vscode/settings.json": `{"chat.useAgentsMdFile":false}`}}, Warning, "AGENTS.md is not read", 1},
		"vscode, MCP":                  {"vscode", "switches", scene{files: map[string]string{"repo/.vscode/settings.json": `{"chat.mcp.access":"none"}`}}, Warning, "chat.mcp.access", 1},
		"vscode, the workspace's wins": {"vscode", "switches", scene{files: map[string]string{"repo/.vscode/settings.json": `{"chat.useHooks":true}`, "~/.config/Code/User/settings.json": `{"chat.useHooks":false}`}}, OK, "not switched off", 0},
		"vscode, broken":               {"vscode", "settings", scene{files: map[string]string{"repo/.vscode/settings.json": "{"}}, Problem, "cannot be read", 1},
	} {
		t.Run(name, func(t *testing.T) {
			var lines []Line
			m := c.machine(t)
			a, err := m.agent(c.host)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range a.checks() {
				if k.name == c.check {
					lines = named(c.host, []check{k}, m)
				}
			}
			if got := worst(lines); got != c.state {
				t.Errorf("%s, want %s: %+v", got, c.state, lines)
			}
			if c.what == "" && len(lines) > 0 && lines[0].State != OK {
				t.Errorf("%+v", lines)
			}
			found := c.what == ""
			for _, l := range lines {
				if l.Host != c.host || l.Check != c.check || l.State != OK && l.Fix == "" || l.Line > 0 && !filepath.IsAbs(l.File) {
					t.Errorf("%+v", l)
				}
				found = found || l.State == c.state && strings.Contains(l.What, c.what) && l.Line == c.line
			}
			if !found {
				t.Errorf("no line with %q at line %d: %+v", c.what, c.line, lines)
			}
		})
	}
}

// TestLinks: a symbolic link out of the project is reported, and its target is not
// read.
func TestLinks(t *testing.T) {
	m := scene{files: map[string]string{"~/secret": `{"disableAllHooks":true}`, "repo/.claude/x": ""}}.machine(t)
	needs.Symlink(t, filepath.Join(m.Home, "secret"), m.project(".claude", "settings.json"))
	a, err := m.agent("claude")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range a.checks() {
		for _, l := range named("claude", []check{k}, m) {
			if l.State == Problem && (l.Check != "settings" || strings.Contains(l.What, "disableAllHooks")) {
				t.Errorf("%+v", l)
			}
		}
	}
	if lines := m.damaged([]string{m.project(".claude", "settings.json")}); len(lines) != 1 {
		t.Errorf("%+v", lines)
	}
}

func TestBinary(t *testing.T) {
	for name, c := range map[string]struct {
		found Program
		state State
		what  string
	}{
		"the same":        {Program{Path: "/opt/handoff", Version: "1.2.0"}, OK, "first in PATH"},
		"none":            {Program{}, Problem, "not in PATH"},
		"another version": {Program{Path: "/old/handoff", Version: "1.1.0"}, Problem, "hooks run version 1.1.0"},
		"a copy":          {Program{Path: "/old/handoff", Version: "1.2.0"}, Warning, "another copy"},
		"another program": {Program{Path: "/usr/bin/handoff", Foreign: true}, Problem, "another program called handoff"},
		"does not run":    {Program{Path: "/old/handoff", Version: ""}, Problem, "does not run"},
	} {
		m := scene{}.machine(t)
		m.Self.Version, m.Found = "1.2.0", c.found
		lines := Binary(m)
		if len(lines) != 1 || lines[0].State != c.state || !strings.Contains(lines[0].What, c.what) || c.state != OK && lines[0].Fix == "" {
			t.Errorf("%s: %+v", name, lines)
		}
	}
}
