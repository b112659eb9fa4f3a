package setup

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"handoff/agents"
	"handoff/internal/file/nofollow"
)

// Machine is the part of the process that setup needs.
type Machine struct {
	Home     string // absolute; "" if unknown: then nothing of the user is read
	Getenv   func(string) string
	LookPath func(string) (string, error) // finds a program
	OS       string                       // GOOS

	bases map[string]agents.Base // folders of the user, by the names that the table gives them
}

// base is the folder of the user with a name of the table.
func (m Machine) base(name string) agents.Base {
	switch name {
	case "home":
		return agents.Base{Folder: "."}
	case "config":
		return agents.Base{Env: "XDG_CONFIG_HOME", Folder: ".config"}
	}
	b := m.bases[name]
	switch m.OS {
	case "darwin":
		b.Folder = cmp.Or(b.Mac, b.Folder)
	case "windows":
		b.Folder = cmp.Or(b.Windows, b.Folder)
	}
	return b
}

// Path is the absolute path of a path of the table, with these folders of the user; "" if there
// is none.
func (m Machine) Path(project, path string, bases map[string]agents.Base) string {
	m.bases = bases
	at, _ := m.at(project, path)
	return at.path
}

// place is where a file is.
type place struct {
	path  string        // absolute
	shown string        // for people: below the project, or from ~
	top   string        // no folder is removed here or above
	root  nofollow.Root // of a project; the user's own folders may be links
}

// at is the place of a path of the table. ok is false for "".
func (m Machine) at(project, path string) (p place, ok bool) {
	name, rest, ofUser := strings.Cut(path, ":")
	switch {
	case path == "":
		return place{}, false
	case !ofUser:
		full := within(project, filepath.Join(project, filepath.FromSlash(path)))
		return place{full, path, project, nofollow.Root(project)}, true
	}
	b := m.base(name)
	folder, top := filepath.Join(m.Home, filepath.FromSlash(b.Folder)), m.Home
	if moved := m.moved(b.Env); moved != "" {
		folder, top = moved, moved
	} else if filepath.IsAbs(b.Folder) {
		folder, top = b.Folder, b.Folder
	} else if m.Home == "" || b.Folder == "" {
		return place{}, false
	}
	full := filepath.Join(folder, filepath.FromSlash(rest))
	shown := full
	if below, err := filepath.Rel(m.Home, full); m.Home != "" && err == nil && filepath.IsLocal(below) {
		shown = "~/" + filepath.ToSlash(below)
	}
	return place{full, shown, top, nofollow.Named}, true
}

// within resolves links that stay in the project: AGENTS.md may be a link to
// CLAUDE.md. A path with another link is returned unchanged, and is refused when it
// is read. So is a path into git's folder, where a file may be a program.
func within(project, full string) string {
	for up := full; up != project; up = filepath.Dir(up) {
		real, err := nofollow.Root(project).Inside(up)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		home, other := filepath.EvalSymlinks(project)
		if err != nil || other != nil {
			return full
		}
		below, err := filepath.Rel(home, real)
		if first, _, _ := strings.Cut(filepath.ToSlash(below), "/"); err != nil || !filepath.IsLocal(below) || first == ".git" {
			return full
		}
		return filepath.Join(project, below, strings.TrimPrefix(full, up))
	}
	return full
}

// moved is the absolute folder in a variable, else "".
func (m Machine) moved(variable string) string {
	if variable == "" {
		return ""
	}
	if dir := m.Getenv(variable); filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return ""
}
