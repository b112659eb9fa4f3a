// Package help prints the help and the manual pages of commands, completes command lines, and suggests the
// command that a misspelled one meant.
package help

// AppUsage is how handoff itself is called.
const AppUsage = "handoff COMMAND [ARGUMENT …] [flags]"

// AppDescription is what the help of handoff says about all commands.
const AppDescription = "Results go to stdout, messages to stderr. Exit status: 0 is clean, 1 findings, 2 an error. Every command takes -C DIR, " +
	"the folder to work in. `handoff COMMAND --help` explains a command, `handoff rules NAME` a finding."

// ShortDescription is what the short help says, which has the commands of every day.
const ShortDescription = "`handoff help --all` describes all commands, `handoff COMMAND --help` one."

// Group is a group of commands in the help.
type Group struct {
	Title    string
	Commands []string
	Short    Short
}

// Short is how much of a group the short help shows.
type Short int

// The short help shows the names of a group's commands, each on a line of its own with what it does, or nothing
// of them: what programs call, and what a command has for those who know it.
const (
	Names Short = iota
	Lines
	Nothing
)

// Book is what the help has besides the commands themselves.
type Book struct {
	Groups    []Group             // of the help of handoff itself: each command is in one
	Subgroups map[string][]Group  // of commands with many subcommands
	Examples  map[string][]string // by the command's name after handoff; "" for handoff itself
}
