package doctor

import (
	"path/filepath"
	"strings"
)

func gemini() []check {
	files := func(m *Machine) []string {
		return []string{m.project(".gemini", "settings.json"), m.user(".gemini", "settings.json")}
	}
	return []check{
		{"settings", func(m *Machine) []Line { return m.damaged(append(files(m), m.geminiTrust())) }},
		{"switches", func(m *Machine) []Line { return m.hooksConfig(files(m)) }},
		{"trust", func(m *Machine) []Line {
			if m.Getenv("GEMINI_CLI_TRUST_WORKSPACE") == "true" {
				return []Line{good("GEMINI_CLI_TRUST_WORKSPACE trusts the folder")}
			}
			return m.folderTrust("gemini", files(m)[1:], m.geminiTrust(), true)
		}},
	}
}

func (m *Machine) geminiTrust() string {
	return m.folder("GEMINI_CLI_TRUSTED_FOLDERS_PATH", ".gemini", "trustedFolders.json")
}

// hooksConfig are the switches of Gemini CLI, and of Qwen Code, which comes from it.
func (m *Machine) hooksConfig(files []string) []Line {
	if p, ok := m.first(files, "hooksConfig", "enabled"); ok && p.is("false") {
		return []Line{problem("change it to true", `"hooksConfig.enabled" is false: no hook runs`).at(p.file, p.Line())}
	}
	if p, ok := m.first(files, "disableAllHooks"); ok && p.is("true") {
		return []Line{problem("remove the line", `"disableAllHooks" is true: no hook runs`).at(p.file, p.Line())}
	}
	for _, file := range files {
		p, _ := m.first([]string{file}, "hooksConfig", "disabled")
		for i := range p.Len() {
			if _, name := p.At(i); name.Text() == "handoff" || strings.HasPrefix(name.Text(), "handoff hook ") {
				return []Line{problem("remove it from the list", `"hooksConfig.disabled" has %s: these hooks do not run`, name.Text()).at(file, name.Line())}
			}
		}
	}
	return []Line{good("hooks are not switched off")}
}

// folderTrust reads trustedFolders.json of Gemini CLI and Qwen Code: paths with
// TRUST_FOLDER, TRUST_PARENT or DO_NOT_TRUST. The longest path that holds the
// project counts. normally is whether the question is asked without a setting.
func (m *Machine) folderTrust(program string, settings []string, file string, normally bool) []Line {
	if p, ok := m.first(settings, "security", "folderTrust", "enabled"); ok {
		normally = p.is("true")
	}
	if !normally {
		return []Line{good("folder trust is switched off: each folder is trusted")}
	}
	rules := m.json(file)
	best, line, level := "", 0, ""
	for i := range rules.Len() {
		dir, v := rules.At(i)
		if v.Text() == "TRUST_PARENT" {
			dir = filepath.Dir(dir)
		}
		if holds(dir, m.Root) && len(dir) >= len(best) {
			best, line, level = dir, v.Line(), v.Text()
		}
	}
	ask := "start " + program + " in " + m.Root + ", type /permissions and trust the folder"
	switch level {
	case "":
		return []Line{problem(ask, "%s is not trusted: its settings and hooks are ignored", m.Root).at(file, 0)}
	case "DO_NOT_TRUST":
		return []Line{problem(ask, "%s is marked as not trusted: its settings and hooks are ignored", best).at(file, line)}
	}
	return []Line{good("%s is trusted", best).at(file, line)}
}
