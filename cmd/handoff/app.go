package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/internal/text/nearest"
)

// run executes one command line and returns the exit code.
func run(ctx context.Context, w *process, args []string) int {
	defer w.flushScreens()
	if wantsJSON(args) {
		return withProblem(w, func() int { return perform(ctx, w, args) })
	}
	return perform(ctx, w, args)
}

// perform is run without JSON for an error.
func perform(ctx context.Context, w *process, args []string) int {
	err := dispatch(ctx, w, args)
	var code exit
	switch {
	case err == nil && w.incomplete:
		return findings
	case err == nil:
		return clean
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		w.say("interrupted")
	default:
		w.because(err)
		w.complain(err)
	}
	if calledCommand(args) == "hook" {
		return findings // hosts read 2 as "do not continue"
	}
	return failed
}

func dispatch(ctx context.Context, w *process, args []string) error {
	if len(args) > 0 && args[0] == completeWord {
		return completeLine(ctx, w, newApp(w, ""), args[1:])
	}
	w.sub = calledSub(args)
	app := newApp(w, calledCommand(args))
	args, err := permute(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, append([]string{"handoff"}, args...))
}

// newApp builds the tree of commands, or only the called command; "" for all.
// Each run builds a new one without the library's help commands: the library
// keeps those in package variables, so one run would change them for the next.
func newApp(w *process, called string) *cli.App {
	app := &cli.App{
		Name:           "handoff",
		Usage:          "pass an agent's work to the next one: write, check and read one-screen handoffs",
		UsageText:      appUsage,
		Description:    appDescription,
		Version:        build(),
		Writer:         w.stdout,
		ErrWriter:      w.stderr,
		HideHelp:       true, // the library reports --help as an error, which usageError handles
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError(w),

		DisableSliceFlagSeparator: true, // a comma is a comma: --decision "a, b: why"
		Commands:                  commandsFor(w, called),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unknownCommand(c.App.Commands, "", c.Args().First())
			}
			return showHelp(w, appPage(c.App))
		},
	}
	prepare(w, app.Commands, "")
	return app
}

// prepare sets what all commands and their subcommands have in common. above is
// the name of the parent command with a blank, "tape ", or empty.
func prepare(w *process, commands []*cli.Command, above string) {
	for _, cmd := range commands {
		cmd.HideHelp = true
		cmd.OnUsageError = usageError(w)
		usage := "handoff " + above + cmd.Name
		if len(cmd.Subcommands) == 0 {
			cmd.UsageText = cmp.Or(cmd.UsageText, usage+" [flags]")
			cmd.Before = func(c *cli.Context) error { return enter(w, c) }
			cmd.Flags = append(cmd.Flags, dirFlag())
			continue
		}
		cmd.UsageText = usage + " COMMAND [ARGUMENT …] [flags]"
		prepare(w, cmd.Subcommands, above+cmd.Name+" ")
		cmd.Action = func(c *cli.Context) error {
			if name := c.Args().First(); name != "" && name != "help" {
				return unknownCommand(cmd.Subcommands, cmd.Name+" ", name)
			}
			return showHelp(w, commandPage(cmd, above+cmd.Name))
		}
	}
}

// usageError is how errors of the library are reported.
func usageError(w *process) cli.OnUsageErrorFunc {
	return func(c *cli.Context, err error, _ bool) error { return explainUsage(w, c, err) }
}

func explainUsage(w *process, c *cli.Context, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		if c.Command.HelpName == c.App.HelpName {
			return showHelp(w, appPage(c.App))
		}
		return showHelp(w, commandPage(c.Command, commandName(c)))
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		name = strings.TrimLeft(name, "-")
		return fmt.Errorf("unknown flag %s%s", dashed(name), flagHint(name, c.Command.Flags))
	}
	var value, name string
	for _, form := range []string{"invalid value %q for flag -%s", "invalid boolean value %q for -%s"} {
		if n, _ := fmt.Sscanf(text, form, &value, &name); n != 2 {
			continue
		}
		name = strings.TrimSuffix(name, ":")
		return fmt.Errorf("%s %q: want %s", dashed(name), value, wanted(c.Command, name))
	}
	return fmt.Errorf("%s (`handoff %s --help` lists the flags)", text, commandName(c))
}

// wanted describes the values that a flag accepts, for a value that the library
// could not parse.
func wanted(cmd *cli.Command, name string) string {
	for _, f := range cmd.Flags {
		if _, ok := f.(*cli.DurationFlag); ok && slices.Contains(f.Names(), name) {
			return "a time like 20ms, 5m or 48h"
		}
	}
	if takesValue(cmd, name) {
		return "a whole number"
	}
	return "true or false"
}

// flagHint is hint for flags: it compares names without their dashes.
func flagHint(name string, flags []cli.Flag) string {
	var names, typed []string
	for _, f := range flags {
		names = append(names, f.Names()[0])
		typed = append(typed, dashed(f.Names()[0]))
	}
	if k := nearest.Word(name, names); k != "" {
		return fmt.Sprintf(": did you mean %s?", dashed(k))
	}
	return " (" + strings.Join(typed, ", ") + ")"
}

// enter makes the folder that -C names the base of all paths. Only commands
// that have something to clean up listen for an interrupt; the others just end,
// because installing the listener takes half a millisecond.
func enter(w *process, c *cli.Context) error {
	if err := checkLevel(w, c); err != nil {
		return err
	}
	if w.untilInterrupted != nil && !mayJustEnd(c) {
		c.Context = w.untilInterrupted(c.Context)
	}
	dir := c.String("C")
	w.under = dir
	if w.gone != nil && !filepath.IsAbs(dir) && !mayBeAnywhere(c) {
		return nowhere(w)
	}
	if dir == "" {
		return nil
	}
	w.dir = w.path(dir)
	if st, err := os.Stat(w.dir); err != nil || !st.IsDir() {
		return fmt.Errorf("-C %s: no such folder", dir)
	}
	return nil
}

// nowhere is the error for a working directory that is unknown.
func nowhere(w *process) error {
	if errors.Is(w.gone, fs.ErrNotExist) {
		return errors.New("the current folder no longer exists: change to another one, or name one with -C")
	}
	return fmt.Errorf("the current folder is unknown: %w: change to another one, or name one with -C", bare(w.gone))
}

// mayJustEnd reports whether an interrupt may end a command at any time: it
// writes no files, or records one step of a handoff, which is on the disk as a
// whole or not at all.
func mayJustEnd(c *cli.Context) bool {
	switch c.Command.Name {
	case "lint":
		return !c.Bool("fix") && c.String("baseline") == "" && len(c.StringSlice("output")) == 0
	case "convert":
		return !c.Bool("write")
	case "claim", "ack", "renew", "next", "brief", "hook", "top":
		return true
	case "agents", "doctor", "gauge", "statusline", "lsp", "rules", "ls", "search", "graph", "receipts", "show", "schema", "diff", "chain", "conformance", "completion", "events", "render":
		return true
	}
	return false
}
