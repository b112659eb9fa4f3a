package agents

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"handoff/internal/text/strictyaml"
)

// Setup is how `handoff setup` installs handoff in a host.
//
// A path in it is relative to the project, or begins with a name of Bases, or home or
// config, and a colon: such a file is the user's.
type Setup struct {
	Bases    map[string]Base `yaml:"bases" json:"bases"`       // folders of the user
	Commands List            `yaml:"commands" json:"commands"` // any of them on PATH shows that the host is installed
	Folders  List            `yaml:"folders" json:"folders"`   // or any of these
	Files    []SetupFile     `yaml:"files" json:"files"`       // what is added, in this order; none if setup does not know the host
	Plugins  []PluginSign    `yaml:"plugins" json:"plugins"`   // how its own plugin of handoff is recognised
	Next     string          `yaml:"next" json:"next"`         // what the user has to do

	// InWorktree is what else in a linked worktree, for a host that reads the hooks of the
	// main checkout there; "" for one that does not.
	InWorktree string `yaml:"in_worktree" json:"in_worktree"`
}

// Base is a folder of the user.
type Base struct {
	Env     string `yaml:"env" json:"env"`       // a variable with an absolute path moves it; "" for none
	Folder  string `yaml:"folder" json:"folder"` // below the home folder, or absolute
	Mac     string `yaml:"mac" json:"mac"`       // the same on macOS, where it differs
	Windows string `yaml:"windows" json:"windows"`
}

// SetupFile is one edit of one file. "" for a path means that the host has no such file.
type SetupFile struct {
	Part    string `yaml:"part" json:"part"`       // hooks, server, skill, command, block, plugin or listing
	Edit    string `yaml:"edit" json:"edit"`       // how it is added: see [Edits]
	Project string `yaml:"project" json:"project"` // the file in a project; the folder for a skill
	User    string `yaml:"user" json:"user"`       // the file for all projects
	Also    string `yaml:"also" json:"also"`       // another file of the project that the host reads in the same form; it is never written
	Or      string `yaml:"or" json:"or"`           // is written instead of Project if it exists
	OrUser  string `yaml:"or_user" json:"or_user"` // and instead of User

	Host    string `yaml:"host" json:"host"`       // whose hooks they are, in a file that several hosts read; "" for this one's
	Handler string `yaml:"handler" json:"handler"` // JSON of one hook, with $COMMAND and $TIMEOUT for its values; $POSIX, $POWERSHELL and $CMD are the command for one shell
	Path    List   `yaml:"path" json:"path"`       // names of members on the way to what is added to JSON
	Entry   string `yaml:"entry" json:"entry"`     // JSON of the server, or of the element
	With    List   `yaml:"with" json:"with"`       // members that a file needs beside that: name=JSON
	Text    string `yaml:"text" json:"text"`       // the whole file; {version} is that of handoff
	Former  bool   `yaml:"former" json:"former"`   // an older version wrote it: it is only removed
}

// The edits, by the part that they are for.
const (
	GroupedHooks = "grouped" // hooks in JSON, in lists of their own with a matcher
	FlatHooks    = "flat"    // hooks in JSON
	JSONServer   = "json"    // the MCP server in JSON
	CodexTOML    = "toml"    // the MCP server and the switch for hooks, in the TOML of Codex
	SkillFolder  = "skill"
	BlockOfLines = "block"      // in AGENTS.md
	BunPlugin    = "typescript" // the plugin of OpenCode
	WholeText    = "text"       // a whole file: Text
	CommandFile  = "command"    // a command that a person types: package skill has its text, by the name of the file
	CommandJSON  = "template"   // the same in JSON, as the member template of an object at Path
	ListElement  = "element"    // an element of a list in JSON, which names the file of a plugin
)

// Edits are those of each part; the first one is meant if none is named.
var Edits = map[string][]string{
	"hooks": {GroupedHooks, FlatHooks}, "server": {JSONServer, CodexTOML, WholeText}, "skill": {SkillFolder}, "block": {BlockOfLines}, "plugin": {WholeText, BunPlugin}, "command": {CommandFile, CommandJSON}, "listing": {ListElement},
}

// PluginSign shows that the plugin of handoff is installed: a folder or file that exists (a
// glob), or a member of settings in JSON or TOML with a name that begins with "handoff@" and
// is switched on.
type PluginSign struct {
	Path   string `yaml:"path" json:"path"`
	Member string `yaml:"member" json:"member"`
}

// paths are all paths of the setup.
func (s Setup) paths() (all []string) {
	all = append(all, s.Folders...)
	for _, f := range s.Files {
		all = append(all, f.Project, f.User, f.Also, f.Or, f.OrUser)
	}
	for _, p := range s.Plugins {
		all = append(all, p.Path)
	}
	return all
}

func (a *Agent) checkSetup(r *strictyaml.Reading) {
	for i, f := range a.Setup.Files {
		at := fmt.Sprintf("/setup/files/%d", i)
		edits, ok := Edits[f.Part]
		switch {
		case !ok:
			r.Complain(at, "unknown part %q (hooks, server, skill, command, block, plugin, listing)", f.Part)
			continue
		case f.Edit == "":
			a.Setup.Files[i].Edit = edits[0]
		case !slices.Contains(edits, f.Edit):
			r.Complain(at, "unknown edit %q of the part %s (%s)", f.Edit, f.Part, strings.Join(edits, ", "))
		}
		switch edit := a.Setup.Files[i].Edit; {
		case (edit == GroupedHooks || edit == FlatHooks) && f.Handler == "":
			r.Complain(at, "handler is missing: the JSON of one hook, with $COMMAND and $TIMEOUT")
		case (edit == GroupedHooks || edit == FlatHooks) && f.Host == "" && len(a.Hooks.Events) == 0:
			r.Complain(at, "there are no hooks to write: add hooks with their events")
		case (edit == JSONServer || edit == ListElement || edit == CommandJSON) && (len(f.Path) == 0 || f.Entry == "" && edit != CommandJSON):
			r.Complain(at, "want path and entry: where it is in the file, and its JSON (a command has no entry)")
		case f.Project == "" && f.User == "":
			r.Complain(at, "want a file: project or user")
		}
	}
	for _, p := range slices.Concat(a.Setup.paths(), a.Doctor.paths()) {
		if problem := a.checkPath(p); problem != "" {
			r.Complain("/setup", "%q %s", p, problem)
		}
	}
}

// checkPath returns what is wrong with a path of Setup or Doctor, "" for nothing. A path of the
// project leads to a file in it that is neither git's nor handoff's own.
func (a *Agent) checkPath(p string) string {
	base, rest, ofUser := strings.Cut(p, ":")
	if _, ok := a.Setup.Bases[base]; ofUser && !ok && base != "home" && base != "config" {
		return "begins with no name of bases, and neither with home: nor config:"
	}
	if !ofUser {
		rest = p
	}
	for name := range strings.SplitSeq(strings.ToLower(rest), "/") {
		name = strings.TrimRight(name, ". ") // as Windows does
		if !ofUser && (name == ".git" || strings.HasPrefix(name, "git~") || name == ".handoff") {
			return "is a file of git or of handoff itself"
		}
	}
	if strings.ContainsAny(rest, "\\\x00") || path.IsAbs(rest) || rest != "" && path.Clean(rest) != strings.TrimSuffix(rest, "/") || strings.HasPrefix(path.Clean(rest), "..") {
		return "is not a path below a folder, with / between names"
	}
	return ""
}

// Outside returns a path of Setup or Doctor that is not in the project, in a member that the
// built-in entry does not have so; "" for none. A repository may choose only files of its own:
// neither those of the user, nor what is written to these.
func (a Agent) Outside(builtin Agent) string {
	mine, theirs := a.Setup, builtin.Setup
	if len(mine.Bases) > 0 && !same(mine.Bases, theirs.Bases) {
		return "bases:"
	}
	var chosen []string
	if !same(mine.Folders, theirs.Folders) {
		chosen = append(chosen, mine.Folders...)
	}
	if !same(mine.Files, theirs.Files) {
		chosen = append(chosen, Setup{Files: mine.Files}.paths()...)
	}
	if !same(mine.Plugins, theirs.Plugins) {
		chosen = append(chosen, Setup{Plugins: mine.Plugins}.paths()...)
	}
	if !same(a.Doctor, builtin.Doctor) {
		chosen = append(chosen, a.Doctor.paths()...)
	}
	if i := slices.IndexFunc(chosen, func(p string) bool { return strings.Contains(p, ":") }); i >= 0 {
		return chosen[i]
	}
	return ""
}
