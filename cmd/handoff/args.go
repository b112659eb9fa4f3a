package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// permute puts the flags of a command before its arguments, because the
// library takes everything behind the first argument for an argument:
// `handoff lint a.md --fix` must work. What follows "--" stays as it is.
func permute(app *cli.App, args []string) ([]string, error) {
	var cmd *cli.Command
	var before []string // -C DIR, which may stand before the command, as in git
	for len(args) > 1 && args[0] == "-C" {
		before, args = append(before, args[:2]...), args[2:]
	}
	args = spelledOut(args)
	for i, a := range args {
		if a == "--" {
			return args, nil
		}
		if strings.HasPrefix(a, "-") {
			continue
		}
		if cmd = app.Command(a); cmd == nil {
			return args, nil // said by the app's action
		}
		flags, rest, err := split(cmd, args[i+1:])
		return slices.Concat(args[:i+1], before, flags, []string{"--"}, rest), err
	}
	return args, nil
}

// spelledOut puts flags in place of the words for help and version, which
// people try first, and the command before --help.
func spelledOut(args []string) []string {
	if len(args) == 0 {
		return args
	}
	switch args[0] {
	case "version":
		return append([]string{"--version"}, args[1:]...)
	case "help", "--help", "-h":
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			return []string{args[1], "--help"}
		}
		return []string{"--help"}
	}
	return args
}

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
		if joined || !takesValue(cmd, name) {
			continue
		}
		if len(args) == 0 {
			return nil, nil, fmt.Errorf("flag %s wants a value", dashed(name))
		}
		flags, args = append(flags, args[0]), args[1:]
	}
	return flags, rest, nil
}

func takesValue(cmd *cli.Command, name string) bool {
	for _, f := range cmd.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}

// dashed is a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}
