package doctor

import (
	"path/filepath"
	"strings"

	"handoff/agents/skill"
	"handoff/internal/file/regular"
)

func claude() []check {
	return []check{
		{"settings", func(m *Machine) []Line { return m.damaged(append(m.claudeSettings(), m.claudeState())) }},
		{"switches", claudeSwitches},
		{"trust", claudeTrust},
		{"plugin", claudePlugin},
		{"instructions", claudeInstructions},
	}
}

func (m *Machine) claudeFolder() string { return m.folder("CLAUDE_CONFIG_DIR", ".claude") }

// claudeManaged is the file of the organization.
func (m *Machine) claudeManaged() string {
	switch m.OS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	}
	return "/etc/claude-code/managed-settings.json"
}

// claudeSettings are the settings, the strongest first.
func (m *Machine) claudeSettings() []string {
	return []string{m.claudeManaged(), m.project(".claude", "settings.local.json"), m.project(".claude", "settings.json"), filepath.Join(m.claudeFolder(), "settings.json")}
}

// claudeState is the file in which Claude Code keeps which folders are trusted.
func (m *Machine) claudeState() string {
	if dir := m.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return filepath.Join(dir, ".claude.json")
	}
	return m.user(".claude.json")
}

func claudeSwitches(m *Machine) (lines []Line) {
	if p, ok := m.first(m.claudeSettings(), "disableAllHooks"); ok && p.is("true") {
		lines = append(lines, problem("remove the line", `"disableAllHooks" is true: no hook runs`).at(p.file, p.Line()))
	}
	if p, ok := m.first([]string{m.claudeManaged()}, "allowManagedHooksOnly"); ok && p.is("true") {
		lines = append(lines, problem("ask your administrator to add the hooks of handoff there",
			`"allowManagedHooksOnly" is true: only hooks of your organization run`).at(p.file, p.Line()))
	}
	for _, name := range []string{"CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"} {
		if v := m.Getenv(name); v != "" && v != "0" && v != "false" {
			lines = append(lines, problem("unset "+name, "%s is set: no hook runs, as with --bare", name))
		}
	}
	if len(lines) == 0 {
		return []Line{good("hooks are not switched off; with --bare none would run")}
	}
	return lines
}

// claudeTrust: a folder is also trusted if one above it is.
func claudeTrust(m *Machine) []Line {
	file := m.claudeState()
	state := m.json(file)
	for dir := range regular.Above(m.Root) {
		if v, found := state.Get("projects", filepath.ToSlash(dir), "hasTrustDialogAccepted"); found && string(v.JSON()) == "true" {
			return []Line{good("%s is trusted", dir).at(file, v.Line())}
		}
	}
	return []Line{warning("run `claude` in "+m.Root+" and accept its question", "%s is not trusted: hooks run with `claude -p` only, and permissions of the project are ignored", m.Root).at(file, 0)}
}

// claudePlugin finds plugins called handoff: they are named handoff@MARKETPLACE.
func claudePlugin(m *Machine) (lines []Line) {
	file := filepath.Join(m.claudeFolder(), "plugins", "installed_plugins.json")
	all, _ := m.first([]string{file}, "plugins")
	for i := range all.Len() {
		name, installs := all.At(i)
		if !strings.HasPrefix(name, "handoff@") {
			continue
		}
		if p, ok := m.first(m.claudeSettings(), "enabledPlugins", name); ok && p.is("false") {
			lines = append(lines, warning("claude plugin enable "+name, "the plugin %s is switched off", name).at(p.file, p.Line()))
			continue
		}
		for j := range installs.Len() {
			_, one := installs.At(j)
			version, _ := one.Get("version")
			lines = append(lines, m.plugin(name, version.Text(), "claude plugin update "+name).at(file, one.Line()))
		}
	}
	return append(lines, claudeAbsent(m, all)...)
}

// claudeAbsent finds plugins that settings switch on and that are not installed. A
// repository can switch one on for people who do not have it.
func claudeAbsent(m *Machine, installed place) (lines []Line) {
	for _, file := range m.claudeSettings() {
		on, _ := m.json(file).Get("enabledPlugins")
		for i := range on.Len() {
			name, v := on.At(i)
			if _, ok := installed.Get(name); !ok && strings.HasPrefix(name, "handoff@") && string(v.JSON()) == "true" {
				lines = append(lines, problem("claude plugin install "+name, "the plugin %s is switched on, but not installed", name).at(file, v.Line()))
			}
		}
	}
	return lines
}

// claudeInstructions: with a CLAUDE.md, Claude Code does not read AGENTS.md.
func claudeInstructions(m *Machine) []Line {
	agents, exists, _ := m.read(m.project("AGENTS.md"))
	if !exists || !strings.Contains(agents, skill.BlockBegin) {
		return nil
	}
	for _, name := range []string{"CLAUDE.md", filepath.Join(".claude", "CLAUDE.md")} {
		file := m.project(name)
		text, exists, _ := m.read(file)
		switch line := lineOf(text, "@AGENTS.md"); {
		case !exists:
		case strings.Contains(text, skill.BlockBegin):
			return []Line{good("%s has the block itself", name).at(file, lineOf(text, skill.BlockBegin))}
		case line > 0:
			return []Line{good("%s imports AGENTS.md", name).at(file, line)}
		default:
			return []Line{warning("add a line @AGENTS.md to it", "%s does not import AGENTS.md, so Claude Code does not read the block there", name).at(file, 0)}
		}
	}
	return []Line{good("reads AGENTS.md: there is no CLAUDE.md").at(m.project("AGENTS.md"), 0)}
}
