package doctor

import (
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents/setup"
)

// manifests are the files with the version of a plugin, below its folder.
func manifests() []string {
	return []string{"plugin.json", "gemini-extension.json", "qwen-extension.json", ".cursor-plugin/plugin.json", ".codex-plugin/plugin.json", "*/.codex-plugin/plugin.json"}
}

// plugins reports handoff's plugin for a host, with its version where it is known.
// A host with a list of plugins has versions there: see listedPlugin.
func plugins(a agent, s setup.Survey) (lines []Line) {
	m, name := a.m, a.Name
	if s.Plugin == "" || slices.Contains(a.Doctor.Checks, "plugin") {
		return nil
	}
	for _, folder := range s.Folders {
		for _, manifest := range manifests() {
			found, _ := filepath.Glob(filepath.Join(folder, filepath.FromSlash(manifest))) // the patterns are well formed
			for _, file := range found {
				if version, ok := m.json(file).Get("version"); ok {
					lines = append(lines, m.plugin("handoff", version.Text(), "update the plugin in "+name).at(file, version.Line()))
				}
			}
		}
	}
	if len(lines) == 0 {
		lines = []Line{good("the plugin of handoff is installed, see %s", s.Plugin)}
	}
	return lines
}

// plugin compares the version of an installed plugin with that of the program, which
// may have a build version as a suffix.
func (m *Machine) plugin(name, version, update string) Line {
	own, _, _ := strings.Cut(m.Self.Version, " ")
	if version == "" || version == own {
		return good("the plugin %s is installed", name)
	}
	return warning(update, "the plugin %s has version %s, the program %s", name, version, own)
}
