package host

import (
	"slices"
	"strings"
)

// Shell is a kind of shell that runs the line of a hook.
type Shell string

// The shells.
const (
	POSIX      Shell = "posix"      // sh, bash, zsh, and fish
	PowerShell Shell = "powershell" // 5.1 or newer
	Cmd        Shell = "cmd"        // cmd.exe
)

// Shells are all shells.
var Shells = []Shell{POSIX, PowerShell, Cmd}

// Always ends the command line of a hook: whatever runs before it, the shell exits with 0.
const Always = "; exit 0"

// What makes a line quiet where handoff is missing. The first statement is for PowerShell, and only names two arguments in a
// POSIX shell. The second one is for a POSIX shell; PowerShell finds no command exec, and says nothing of it after the first.
const (
	noErrors = "set ErrorActionPreference SilentlyContinue; "
	noStderr = "exec 2>/dev/null; "
	ifThere  = "command -v handoff >/dev/null && " // also in fish, whose exec wants a program
)

// each stands before [Always] in a line for POSIX shells, cmd.exe and PowerShell. A POSIX shell reads \" as an argument, then a
// redirection and an exit, and the rest as a comment. For cmd.exe the quotation marks enclose all that, and its own redirection
// and exit follow. PowerShell reads two strings, which `handoff hook` ignores: see [IsRest].
const each = `\" 2>/dev/null ; exit 0 # " ' 2>nul & exit 0 & rem ' `

// Command is the line that a host runs, in the same words in all files: some hosts
// read each other's files and run equal commands once.
func (h Host) Command(e Event) string { return h.CommandIn(e, h.Shells...) }

// CommandIn is the line for a field of the settings that is run by one of these shells.
//
// Hosts stop an agent if a hook exits with 2. Settings are committed, and on another machine
// `handoff` may be missing or another program (two packages of that name exit with 2 for an
// unknown command), and a crash of Go exits with 2, too. So the line ends with [Always]. Where
// handoff is missing it prints nothing: some hosts show what a hook prints to the person, at each event.
//
// Where PowerShell and cmd.exe may run the same line, PowerShell says that it finds no command: nothing that both of them
// read makes it quiet. In a field for cmd.exe alone it is the command: cmd.exe passes [Always] on as arguments.
func (h Host) CommandIn(e Event, shells ...Shell) string {
	line := "handoff hook " + string(e) + " --host " + h.Name + " " + Always
	posix, power := slices.Contains(shells, POSIX), slices.Contains(shells, PowerShell)
	switch {
	case posix && slices.Contains(shells, Cmd):
		return strings.TrimSuffix(line, Always) + each + Always
	case slices.Contains(shells, Cmd):
		return line
	case posix && power:
		return noErrors + noStderr + line
	case power:
		return noErrors + line
	case posix:
		return ifThere + line
	}
	return line
}

// IsRest reports whether arguments after the event are what a shell passes on of the line: all after the command, or one of
// the strings that are meant for another shell.
func IsRest(args []string) bool {
	text := strings.Join(args, " ")
	return text == "" || text == Always || strings.HasPrefix(text, `"`) || strings.HasPrefix(text, `\`)
}

// IsCommand reports whether a line is one of [Host.CommandIn], of this version or an older one.
func IsCommand(line string) bool {
	for _, before := range []string{noErrors, noStderr, ifThere} {
		line = strings.TrimPrefix(line, before)
	}
	return strings.HasPrefix(line, "handoff hook ")
}
