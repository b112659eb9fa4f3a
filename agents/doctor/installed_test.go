package doctor

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/agents/host"
	"handoff/agents/setup"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/schematest"
	"handoff/internal/text/shellword"
)

// install runs setup on a machine.
func install(t *testing.T, m *Machine, name string, user bool) {
	t.Helper()
	plan, err := setup.Make(setup.Request{Hosts: []string{name}, Project: m.Root, User: user, Machine: m.setup()})
	if err == nil {
		_, err = plan.Apply()
	}
	if err != nil {
		t.Fatal(err)
	}
}

// change replaces a text in a file, which must be there.
func change(t *testing.T, path, old, text string) {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(src), old) {
		t.Fatalf("%s has no %q: %v\n%s", path, old, err, src)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(src), old, text)), 0o600); err != nil {
		t.Fatal(err)
	}
}

func examine(t *testing.T, m *Machine, name string, asked bool) []Line {
	t.Helper()
	lines, err := Host(m, name, asked)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lines {
		if l.Host != name || l.Check == "" || l.What == "" || l.State != OK && l.Fix == "" {
			t.Errorf("%+v", l)
		}
	}
	return lines
}

func line(lines []Line, check string, state State, what string) *Line {
	for _, l := range lines {
		if l.Check == check && l.State == state && strings.Contains(l.What, what) {
			return &l
		}
	}
	return nil
}

// TestInstalled: before setup a requested host has one problem and others have no
// line; after it, everything that setup wrote is listed, with a file and a line.
func TestInstalled(t *testing.T) {
	for _, name := range host.Names() {
		for _, user := range []bool{false, true} {
			m := scene{}.machine(t)
			if lines := examine(t, m, name, true); len(lines) != 1 || lines[0].State != Problem || lines[0].Fix != "handoff setup "+name {
				t.Errorf("%s, before: %+v", name, lines)
			}
			if lines := examine(t, m, name, false); len(lines) != 0 {
				t.Errorf("%s, not asked for: %+v", name, lines)
			}
			install(t, m, name, user)
			lines, seen := examine(t, m, name, true), 0
			for _, l := range lines {
				switch setup.Kind(l.Check) {
				case setup.Hooks, setup.Server, setup.Skill, setup.Rules, setup.Plugin:
					if seen++; l.State != OK || l.File == "" || l.Line == 0 || strings.HasPrefix(l.File, m.Home) != user {
						// Some hosts have no AGENTS.md of the user, and Goose has no file with servers that can be edited.
						if !user || setup.Kind(l.Check) != setup.Rules && name != "goose" {
							t.Errorf("%s, user %v: %+v", name, user, l)
						}
					}
				}
			}
			if seen < 3 {
				t.Errorf("%s: %+v", name, lines)
			}
		}
	}
}

// TestServerLine: the server of a file that also has hooks is reported at its own line.
func TestServerLine(t *testing.T) {
	m := scene{}.machine(t)
	install(t, m, "crush", false)
	src, err := os.ReadFile(filepath.Join(m.Root, "crush.json"))
	if err != nil {
		t.Fatal(err)
	}
	l := line(examine(t, m, "crush", true), string(setup.Server), OK, "")
	if text := strings.Split(string(src), "\n"); l == nil || !strings.Contains(text[l.Line-1], `"handoff": {`) {
		t.Errorf("%+v in\n%s", l, src)
	}
}

// TestChanged: parts that were changed, duplicated or removed since setup.
func TestChanged(t *testing.T) {
	for name, c := range map[string]struct {
		host        string
		do          func(t *testing.T, m *Machine)
		check       string
		state       State
		what, fixed string
	}{
		"hooks of an older version": {"claude", func(t *testing.T, m *Machine) {
			change(t, m.project(".claude", "settings.json"), "handoff hook stop --host claude", "handoff hook end --host claude")
		}, "hooks", Warning, "another version", "handoff setup claude"},
		"hooks taken away": {"codex", func(t *testing.T, m *Machine) {
			if err := os.Remove(m.project(".codex", "hooks.json")); err != nil {
				t.Fatal(err)
			}
		}, "hooks", Problem, "not installed", "handoff setup codex"},
		"hooks twice": {"gemini", func(t *testing.T, m *Machine) {
			src, _ := os.ReadFile(m.project(".gemini", "settings.json"))
			os.MkdirAll(m.user(".gemini"), 0o700)
			os.WriteFile(m.user(".gemini", "settings.json"), src, 0o600)
		}, "hooks", Warning, "doubled: ~/.gemini/settings.json", "handoff setup gemini --remove --user"},
		"hooks of another host": {"cursor", func(t *testing.T, m *Machine) {
			os.MkdirAll(m.project(".claude"), 0o700)
			os.WriteFile(m.project(".claude", "settings.json"), []byte(`{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"handoff hook stop --host claude"}]}]}}`), 0o600)
		}, "hooks", Warning, "also runs those of .claude/settings.json", "handoff setup cursor --remove"},
		"a plugin as well": {"claude", func(t *testing.T, m *Machine) {
			os.WriteFile(m.project(".claude", "settings.local.json"), []byte(`{"enabledPlugins":{"handoff@x":true}}`), 0o600)
		}, "hooks", Warning, "doubled: the plugin has it, too", "handoff setup claude --remove"},
		"a changed skill": {"claude", func(t *testing.T, m *Machine) {
			change(t, m.project(".claude", "skills", "handoff", "SKILL.md"), "# Handoffs", "# Mine")
		}, "skill", Warning, "changed since setup", "remove it, then handoff setup claude"},
		"an older block": {"amp", func(t *testing.T, m *Machine) {
			change(t, m.project("AGENTS.md"), "handoff:begin v3", "handoff:begin v1")
		}, "block", Warning, "another version", "handoff setup amp"},
		"a damaged file": {"cursor", func(t *testing.T, m *Machine) {
			change(t, m.project(".cursor", "hooks.json"), "]", "")
		}, "hooks", Problem, "cannot be read", "correct the file, then handoff setup cursor"},
		"another server": {"claude", func(t *testing.T, m *Machine) {
			change(t, m.project(".mcp.json"), `"command": "handoff"`, `"command": "other"`)
		}, "MCP server", Warning, "another server", "remove it, then handoff setup claude"},
		"an older plugin file": {"opencode", func(t *testing.T, m *Machine) {
			if err := os.Remove(m.project(".agents", "opencode", "handoff.ts")); err != nil {
				t.Fatal(err)
			}
		}, "plugin", Problem, "not installed", "handoff setup opencode"},
		"a plugin that is not listed": {"opencode", func(t *testing.T, m *Machine) {
			change(t, m.project("opencode.json"), "./.agents/opencode/handoff.ts", "./other.ts")
		}, "listing", Problem, "not installed", "handoff setup opencode"},
		"a plugin where an older version put it": {"opencode", func(t *testing.T, m *Machine) {
			if err := os.MkdirAll(m.project(".opencode", "plugins"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(m.project(".agents", "opencode", "handoff.ts"), m.project(".opencode", "plugins", "handoff.ts")); err != nil {
				t.Fatal(err)
			}
		}, "plugin", Warning, "another version", "handoff setup opencode"},
	} {
		t.Run(name, func(t *testing.T) {
			m := scene{}.machine(t)
			install(t, m, c.host, false)
			before := examine(t, m, c.host, true)
			if line(before, c.check, c.state, c.what) != nil {
				t.Errorf("before: %+v", before)
			}
			c.do(t, m)
			lines := examine(t, m, c.host, true)
			if l := line(lines, c.check, c.state, c.what); l == nil || l.Fix != c.fixed || l.State != Problem && !filepath.IsAbs(l.File) {
				t.Errorf("%+v", lines)
			}
		})
	}
}

// TestWorktree: hooks that Codex does not read in a linked worktree are one problem,
// and the command for it works in the main checkout.
func TestWorktree(t *testing.T) {
	m := scene{files: map[string]string{"repo/.git": "gitdir: HOME/the main/.git/worktrees/repo\n", "~/the main/.git/x": ""}}.machine(t)
	install(t, m, "codex", false)
	main, again := m.user("the main"), "cd "+shellword.Quote(m.user("the main"))+" && handoff setup codex"
	check := func(state State, what, fix string) {
		t.Helper()
		lines := examine(t, m, "codex", true)
		if l := line(lines, "hooks", state, what); l == nil || l.Fix != fix {
			t.Errorf("%s: %+v", what, lines)
		}
		if l := line(lines, "worktree", OK, "the hooks of "+main); l == nil {
			t.Errorf("%s: %+v", what, lines)
		}
	}
	check(Problem, "not installed", again)
	there := *m
	there.Root = main
	install(t, &there, "codex", false)
	check(OK, "installed", "")
	file := filepath.Join(main, ".codex", "hooks.json")
	change(t, file, "handoff hook stop", "handoff hook end")
	check(Warning, "another version", again)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(m.project(".codex", "hooks.json")); err != nil {
		t.Fatal(err)
	}
	install(t, m, "codex", true)
	change(t, m.user(".codex", "hooks.json"), "handoff hook stop", "handoff hook end")
	check(Warning, "another version", "handoff setup codex --user")
}

// TestProgram: hooks that call a program by a path that no longer exists or is
// another program.
func TestProgram(t *testing.T) {
	needs.Unix(t, "the paths of the cases are those of Unix")
	m := scene{files: map[string]string{"~/bin/handoff": "this", "~/old/handoff": "other"}}.machine(t)
	m.Self.Path, m.Found.Path = m.user("bin", "handoff"), m.user("bin", "handoff")
	install(t, m, "claude", false)
	file := m.project(".claude", "settings.json")
	for _, c := range []struct {
		before, after string
		state         State
		what          string
	}{
		{`; handoff hook`, `; ` + m.user("bin", "handoff") + ` hook`, OK, "installed"},
		{m.user("bin"), m.user("old"), Warning, "not this program"},
		{`; ` + m.user("old", "handoff") + ` hook`, `; \"` + m.user("old", "handoff") + `\" hook`, Warning, "not this program"},
		{m.user("old"), m.user("gone"), Problem, "does not exist"},
		{m.user("gone"), "$HOME/bin", OK, "installed"},
	} {
		change(t, file, c.before, c.after)
		lines := examine(t, m, "claude", true)
		l := line(lines, "hooks", c.state, c.what)
		if l == nil || c.state != OK && (l.File != file || l.Line == 0) || c.state == OK && (line(lines, "hooks", Warning, "") != nil || line(lines, "hooks", Problem, "") != nil) {
			t.Errorf("after %s: %+v", c.after, lines)
		}
	}
}

// TestPlugins: the version of a plugin is compared with that of the program.
func TestPlugins(t *testing.T) {
	for version, state := range map[string]State{"1.2.0": OK, "1.1.9": Warning} {
		m := scene{files: map[string]string{"~/.gemini/extensions/handoff/gemini-extension.json": "{\"name\":\"handoff\",\n\"version\":\"" + version + "\"}"}}.machine(t)
		m.Self.Version = "1.2.0 (v1.2.1-0.2026)"
		lines := examine(t, m, "gemini", false)
		if l := line(lines, "plugin", state, "the plugin handoff"); l == nil || l.Line != 2 {
			t.Errorf("%s: %+v", version, lines)
		}
		if line(lines, "hooks", Problem, "") != nil {
			t.Errorf("the plugin has the hooks: %+v", lines)
		}
	}
}

// TestShared: Cursor and Copilot run the hooks of Claude Code.
func TestShared(t *testing.T) {
	m := scene{}.machine(t)
	install(t, m, "claude", false)
	for _, name := range []string{"cursor", "copilot", "vscode"} {
		if lines := examine(t, m, name, true); line(lines, "hooks", OK, "runs those of .claude/settings.json") == nil {
			t.Errorf("%s: %+v", name, lines)
		}
	}
	if _, err := Host(m, "emacs", true); err == nil {
		t.Error("an unknown host was accepted")
	}
}

// TestOthers: hosts that share files with one that is set up have no lines, unless
// they are on the machine or the user asked.
func TestOthers(t *testing.T) {
	m := scene{}.machine(t)
	for _, name := range []string{"claude", "codex"} {
		install(t, m, name, false)
	}
	for _, name := range host.Names() {
		lines := examine(t, m, name, false)
		if isSetUp := name == "claude" || name == "codex"; (len(lines) > 0) != isSetUp {
			t.Errorf("%s: %+v", name, lines)
		}
	}
	if lines := examine(t, m, "crush", true); line(lines, "hooks", Problem, "not installed") == nil || line(lines, "skill", OK, "installed") == nil {
		t.Errorf("crush, asked for: %+v", lines)
	}
}

// TestSchema: results match the published schema, and one without what to do does
// not.
func TestSchema(t *testing.T) {
	s := schematest.Compile(t, "doctor")
	validate := func(r Result) error {
		src, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(src))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v)
	}
	m := scene{files: map[string]string{"~/.claude/settings.json": `{"disableAllHooks":true}`}}.machine(t)
	install(t, m, "claude", false)
	r := Sum(append(Binary(m), examine(t, m, "claude", true)...))
	if err := validate(r); err != nil || r.State != Problem || len(r.Lines) < 5 {
		t.Errorf("%v: %+v", err, r)
	}
	if validate(Sum([]Line{{Check: "trust", State: Warning, What: "x"}})) == nil {
		t.Error("a warning without a fix was accepted")
	}
}

// TestFoundOnly: a host on the machine without handoff is a warning.
func TestFoundOnly(t *testing.T) {
	m := scene{files: map[string]string{"repo/.gemini/settings.json": "{}"}}.machine(t)
	lines := examine(t, m, "gemini", false)
	if len(lines) != 1 || lines[0].State != Warning || !strings.Contains(lines[0].What, ".gemini") {
		t.Errorf("%+v", lines)
	}
}
