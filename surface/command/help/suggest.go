package help

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"handoff/internal/text/nearest"
	"handoff/surface/command/cli"
	"handoff/surface/problem"
)

// Unknown suggests the command that the user probably meant. above is the
// parent command, "artifact ", whose commands are listed otherwise, or empty.
func Unknown(commands []*cli.Command, above, name string) error {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	known, hint := cmp.Or(commandIn(above, name, names), nearest.Word(name, names)), " ("+strings.Join(names, ", ")+")"
	if above == "" {
		known, hint = cmp.Or(CommandFor(name), known), " (`handoff --help` lists the commands)" // more names than fit on a line
	}
	if known != "" {
		hint = fmt.Sprintf(": did you mean %s?", known)
	}
	alone, _, _ := strings.Cut(known, " (")
	return &problem.UnknownError{Kind: problem.Command, Name: above + name, Nearest: alone, Text: fmt.Sprintf("unknown command %q%s", above+name, hint)}
}

// commandIn returns the command that newcomers mean by a word below another command, "" if there is none.
func commandIn(above, word string, names []string) string {
	switch also := map[string]string{"ls": "list", "list": "ls", "new": "create", "post": "post-message", "rm": "delete"}[word]; {
	case also != "" && slices.Contains(names, also):
		return above + also
	case above == "thread " && slices.Contains([]string{"run", "compile"}, word):
		return word + " THREAD"
	}
	return ""
}

// CommandFor returns the command that other programs call by this word, "" if there is
// none. Without it the spelling of the word would suggest a wrong command, or none.
func CommandFor(word string) string {
	switch word {
	case "add", "create", "write":
		return "new"
	case "check", "validate":
		return "lint"
	case "archive", "close", "rename", "reopen":
		return "task " + word
	case "complete", "finish":
		return "done"
	case "config", "configure":
		return "init (what .handoff.yaml may contain: `handoff schema config`)"
	case "continue":
		return "spawn"
	case "cat", "view":
		return "show"
	case "dashboard", "ui", "web":
		return "serve"
	case "delete", "remove", "rm":
		return "task archive (nothing deletes a handoff; `handoff new --replace REF` supersedes one)"
	case "edit", "replace":
		return "new --replace REF (or edit the file, and `handoff lint` it)"
	case "gc", "clean", "prune":
		return "artifact gc"
	case "history", "log":
		return "chain"
	case "install", "uninstall":
		return "setup"
	case "list":
		return "ls"
	case "read", "resume":
		return "brief"
	case "ready", "waiting":
		return "next"
	case "status":
		return "top"
	case "take":
		return "claim"
	case "tasks":
		return "task list"
	case "undo":
		return "new --replace REF, task reopen TASK, or claim REF --force (which reopens what is done)"
	}
	return ""
}
