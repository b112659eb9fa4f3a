package doctor

import (
	"path/filepath"

	"handoff/internal/file/regular"
)

// trustOfProjects reads a file with a member for each project. A folder is also trusted if one
// above it is.
func trustOfProjects(a agent) []Line {
	file := a.path(a.Doctor.Trust.File)
	state := a.m.json(file)
	for dir := range regular.Above(a.m.Root) {
		if v, found := state.Get("projects", filepath.ToSlash(dir), "hasTrustDialogAccepted"); found && string(v.JSON()) == "true" {
			return []Line{good("%s is trusted", dir).at(file, v.Line())}
		}
	}
	return []Line{warning("run `"+a.program()+"` in "+a.m.Root+" and accept its question", "%s is not trusted: hooks run with `%s -p` only, and permissions of the project are ignored", a.m.Root, a.program()).at(file, 0)}
}

// trustOfList reads a list of folders.
func trustOfList(a agent) []Line {
	file := a.path(a.Doctor.Trust.File)
	for _, name := range a.Doctor.Trust.Names {
		list, _ := a.m.first([]string{file}, name)
		for i := range list.Len() {
			if _, dir := list.At(i); holds(dir.Text(), a.m.Root) {
				return []Line{good("%s is trusted", dir.Text()).at(file, dir.Line())}
			}
		}
	}
	fix := "start " + a.program() + " in " + a.m.Root + " and trust the folder"
	if a.Doctor.Trust.Hint != "" {
		fix += "; " + a.Doctor.Trust.Hint
	}
	return []Line{problem(fix, "%s is not trusted: hooks of the repository do not run", a.m.Root).at(file, 0)}
}

// trustOfFolders reads a file with a level for each path: TRUST_FOLDER, TRUST_PARENT or
// DO_NOT_TRUST. The longest path that holds the project counts.
func trustOfFolders(a agent) []Line {
	t := a.Doctor.Trust
	if t.Env != "" && a.m.Getenv(t.Env) == "true" {
		return []Line{good("%s trusts the folder", t.Env)}
	}
	asks := !t.Unasked
	if p, ok := a.m.first(a.paths(t.Settings...), "security", "folderTrust", "enabled"); ok {
		asks = p.is("true")
	}
	if !asks {
		return []Line{good("folder trust is switched off: each folder is trusted")}
	}
	file := a.path(t.File)
	best, line, level := a.m.levelOf(file)
	fix := "start " + a.program() + " in " + a.m.Root + ", type /permissions and trust the folder"
	switch level {
	case "":
		return []Line{problem(fix, "%s is not trusted: its settings and hooks are ignored", a.m.Root).at(file, 0)}
	case "DO_NOT_TRUST":
		return []Line{problem(fix, "%s is marked as not trusted: its settings and hooks are ignored", best).at(file, line)}
	}
	return []Line{good("%s is trusted", best).at(file, line)}
}

// levelOf is the longest path of a file that holds the project, its line and its level.
func (m *Machine) levelOf(file string) (best string, line int, level string) {
	rules := m.json(file)
	for i := range rules.Len() {
		dir, v := rules.At(i)
		if v.Text() == "TRUST_PARENT" {
			dir = filepath.Dir(dir)
		}
		if holds(dir, m.Root) && len(dir) >= len(best) {
			best, line, level = dir, v.Line(), v.Text()
		}
	}
	return best, line, level
}
