package agents

import (
	"slices"
	"strings"
)

// SuccessorCommands are the commands of handoff that a successor needs. None of
// them runs a program named in its arguments, as run and spawn do.
var SuccessorCommands = []string{"ack", "brief", "done", "lint", "new", "release", "renew", "rules", "schema", "show", "verify"}

// RunsHandoff reports whether a line for a shell runs one of [SuccessorCommands]
// and nothing else. A line that a shell would expand or redirect does not count,
// even if it is harmless.
func RunsHandoff(line string) bool {
	words := strings.Fields(line)
	return len(words) > 1 && words[0] == "handoff" && slices.Contains(SuccessorCommands, words[1]) && isPlain(line)
}

// isPlain reports whether a shell takes a line as one command with literal words.
func isPlain(line string) bool {
	const expanded = "$`\\" // also between double quotes
	quote := rune(0)
	for _, c := range line {
		switch {
		case c == quote:
			quote = 0
		case quote == '\'':
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case strings.ContainsRune(expanded, c), quote == 0 && strings.ContainsRune(";&|<>(){}[]*?!#~\n\r", c):
			return false
		}
	}
	return quote == 0
}
