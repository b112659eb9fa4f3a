package doctor

import (
	"path/filepath"
	"strings"

	"handoff/agents/skill"
)

// listedPlugin finds plugins called handoff in the list that Claude Code keeps beside the user's
// settings, the last ones of the table: they are named handoff@MARKETPLACE.
func listedPlugin(a agent) (lines []Line) {
	m, settings := a.m, a.paths(a.Doctor.Settings...)
	if len(settings) == 0 {
		return nil
	}
	file := filepath.Join(filepath.Dir(settings[len(settings)-1]), "plugins", "installed_plugins.json")
	all, _ := m.first([]string{file}, "plugins")
	for i := range all.Len() {
		name, installs := all.At(i)
		if !strings.HasPrefix(name, "handoff@") {
			continue
		}
		if p, ok := m.first(settings, "enabledPlugins", name); ok && p.is("false") {
			lines = append(lines, warning("claude plugin enable "+name, "the plugin %s is switched off", name).at(p.file, p.Line()))
			continue
		}
		for j := range installs.Len() {
			_, one := installs.At(j)
			version, _ := one.Get("version")
			lines = append(lines, m.plugin(name, version.Text(), "claude plugin update "+name).at(file, one.Line()))
		}
	}
	return append(lines, m.absentPlugins(settings, all)...)
}

// absentPlugins finds plugins that settings switch on and that are not installed. A
// repository can switch one on for people who do not have it.
func (m *Machine) absentPlugins(settings []string, installed place) (lines []Line) {
	for _, file := range settings {
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

// instructions: with a CLAUDE.md, Claude Code does not read AGENTS.md.
func instructions(a agent) []Line {
	m := a.m
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
