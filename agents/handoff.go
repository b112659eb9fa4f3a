package agents

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
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

// RunsAllowed reports whether a line for a shell runs one of the allowed commands, with any
// further arguments, and nothing else.
func RunsAllowed(line string, allow []string) bool {
	words := strings.Fields(line)
	return isPlain(line) && slices.ContainsFunc(allow, func(command string) bool {
		want := strings.Fields(command)
		return len(want) > 0 && len(words) >= len(want) && slices.Equal(words[:len(want)], want)
	})
}

// RunsExactly reports whether a line for a shell runs one of the commands, without further
// arguments, and nothing else.
func RunsExactly(line string, exact []string) bool {
	return isPlain(line) && slices.Contains(exact, strings.Join(strings.Fields(line), " "))
}

// CheckAllow reports a command that cannot be allowed. Hosts have their own patterns, so
// only characters that mean nothing in any of them are accepted.
func CheckAllow(command string) error {
	words := strings.Fields(command)
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune(" ./_-+=:@%", c)
	}
	switch at := strings.IndexFunc(command, func(c rune) bool { return !plain(c) }); {
	case len(words) == 0:
		return errors.New("--allow: want a command, as in --allow 'go test ./...'")
	case at >= 0:
		return fmt.Errorf("--allow %q: %q has a meaning in shells or in rules of agents: name a command with plain words, such as a script", command, []rune(command[at:])[0])
	case strings.Join(words, " ") != command:
		return fmt.Errorf("--allow %q: want words with one blank between them", command)
	case strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "="):
		return fmt.Errorf("--allow %q: want the name of a program first", command)
	}
	return nil
}

// allow returns what {allow} becomes in a call.
func (a Agent) allow(c Call) (string, error) {
	switch {
	case len(c.Allow)+len(c.Exact) == 0:
		return "", nil
	case cmp.Or(c.Level, Edit) != Edit:
		return "", fmt.Errorf("--allow is for the level edit, not %s", c.Level)
	case a.Permissions.Allow == "":
		return "", fmt.Errorf("%w be told which commands it may run: start %s with --via acp, or leave --allow out", ErrCannot, a.Title)
	case len(c.Exact) > 0 && a.Permissions.Exact == "":
		return "", fmt.Errorf("%w be told to run a command without further arguments", ErrCannot)
	}
	for _, command := range slices.Concat(c.Allow, c.Exact) {
		if err := CheckAllow(command); err != nil {
			return "", err
		}
	}
	return a.allowed(c), nil
}

// anyCommand is an agent's form of rules if it needs none.
const anyCommand = "any"

// allowed are the rules for the commands of a call.
func (a Agent) allowed(c Call) (rules string) {
	for _, of := range []struct {
		form     string
		commands []string
	}{{a.Permissions.Allow, c.Allow}, {a.Permissions.Exact, c.Exact}} {
		for _, command := range of.commands {
			if of.form != anyCommand {
				rules += strings.NewReplacer("{command}", command, "{pattern}", regexp.QuoteMeta(command)).Replace(of.form)
			}
		}
	}
	return rules
}

// RulesFile is the file with the rules of a call, for an agent that reads them from one; "" for
// another agent or level. Its name is that of its content, so one agent never gets the rules of
// another. The folder is that of [Agent.Within].
func (a Agent) RulesFile(c Call) (path, content string) {
	if a.Permissions.Rules == "" || cmp.Or(c.Level, Edit) != Edit || a.overACP {
		return "", ""
	}
	content = strings.ReplaceAll(a.Permissions.Rules, "{allow}", a.allowed(c))
	sum := sha256.Sum256([]byte(content))
	return filepath.Join(cmp.Or(a.rules, "RULES"), a.Name+"-"+hex.EncodeToString(sum[:8])+".toml"), content
}

// Permitted returns those of some commands that the agent's rules can express: open ones, with
// any further arguments, and exact ones, without. It returns none for an agent that may run
// every command in its sandbox.
func (a Agent) Permitted(open, exact []string) (mayRun, mayRunExactly []string) {
	told := func(form string, commands []string) []string {
		if form == "" || form == anyCommand && !a.overACP {
			return nil
		}
		return slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return CheckAllow(c) != nil })
	}
	return told(a.Permissions.Allow, open), told(a.Permissions.Exact, exact)
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
