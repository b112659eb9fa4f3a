package setup

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/agents/setup/edit"
	"handoff/agents/skill"
	"handoff/document/handoff"
	"handoff/internal/text/managed"
)

// Kind is what a part of an installation is for.
type Kind string

// The kinds.
const (
	Hooks  Kind = "hooks"
	Server Kind = "MCP server"
	Skill  Kind = "skill"
	Typed  Kind = "command" // that a person types
	Rules  Kind = "block"   // for agents that read AGENTS.md
	Plugin Kind = "plugin"  // a file with code
	Listed Kind = "listing" // of that file, in settings
)

// program is how `handoff` is installed for one host.
type program struct {
	name     string   // as in package host
	commands []string // any of them on PATH shows that the host is installed
	folders  []string // or any of these folders
	parts    []part
	plugins  []agents.PluginSign
	shares   []string // programs whose hooks it runs, too
	next     string   // what the user has to do

	inWorktree string // what else in a linked worktree
}

// part is one edit of one file. Paths are those of [agents.Setup].
type part struct {
	kind          Kind
	project, user string
	edit          edit.Edit
	also          string    // another file of the project that the host reads in the same form; it is never written
	or            [2]string // files that are written instead if they exist
	former        bool      // only removed
}

// Builtin returns the built-in table of agents.
func Builtin() ([]agents.Agent, error) {
	var table []agents.Agent
	for _, name := range agents.Names() {
		a, err := agents.Builtin(name)
		if err != nil {
			return nil, err
		}
		table = append(table, a)
	}
	return table, nil
}

// Names are those of the hosts of a table that setup knows, sorted; nil is the built-in table.
func Names(table []agents.Agent) (names []string) {
	if table == nil {
		return host.Names()
	}
	for _, a := range table {
		if len(a.Setup.Files) > 0 {
			names = append(names, a.Name)
		}
	}
	return names
}

// programs lists the hosts of a table that setup knows, by name, and the folders of the user.
// Those that run the hooks of others come last.
func programs(table []agents.Agent) (all []program, bases map[string]agents.Base, err error) {
	bases = map[string]agents.Base{}
	for _, a := range table {
		if len(a.Setup.Files) == 0 {
			continue
		}
		maps.Copy(bases, a.Setup.Bases)
		p := program{
			name: a.Name, commands: a.Setup.Commands, folders: a.Setup.Folders, plugins: a.Setup.Plugins,
			shares: a.Hooks.Runs, next: a.Setup.Next, inWorktree: a.Setup.InWorktree,
		}
		for _, f := range a.Setup.Files {
			it, err := partOf(table, a, f)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", a.Name, err)
			}
			p.parts = append(p.parts, it)
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b program) int {
		return cmp.Or(cmp.Compare(min(len(a.shares), 1), min(len(b.shares), 1)), cmp.Compare(a.name, b.name))
	})
	return all, bases, nil
}

// kinds are the parts of the table.
var kinds = map[string]Kind{"hooks": Hooks, "server": Server, "skill": Skill, "command": Typed, "block": Rules, "plugin": Plugin, "listing": Listed}

// partOf is an entry of the table with the edit that it names.
func partOf(table []agents.Agent, a agents.Agent, f agents.SetupFile) (part, error) {
	it := part{kind: kinds[f.Part], project: f.Project, user: f.User, also: f.Also, or: [2]string{f.Or, f.OrUser}, former: f.Former}
	with, err := members(f.With)
	if err != nil {
		return it, err
	}
	switch f.Edit {
	case agents.GroupedHooks, agents.FlatHooks:
		i := slices.IndexFunc(table, func(other agents.Agent) bool { return other.Name == cmp.Or(f.Host, a.Name) })
		if i < 0 {
			return it, fmt.Errorf("setup: no host %q, whose hooks are to be written to %s", f.Host, f.Project)
		}
		it.edit = edit.Hooks{Host: table[i].Host(), Handler: f.Handler, Grouped: f.Edit == agents.GroupedHooks, With: with}
	case agents.JSONServer:
		it.edit = edit.Server{Path: f.Path, Entry: f.Entry, With: with}
	case agents.CodexTOML:
		it.edit = edit.Codex{}
	case agents.SkillFolder:
		it.project, it.user = skillFile(f.Project), skillFile(f.User)
		it.edit = edit.Whole{Content: skill.Text(), Start: "<!-- ", End: " -->"}
	case agents.CommandFile:
		text, ok := skill.Command(cmp.Or(f.Project, f.User))
		if !ok {
			return it, fmt.Errorf("setup: no command is called as the file %s", cmp.Or(f.Project, f.User))
		}
		mark := edit.Whole{Content: text, Start: "<!-- ", End: " -->"}
		if strings.HasSuffix(f.Project, ".toml") {
			mark.Start, mark.End = "# ", ""
		}
		it.edit = mark
	case agents.CommandJSON:
		summary, text, ok := skill.Typed(f.Path[len(f.Path)-1])
		if !ok {
			return it, fmt.Errorf("setup: no command is called %s", f.Path[len(f.Path)-1])
		}
		it.edit = edit.Template{Path: f.Path, About: summary, Whole: edit.Whole{Content: text, Start: "<!-- ", End: " -->"}}
	case agents.ListElement:
		it.edit = edit.Element{Path: f.Path, Entry: f.Entry}
	case agents.BlockOfLines:
		it.edit = edit.Block{Block: managed.Block{Begin: skill.BlockBegin, End: skill.BlockEnd}, Lines: skill.Block()}
	case agents.BunPlugin:
		it.edit = edit.Whole{Content: skill.OpenCodePlugin, Start: "// "}
	case agents.WholeText:
		it.edit = edit.Exact{Content: strings.ReplaceAll(f.Text, versionMark, handoff.Version), Version: versionLine(f.Text)}
	default:
		return it, fmt.Errorf("unknown edit %q", f.Edit) // never: it was checked when it was read
	}
	return it, nil
}

// members are the members of an object: name=JSON.
func members(list []string) (all []edit.Member, err error) {
	for _, text := range list {
		name, json, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("with: %q: want name=JSON", text)
		}
		all = append(all, edit.Member{Name: name, JSON: json})
	}
	return all, nil
}

func skillFile(folder string) string {
	if folder == "" {
		return ""
	}
	return strings.TrimSuffix(folder, "/") + "/" + skill.Name + "/SKILL.md"
}

// versionMark is what becomes the version of handoff in a whole file.
const versionMark = "{version}"

// versionLine is the beginning of the line with the version, "" for none.
func versionLine(text string) string {
	before, _, ok := strings.Cut(text, versionMark)
	if !ok {
		return ""
	}
	return before[strings.LastIndex(before, "\n")+1:]
}
