package doctor

// binary compares the program that runs with the one that hosts find. Hooks and the
// MCP server are written as `handoff …`, so a host looks for it in PATH.
func binary(m *Machine) []Line {
	self, found := m.Self, m.Found
	switch {
	case found.Path == "":
		return []Line{problem("add its folder to PATH, in a file that your desktop and your shells read",
			"handoff is not in PATH: hooks and the MCP server do not start").at(self.Path, 0)}
	case found.Path == self.Path:
		return []Line{good("version %s, first in PATH", self.Version).at(self.Path, 0)}
	case found.Foreign:
		return []Line{problem("remove that program, or put the folder of "+self.Path+" before it in PATH",
			"PATH has another program called handoff first, which is not this one: hooks and the MCP server do nothing").at(found.Path, 0)}
	case found.Version == "":
		return []Line{problem("remove that file, or put the folder of "+self.Path+" before it in PATH",
			"PATH has another handoff first, which does not run").at(found.Path, 0)}
	case found.Version != self.Version:
		return []Line{problem("remove the older one, or change the order in PATH",
			"hooks run version %s, but this is version %s (%s)", found.Version, self.Version, self.Path).at(found.Path, 0)}
	}
	return []Line{warning("remove one of them: they will differ after an update",
		"hooks run another copy of version %s than this one (%s)", self.Version, self.Path).at(found.Path, 0)}
}
