package doctor

func qwen() []check {
	files := func(m *Machine) []string {
		return []string{m.project(".qwen", "settings.json"), m.user(".qwen", "settings.json")}
	}
	trust := func(m *Machine) string { return m.user(".qwen", "trustedFolders.json") }
	return []check{
		{"settings", func(m *Machine) []Line { return m.damaged(append(files(m), trust(m))) }},
		{"switches", func(m *Machine) []Line { return m.hooksConfig(files(m)) }},
		{"trust", func(m *Machine) []Line { return m.folderTrust("qwen", files(m)[1:], trust(m), false) }},
	}
}
