package doctor

import "path/filepath"

func opencode() []check {
	return []check{
		{"settings", func(m *Machine) []Line {
			config := filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "opencode")
			return m.damaged([]string{m.project("opencode.json"), m.project("opencode.jsonc"), filepath.Join(config, "opencode.json"), filepath.Join(config, "opencode.jsonc")})
		}},
		{"switches", func(m *Machine) []Line {
			if v := m.Getenv("OPENCODE_PURE"); v != "" && v != "0" && v != "false" {
				return []Line{problem("unset OPENCODE_PURE", "OPENCODE_PURE is set: no plugin is loaded, as with --pure")}
			}
			return []Line{good("plugins are not switched off; with --pure none would be loaded")}
		}},
	}
}
