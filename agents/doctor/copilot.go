package doctor

import "path/filepath"

func copilot() []check {
	files := func(m *Machine) []string {
		return []string{m.project(".github", "copilot", "settings.json"), m.copilot("settings.json"), m.copilot("config.json")}
	}
	return []check{
		{"settings", func(m *Machine) []Line { return m.damaged(files(m)) }},
		{"switches", func(m *Machine) []Line {
			own := []string{m.project(".github", "hooks", "handoff.json"), m.copilot("hooks", "handoff.json")}
			if p, ok := m.first(append(files(m), own...), "disableAllHooks"); ok && p.is("true") {
				return []Line{problem("remove the line", `"disableAllHooks" is true: no hook runs`).at(p.file, p.Line())}
			}
			return []Line{good("hooks are not switched off")}
		}},
		{"trust", copilotTrust},
	}
}

func (m *Machine) copilot(names ...string) string {
	return filepath.Join(m.folder("COPILOT_HOME", ".copilot"), filepath.Join(names...))
}

// copilotTrust: the list has an older name, too.
func copilotTrust(m *Machine) []Line {
	file := m.copilot("config.json")
	for _, name := range []string{"trustedFolders", "trusted_folders"} {
		list, _ := m.first([]string{file}, name)
		for i := range list.Len() {
			if _, dir := list.At(i); holds(dir.Text(), m.Root) {
				return []Line{good("%s is trusted", dir.Text()).at(file, dir.Line())}
			}
		}
	}
	return []Line{problem("start copilot in "+m.Root+" and trust the folder; with -p, set GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS",
		"%s is not trusted: hooks of the repository do not run", m.Root).at(file, 0)}
}
