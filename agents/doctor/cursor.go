package doctor

func cursor() []check {
	files := func(m *Machine) []string {
		return []string{m.project(".cursor", "hooks.json"), m.user(".cursor", "hooks.json"), m.project(".cursor", "mcp.json"), m.user(".cursor", "mcp.json")}
	}
	return []check{
		{"settings", func(m *Machine) []Line { return m.damaged(files(m)) }},
		{"switches", func(m *Machine) []Line { return cursorVersion(m, files(m)[:2]) }},
	}
}

// cursorVersion: Cursor reads a file of hooks only with a version that it knows.
func cursorVersion(m *Machine, files []string) (lines []Line) {
	for _, file := range files {
		hooks, ok := m.first([]string{file}, "hooks")
		if !ok {
			continue
		}
		if v, ok := m.first([]string{file}, "version"); !ok || !v.is("1") {
			lines = append(lines, problem(`add "version": 1`, `the file has no "version": 1: Cursor ignores it`).at(file, hooks.Line()))
		}
	}
	return lines
}
