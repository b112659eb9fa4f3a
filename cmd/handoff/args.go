package main

import (
	"fmt"
	"slices"
	"strings"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// permute moves the flags of a command before its arguments. The library treats
// everything after the first argument as an argument, so `handoff lint a.md
// --fix` would fail. Arguments after "--" keep their order.
func permute(app *cli.App, args []string) ([]string, error) {
	var cmd *cli.Command
	var before []string // -C DIR, which may come before the command, as in git
	for len(args) > 1 && args[0] == "-C" {
		before, args = append(before, args[:2]...), args[2:]
	}
	args = spelledOut(app, args)
	for i, a := range args {
		if a == "--" {
			return args, nil
		}
		if strings.HasPrefix(a, "-") {
			continue
		}
		if cmd = app.Command(a); cmd == nil {
			return args, nil // the app's action reports it
		}
		head, tail := args[:i+1], args[i+1:]
		if len(cmd.Subcommands) > 0 {
			sub, at := subcommand(cmd, tail)
			if sub == nil {
				return args, nil // the command's action reports it
			}
			cmd, head, tail = sub, slices.Concat(head, tail[at:at+1]), slices.Concat(tail[:at], tail[at+1:])
		}
		flags, rest, err := split(cmd, tail)
		return slices.Concat(head, before, flags, []string{"--"}, rest), err
	}
	return args, nil
}

// early are the flags with a value that may come before a subcommand, as in
// RIP's client.
var early = []string{"-C", "--server", "--token-file"}

// subcommand finds the command that the first argument names, and the index of
// that argument; nil if there is none.
func subcommand(cmd *cli.Command, args []string) (*cli.Command, int) {
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		switch {
		case slices.Contains(early, args[i]):
			i++
		case !strings.HasPrefix(args[i], "-"):
			return command.CommandNamed(cmd.Subcommands, args[i]), i
		}
	}
	return nil, 0
}

// spelledOut replaces the words help and version, which people try first, by
// flags, and moves the command before --help.
func spelledOut(app *cli.App, args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "version":
		return append([]string{"--version"}, args[1:]...)
	case "help", "--help", "-h":
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			words := 1
			if cmd := app.Command(args[1]); cmd != nil && len(cmd.Subcommands) > 0 {
				words = 2
			}
			return append(slices.Clone(args[1:min(1+words, len(args))]), "--help")
		}
		if slices.Contains(args[1:], "--all") {
			return []string{"--all"}
		}
		return []string{"--help"}
	}
	return args
}

// split separates flags and arguments. With --help it drops the arguments: the
// library would look for a help topic of that name.
func split(cmd *cli.Command, args []string) (flags, rest []string, err error) {
	for len(args) > 0 {
		a := args[0]
		args = args[1:]
		switch {
		case a == "--":
			return flags, append(rest, args...), nil
		case a == "-" || !strings.HasPrefix(a, "-"):
			rest = append(rest, a)
			continue
		}
		flags = append(flags, a)
		name, _, joined := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if command.FindFlag(cmd.Flags, name) == nil && (name == "help" || name == "h") {
			return []string{"--help"}, nil, nil
		}
		if joined || !command.TakesValue(cmd, name) {
			continue
		}
		if len(args) == 0 {
			return nil, nil, fmt.Errorf("flag %s needs a value", command.Dashed(name))
		}
		flags, args = append(flags, args[0]), args[1:]
	}
	return flags, rest, nil
}
