package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/surface/command"
	agentcmd "handoff/surface/command/agents"
	"handoff/surface/command/artifacts"
	"handoff/surface/command/check"
	"handoff/surface/command/claims"
	"handoff/surface/command/conversion"
	"handoff/surface/command/handoffs"
	"handoff/surface/command/help"
	"handoff/surface/command/hosts"
	"handoff/surface/command/plumbing"
	"handoff/surface/command/reading"
	"handoff/surface/command/relays"
	"handoff/surface/command/serving"
	"handoff/surface/command/stores"
	tapecmd "handoff/surface/command/tapes"
	threadcmd "handoff/surface/command/threads"
	"handoff/surface/command/watching"
)

// commandMaker builds the command of that name.
type commandMaker struct {
	name string
	make func(*command.Process) *cli.Command
}

// commandMakers are all commands, in the order of completion and suggestions.
func commandMakers() []commandMaker {
	return []commandMaker{
		{"init", handoffs.Init}, {"new", handoffs.New}, {"lint", check.Lint}, {"fix", check.Fix}, {"rules", check.Rules},
		{"ls", reading.List}, {"search", reading.Search}, {"show", reading.Show}, {"brief", reading.Brief}, {"sync", watching.Sync}, {"watch", watching.Watch},
		{"verify", check.Verify}, {"trust", watching.Trust}, {"graph", reading.Graph},
		{"next", claims.Next}, {"top", claims.Top}, {"claim", claims.Claim}, {"ack", claims.Ack}, {"renew", claims.Renew},
		{"release", claims.Release}, {"done", claims.Done}, {"receipts", claims.Receipts}, {"task", claims.Task}, {"spawn", relays.Spawn}, {"relay", relays.Relay},
		{"agents", agentcmd.Agents}, {"gauge", agentcmd.Gauge}, {"sessions", agentcmd.Sessions}, {"draft", handoffs.Draft}, {"statusline", agentcmd.Statusline}, {"acp", relays.ACP},
		{"setup", hosts.Setup}, {"doctor", hosts.Doctor}, {"hook", hosts.Hook}, {"mcp", serving.MCP}, {"lsp", serving.LSP},
		{"bundle", artifacts.Bundle}, {"convert", conversion.Convert}, {"artifact", artifacts.Artifact}, {"thread", threadcmd.Thread},
		{"tape", tapecmd.Tape}, {"store", stores.Store}, {"run", threadcmd.Run}, {"compile", threadcmd.Compile}, {"render", threadcmd.Render},
		{"serve", serving.Serve}, {"schema", plumbing.Schema}, {"completion", help.Completion}, {"demo", demoCommand},
		{"man", help.Man}, {"conformance", plumbing.Conformance}, {"diff", reading.Diff}, {"chain", reading.Chain}, {"restore", claims.Restore},
	}
}

// commandsFor builds the called command, none for "version", or all if called is ""
// or not a command.
// Agents call the binary in hooks: building all commands with their flags and
// help texts takes a millisecond, as much as the rest of a short command.
func commandsFor(w *command.Process, called string) (all []*cli.Command) {
	makers := commandMakers()
	if called == "version" {
		return nil // it prints one line
	}
	if i := slices.IndexFunc(makers, func(m commandMaker) bool { return m.name == called }); i >= 0 {
		makers = makers[i : i+1]
	}
	for _, m := range makers {
		all = append(all, m.make(w))
	}
	return all
}

// calledCommand is the command that the arguments call, or "" if that needs all
// commands: help, manual pages, a misspelled name, an alias.
func calledCommand(args []string) string {
	for len(args) > 1 && args[0] == "-C" {
		args = args[2:]
	}
	switch {
	case len(args) == 0, args[0] == "man", args[0] == "version" && len(args) > 1:
		return ""
	case args[0] == "--version" && len(args) == 1:
		return "version"
	}
	return args[0]
}

// calledSub is the subcommand of thread or tape that the arguments call, "" if all are needed.
func calledSub(args []string) string {
	for len(args) > 1 && args[0] == "-C" {
		args = args[2:]
	}
	if len(args) == 0 || args[0] != "thread" && args[0] != "tape" {
		return ""
	}
	for args = args[1:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "help":
			return ""
		case !strings.HasPrefix(args[0], "-"):
			return args[0]
		case slices.Contains(early, args[0]) && len(args) > 1:
			args = args[1:]
		}
	}
	return ""
}
