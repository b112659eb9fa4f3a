package doctor

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"handoff/agents"
	"handoff/agents/setup"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/json/jsonsplice"
)

// Machine is the machine to check.
type Machine struct {
	Home   string // the user's folder
	Root   string // of the project: its repository, else the workspace
	OS     string // as runtime.GOOS
	Getenv func(string) string
	// LookPath finds a program in PATH.
	LookPath func(string) (string, error)
	Self     Program // which runs now
	Found    Program // which a host finds in PATH; its Path is "" if there is none
	// Table is the table of agents, with the project's own entries if the user has trusted
	// these; nil for the built-in one.
	Table []agents.Agent
}

// Program is an installed handoff.
type Program struct {
	Path    string // absolute, without symbolic links
	Version string // "" if it could not be asked
	Foreign bool   // it answers, but as another program
}

// setup is the machine as package setup needs it.
func (m *Machine) setup() setup.Machine {
	return setup.Machine{Home: m.Home, Getenv: m.Getenv, LookPath: m.LookPath, OS: m.OS}
}

// maxFile is more than any settings file; ~/.claude.json also has histories.
const maxFile = 64 << 20

// read reads a file. A missing file is not an error. Symbolic links out of the project
// are not followed, because the project's author could point one at any file of the user.
func (m *Machine) read(path string) (text string, exists bool, err error) {
	var src []byte
	if holds(m.Root, path) {
		src, err = nofollow.Root(m.Root).ReadFile(path, maxFile)
	} else {
		src, err = regular.Read(path, nil, maxFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	return string(src), err == nil, err
}

// project is a path in the project.
func (m *Machine) project(names ...string) string {
	return filepath.Join(m.Root, filepath.Join(names...))
}

// json reads a JSON file with comments: no value if it is not there or damaged.
func (m *Machine) json(path string) (root jsonsplice.Value) {
	text, exists, err := m.read(path)
	if err != nil || !exists {
		return root
	}
	f, err := jsonsplice.Parse(text)
	if err != nil {
		return root
	}
	return f.Root()
}

// place is a value and the file that it is in.
type place struct {
	jsonsplice.Value
	file string
}

// first is the value at a path of names in the first of some files that has it.
func (m *Machine) first(files []string, names ...string) (p place, ok bool) {
	for _, file := range files {
		if v, ok := m.json(file).Get(names...); ok {
			return place{v, file}, true
		}
	}
	return p, false
}

func (p place) is(json string) bool { return string(p.JSON()) == json }

// damaged lists the files that cannot be read. Programs ignore such a file, or do
// not start.
func (m *Machine) damaged(files []string) (lines []Line) {
	for _, file := range files {
		text, exists, err := m.read(file)
		if err == nil && exists {
			_, err = jsonsplice.Parse(text)
		}
		broken, line := (*jsonsplice.Error)(nil), 0
		if errors.As(err, &broken) {
			err, line = errors.New(broken.Text), broken.Line
		}
		if err != nil {
			lines = append(lines, problem("correct the file, or remove it", "cannot be read: %v", err).at(file, line))
		}
	}
	return lines
}

// lineOf is the line of the first place of a text, 0 if it is not there.
func lineOf(text, part string) int {
	before, _, ok := strings.Cut(text, part)
	if !ok {
		return 0
	}
	return 1 + strings.Count(before, "\n")
}

// holds reports whether a folder is a path or above it.
func holds(dir, path string) bool {
	below, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(below)
}
