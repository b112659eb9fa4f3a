// Package agents is the table of the programs that run a model: how each is
// started without a terminal, how it resumes a session, what it prints, where
// its transcripts are and when it compacts them. The table is data, one file an
// agent in table/; a workspace overrides or adds agents with files of the same
// form in .handoff/agents.
//
// Each entry records the version of the real program with which it was last
// tried, or that it was not. The package opens no file and starts nothing.
package agents

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/text/nearest"
	"handoff/internal/text/strictyaml"
)

// Agent is one entry. Lists of arguments may hold {session}, the id of a
// session, {file}, the path of a file with the prompt or the instructions, {rules}, that of
// a file with [Permissions.Rules], and {receipts}, the folder of receipts as a quoted string:
// see [Agent.Within].
type Agent struct {
	Name string `json:"name"` // of the file, without .yaml
	// Overridden: a file of the workspace changed the entry, so its programs and
	// arguments are only as trusted as the repository.
	Overridden bool   `json:"overridden"`
	Title      string `yaml:"title" json:"title"`
	Tried      Tried  `yaml:"tried" json:"tried"`
	Program    string `yaml:"program" json:"program"` // that is started; "" for a command that the user names
	Version    List   `yaml:"version" json:"version"` // arguments that print the version

	Prompt       Channel           `yaml:"prompt" json:"prompt"`             // how it gets the prompt, never in an argument
	Start        List              `yaml:"start" json:"start"`               // arguments of a new session without a terminal
	Resume       List              `yaml:"resume" json:"resume"`             // of one that continues; none if it cannot
	Session      List              `yaml:"session" json:"session"`           // added to Start, to choose the id; none if the agent chooses it
	Instructions List              `yaml:"instructions" json:"instructions"` // added, to pass rules in a file; none if it cannot
	Permissions  Permissions       `yaml:"permissions" json:"permissions"`
	Shell        List              `yaml:"shell" json:"shell"` // arguments with which it starts $SHELL for a command, which follows them; none if that is not known
	ACP          ACP               `yaml:"acp" json:"acp"`
	Settings     Settings          `yaml:"settings" json:"settings"`         // of a project
	Stream       string            `yaml:"stream" json:"stream"`             // format of what it prints: one of package transcript, or text
	ReportsCost  bool              `yaml:"reports_cost" json:"reports_cost"` // the stream has the cost in dollars
	Exits        map[string]string `yaml:"exits" json:"exits"`               // what exit statuses mean, besides 0 and 1

	Ends Ends `yaml:"ends" json:"ends"` // how it says why a run ended

	SessionEnv  string      `yaml:"session_env" json:"session_env"` // variable in which its commands find the id
	Transcripts Transcripts `yaml:"transcripts" json:"transcripts"`
	Context     Context     `yaml:"context" json:"context"`
	Hooks       Hooks       `yaml:"hooks" json:"hooks"`
	Detect      Detect      `yaml:"detect" json:"detect"`
	Setup       Setup       `yaml:"setup" json:"setup"`
	Doctor      Doctor      `yaml:"doctor" json:"doctor"`
	Notes       string      `yaml:"notes" json:"notes"`

	rules   string // folder of files with rules
	last    List   // arguments after all others
	overACP bool   // Program is handoff, which starts the agent
}

// Tried records the last trial with the real program.
type Tried struct {
	Version string `yaml:"version" json:"version"` // "" for nothing
	Date    string `yaml:"date" json:"date"`
	What    string `yaml:"what" json:"what"` // or from where the entry is
}

// Permissions are the arguments for what the agent may do without asking.
type Permissions struct {
	Read List `yaml:"read" json:"read"` // read files
	Edit List `yaml:"edit" json:"edit"` // and edit those of the folder
	All  List `yaml:"all" json:"all"`   // and run any command
	Env  Env  `yaml:"env" json:"env"`

	// Unkept are levels that the agent's command line does not keep, whatever it is passed:
	// at those it is started over the Agent Client Protocol, or not at all. See [Agent.Keeps].
	Unkept List `yaml:"unkept" json:"unkept"`

	// Allow is what {allow} becomes for each allowed command, which is {command} in it; "any"
	// for an agent that may run every command in its sandbox, "" for one that cannot be told.
	Allow string `yaml:"allow" json:"allow"`
	// Exact is the same for commands without further arguments; "" for an agent whose rules
	// cannot say that.
	Exact string `yaml:"exact" json:"exact"`

	// Rules are those of the level edit for an agent that reads them from a file, in which
	// {allow} is replaced; the file's name ends in .toml. In its arguments the path is {rules}.
	Rules string `yaml:"rules" json:"rules"`
}

// Env are environment variables by the name of a level, for an agent that has no argument
// for it. A variable with ? after its name is only set if it is not there.
type Env map[string]map[string]string

// ACP is how an agent is started when it speaks the Agent Client Protocol.
type ACP struct {
	Command List  `yaml:"command" json:"command"` // the program, which may be another one, and its arguments; none if it does not
	Modes   Modes `yaml:"modes" json:"modes"`
	Env     Env   `yaml:"env" json:"env"`       // instead of those of the command line
	Resume  List  `yaml:"resume" json:"resume"` // further arguments of `handoff acp` for a session that continues
}

// Modes are the modes of a session, by what the agent may do: alternatives, of which the
// first that the agent has is set. They decide what the agent does without asking its
// client. At a level without one an agent that has modes is refused, but at [All].
type Modes struct {
	Read List `yaml:"read" json:"read"`
	Edit List `yaml:"edit" json:"edit"`
	All  List `yaml:"all" json:"all"`
}

// Transcripts are the files in which an agent keeps its sessions.
type Transcripts struct {
	Env    string `yaml:"env" json:"env"`                       // variable that names Folder
	Home   string `yaml:"home" json:"home"`                     // variable that names the home folder of this agent
	Folder string `yaml:"folder" json:"folder"`                 // ~ is the home folder
	Files  string `yaml:"files" json:"files"`                   // glob below it, with {session} and {folder}
	Subs   string `yaml:"subagents" json:"subagents,omitempty"` // the same for those of subagents; "" if they have none of their own
	Format string `yaml:"format" json:"format"`                 // of package transcript; "" if there are none that handoff reads
}

// Context is how tokens are counted, and when the agent compacts.
type Context struct {
	Counts  string         `yaml:"counts" json:"counts"`   // what the used tokens are, in words
	Windows []int          `yaml:"windows" json:"windows"` // sizes of contexts, the usual one first, then larger ones
	Models  map[string]int `yaml:"models" json:"models"`   // the window of models whose name begins so
	Percent int            `yaml:"percent" json:"percent"` // of the window at which it compacts; 0 if unknown
	Reserve int            `yaml:"reserve" json:"reserve"` // tokens below that
	At      int            `yaml:"at" json:"at"`           // or the number of tokens itself
	Env     string         `yaml:"env" json:"env"`         // variable that sets a smaller window
}

// List are arguments. In YAML it is a list, or one text of words without
// spaces in them.
type List []string

// UnmarshalText reads arguments that are separated by spaces.
func (l *List) UnmarshalText(text []byte) error {
	*l = strings.Fields(string(text))
	return nil
}

// Channel is how an agent gets its prompt.
type Channel string

// The channels.
const (
	Stdin Channel = "stdin"
	File  Channel = "file" // named in Start and Resume as {file}
	None  Channel = "none" // a person types it: the agent is not started
)

// Names returns the names of the built-in agents, sorted.
func Names() []string { return slices.Clone(names[:]) }

// Builtin returns a built-in agent, which shares nothing with that of another call. The error
// suggests a name. The entries are compiled into Go: a hook needs one, and reading it from its
// file took half of the hook's time.
func Builtin(name string) (Agent, error) {
	if a, ok := builtin(name); ok {
		return a, nil
	}
	return Agent{}, unknown(name, Names())
}

// Among returns the agent of that name in a table. The error suggests one.
func Among(table []Agent, name string) (Agent, error) {
	known := make([]string, len(table))
	for i, a := range table {
		if known[i] = a.Name; a.Name == name {
			return a, nil
		}
	}
	return Agent{}, unknown(name, known)
}

func unknown(name string, known []string) error {
	return fmt.Errorf("unknown agent %q%s", name, nearest.Hint(name, known))
}

// Read reads an entry. Missing fields keep their values from base, so a workspace's
// file changes only what it names. The error lists every problem with its line.
func Read(file string, src []byte, base Agent) (Agent, error) {
	a := base
	a.Name = strings.TrimSuffix(path.Base(file), ".yaml")
	r := strictyaml.Read(file, src, &a)
	a.check(r)
	return a, r.Err()
}

// streams are the formats of package transcript, which are lines of JSON, and text, of
// which only the end is recognized.
var streams = []string{"acp", "claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen", "text"}

func (a *Agent) check(r *strictyaml.Reading) {
	a.Prompt = cmp.Or(a.Prompt, Stdin)
	a.Stream = cmp.Or(a.Stream, "text")
	if a.Title == "" {
		r.Complain("", "title is missing: the name of the agent for people")
	}
	if a.Prompt != Stdin && a.Prompt != File && a.Prompt != None {
		r.Complain("/prompt", "unknown channel %q (stdin, file, none)", string(a.Prompt))
	}
	if a.Prompt == File && !slices.ContainsFunc(a.Start, func(arg string) bool { return strings.Contains(arg, "{file}") }) {
		r.Complain("/start", "want {file} where the path of the prompt belongs, because prompt is file")
	}
	if !slices.Contains(streams, a.Stream) {
		r.Complain("/stream", "unknown format %q (%s)", a.Stream, strings.Join(streams, ", "))
	}
	if f := a.Transcripts.Format; f != "" && (f == "text" || !slices.Contains(streams, f)) {
		r.Complain("/transcripts/format", "unknown format %q (%s)", f, strings.Join(streams[:len(streams)-1], ", "))
	}
	for _, l := range a.Permissions.Unkept {
		if Level(l) == All || Level(l).Check() != nil {
			r.Complain("/permissions/unkept", "%q is not a level that can be kept (read, edit)", l)
		}
	}
	if a.Context.Percent < 0 || a.Context.Percent > 100 {
		r.Complain("/context/percent", "want a number from 0 to 100")
	}
	a.Ends.check(r)
	a.checkHooks(r)
	a.checkSetup(r)
	a.checkDoctor(r)
}

// Call is one start of an agent.
type Call struct {
	Session      string   // id to choose or to resume; "" for a new one that the agent chooses
	Resume       bool     // continue Session
	Level        Level    // "" for Edit
	PromptFile   string   // path of the prompt, for agents that get it in a file
	Instructions string   // path of rules to add to the agent's own; "" for none
	Allow        []string // commands that it may run at the level edit, with any further arguments: see [CheckAllow]
	Exact        []string // commands that it may run without further arguments: see [Agent.Told]
}

// ErrCannot is the kind of errors about what an agent cannot do.
var ErrCannot = errors.New("agent cannot")

// Args are the arguments of a call, without the program. The prompt itself is
// never among them: other users of the machine can read arguments.
func (a Agent) Args(c Call) ([]string, error) {
	args := slices.Clone(a.Start)
	switch {
	case a.Prompt == None:
		return nil, fmt.Errorf("%w be started without a person: start %s yourself, `handoff brief` prints what it should read", ErrCannot, a.Title)
	case c.Resume && c.Session == "":
		return nil, fmt.Errorf("%s: resuming needs the id of a session", a.Name)
	case c.Resume && len(a.Resume) == 0:
		return nil, fmt.Errorf("%w resume: %s starts a new session each time", ErrCannot, a.Title)
	case c.Resume:
		args = slices.Clone(a.Resume)
	case c.Session != "" && len(a.Session) == 0:
		return nil, fmt.Errorf("%w be told its session id: %s chooses it and prints it", ErrCannot, a.Title)
	case c.Session != "":
		args = append(args, a.Session...)
	}
	more, err := a.Permissions.of(c.Level)
	if err != nil {
		return nil, err
	}
	args = append(args, more...)
	if c.Instructions != "" && len(a.Instructions) == 0 {
		return nil, fmt.Errorf("%w read rules from a file: put them into the prompt of %s", ErrCannot, a.Title)
	}
	allow, err := a.allow(c)
	if err != nil {
		return nil, err
	}
	rules, _ := a.RulesFile(c)
	for i := range args {
		args[i] = strings.NewReplacer("{session}", c.Session, "{file}", c.PromptFile, "{allow}", allow, "{rules}", rules).Replace(args[i])
	}
	if a.overACP {
		for _, command := range c.Allow {
			args = append(args, "--allow", command)
		}
		for _, command := range c.Exact {
			args = append(args, "--allow-exact", command)
		}
	}
	if c.Instructions != "" {
		for _, arg := range a.Instructions {
			args = append(args, strings.ReplaceAll(arg, "{file}", c.Instructions))
		}
	}
	return append(args, a.last...), nil
}

// Within returns the entry for a workspace whose receipts are in a folder, and a user whose
// files with rules are in another, by their absolute paths. The first is for a sandbox with a
// read-only git folder, in which the agent must still record its steps.
func (a Agent) Within(receipts, rules string) Agent {
	a.rules = rules
	quoted := strconv.Quote(receipts)
	for _, list := range []*List{&a.Permissions.Read, &a.Permissions.Edit, &a.Permissions.All} {
		*list = slices.Clone(*list)
		for i, arg := range *list {
			(*list)[i] = strings.ReplaceAll(arg, "{receipts}", quoted)
		}
	}
	return a
}

func (p Permissions) of(l Level) (List, error) {
	switch cmp.Or(l, Edit) {
	case ReadOnly:
		return p.Read, nil
	case All:
		return p.All, nil
	}
	return p.Edit, l.Check()
}
