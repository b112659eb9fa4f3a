package agents

import (
	"path"
	"slices"
	"strings"
)

// Settings are files of a project that a host runs or obeys: hooks, servers, permissions,
// plugins. Patterns are below the project; one that ends with / is a folder with all in it.
type Settings struct {
	Files List `yaml:"files" json:"files"`
	Own   List `yaml:"own" json:"own"` // of these, what the host itself writes while it runs
}

// common are settings of programs that are no agents, but run on agents' files: of handoff
// itself, of git's hooks, of editors and shells.
var common = Settings{Files: List{
	".handoff.yaml", ".handoff/agents/", ".handoff/templates/", ".agents/", ".kiro/",
	".vscode/", ".idea/", ".devcontainer/", ".env", ".envrc",
	".husky/", ".githooks/", ".lefthook*/", "lefthook*.*", ".lefthook*.*", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml",
}}

// AllSettings are the settings of all built-in agents: the next agent may be any of them.
func AllSettings() Settings {
	all := Settings{Files: slices.Clone(common.Files)}
	for _, name := range Names() {
		a, _ := Builtin(name) // embedded and tested
		all.Files, all.Own = append(all.Files, a.Settings.Files...), append(all.Own, a.Settings.Own...)
	}
	for _, list := range []*List{&all.Files, &all.Own} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return all
}

// IsSetting reports whether a path below a folder, with forward slashes, is of git, of
// handoff's own records or one of [AllSettings]: an agent below [All] must not write it.
// Every folder may be the project of another agent, and file systems may ignore case.
func IsSetting(rel string) bool {
	names := strings.Split(strings.ToLower(path.Clean(rel)), "/")
	if slices.Contains(names, ".git") || slices.Contains(names, ".handoff") {
		return true
	}
	for _, pattern := range AllSettings().Files {
		want := strings.Split(strings.TrimSuffix(strings.ToLower(pattern), "/"), "/")
		for at := range names {
			if begins(names[at:], want, strings.HasSuffix(pattern, "/")) {
				return true
			}
		}
	}
	return false
}

// begins reports whether a path is what a pattern names, in the folder that it names, or a
// folder on the way there: who replaces that replaces the setting.
func begins(names, want []string, folder bool) bool {
	if len(names) > len(want) && !folder {
		return false
	}
	for i := range min(len(names), len(want)) {
		if ok, _ := path.Match(want[i], names[i]); !ok {
			return false
		}
	}
	return len(names) >= len(want) || strings.HasPrefix(names[0], ".")
}
