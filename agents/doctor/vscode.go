package doctor

import "path/filepath"

func vscode() []check {
	files := func(m *Machine) []string {
		return []string{m.project(".vscode", "settings.json"), filepath.Join(m.code(), "settings.json")}
	}
	return []check{
		{"settings", func(m *Machine) []Line { return m.damaged(files(m)) }},
		{"switches", func(m *Machine) []Line { return vscodeSwitches(m, files(m)) }},
	}
}

// code is the folder of VS Code's settings of the user.
func (m *Machine) code() string {
	switch m.OS {
	case "darwin":
		return m.user("Library", "Application Support", "Code", "User")
	case "windows":
		return m.user("AppData", "Roaming", "Code", "User")
	}
	return m.user(".config", "Code", "User")
}

func vscodeSwitches(m *Machine, files []string) (lines []Line) {
	if p, ok := m.first(files, "chat.useHooks"); ok && p.is("false") {
		lines = append(lines, problem("change it to true", `"chat.useHooks" is false: no hook runs`).at(p.file, p.Line()))
	}
	if p, ok := m.first(files, "chat.useAgentsMdFile"); ok && p.is("false") {
		lines = append(lines, warning("change it to true", `"chat.useAgentsMdFile" is false: AGENTS.md is not read`).at(p.file, p.Line()))
	}
	if p, ok := m.first(files, "chat.mcp.access"); ok && p.Text() == "none" {
		lines = append(lines, warning(`change it to "all"`, `"chat.mcp.access" is "none": the MCP server does not start`).at(p.file, p.Line()))
	}
	if len(lines) == 0 {
		return []Line{good("hooks are not switched off; they also need a trusted workspace")}
	}
	return lines
}
