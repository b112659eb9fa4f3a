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

	"handoff/internal/text/nearest"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/help"
	"handoff/surface/command/operations"
	"handoff/surface/problem"
)

// run executes one command line and returns the exit code.
func run(ctx context.Context, w *command.Process, args []string) int {
	defer w.FlushScreens()
	if command.WantsJSON(args) {
		return command.WithProblem(w, func() int { return perform(ctx, w, args) })
	}
	return perform(ctx, w, args)
}

// perform is run without JSON for an error.
func perform(ctx context.Context, w *command.Process, args []string) int {
	err := dispatch(ctx, w, args)
	var code command.Exit
	switch {
	case err == nil && w.Incomplete:
		return command.Findings
	case err == nil:
		return command.Clean
	case errors.As(err, &code):
		return int(code)
	case errors.Is(err, context.Canceled):
		w.Say("interrupted")
	default:
		w.Because(err)
		w.Complain(err)
		help.Advise(ctx, w, err)
	}
	if calledCommand(args) == "hook" {
		return command.Findings // hosts read 2 as "do not continue"
	}
	return command.Failed
}

func dispatch(ctx context.Context, w *command.Process, args []string) error {
	if len(args) > 0 && args[0] == help.CompleteWord {
		return help.CompleteLine(ctx, w, newApp(w, ""), args[1:])
	}
	w.Sub = calledSub(args)
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
func newApp(w *command.Process, called string) *cli.App {
	all := false
	app := &cli.App{
		Name:           "handoff",
		Usage:          "pass an agent's work to the next one: write, check and read one-screen handoffs",
		UsageText:      help.AppUsage,
		Description:    help.AppDescription,
		Version:        command.Version(),
		Writer:         w.Stdout,
		ErrWriter:      w.Stderr,
		HideHelp:       true, // the library reports --help as an error, which usageError handles
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError:   usageError(w),

		DisableSliceFlagSeparator: true,                                                                    // a comma is a comma: --decision "a, b: why"
		Flags:                     []cli.Flag{&cli.BoolFlag{Name: "all", Destination: &all, Hidden: true}}, // of help
		Commands:                  commandsFor(w, called),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return help.Unknown(c.App.Commands, "", c.Args().First())
			}
			if all {
				return help.Show(w, book.AppPage(c.App))
			}
			return help.Show(w, book.ShortPage(c.App))
		},
	}
	prepare(w, app.Commands, "")
	return app
}

// prepare sets what all commands and their subcommands have in common. above is
// the name of the parent command with a blank, "tape ", or empty.
func prepare(w *command.Process, commands []*cli.Command, above string) {
	for _, cmd := range commands {
		cmd.HideHelp = true
		cmd.OnUsageError = usageError(w)
		usage := "handoff " + above + cmd.Name
		if len(cmd.Subcommands) == 0 {
			cmd.UsageText = cmp.Or(cmd.UsageText, usage+" [flags]")
			cmd.Before = func(c *cli.Context) error {
				if err := enter(w, c); err != nil {
					return err
				}
				cmd.Flags = command.GivenFlags(c) // of all others, the library would look for an action by comparing each with each
				return nil
			}
			cmd.Flags = append(cmd.Flags, command.DirFlag())
			continue
		}
		cmd.UsageText = usage + " COMMAND [ARGUMENT …] [flags]"
		prepare(w, cmd.Subcommands, above+cmd.Name+" ")
		cmd.Action = func(c *cli.Context) error {
			if name := c.Args().First(); name != "" && name != "help" {
				return help.Unknown(cmd.Subcommands, cmd.Name+" ", name)
			}
			return help.Show(w, book.CommandPage(cmd, above+cmd.Name))
		}
	}
}

// usageError is how errors of the library are reported.
func usageError(w *command.Process) cli.OnUsageErrorFunc {
	return func(c *cli.Context, err error, _ bool) error { return explainUsage(w, c, err) }
}

func explainUsage(w *command.Process, c *cli.Context, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		if c.Command.HelpName == c.App.HelpName {
			return help.Show(w, book.ShortPage(c.App))
		}
		return help.Show(w, book.CommandPage(c.Command, command.CommandName(c)))
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: "); ok {
		name = strings.TrimLeft(name, "-")
		return unknownFlag(name, command.CommandName(c), c.Command.Flags)
	}
	var value, name string
	for _, form := range []string{"invalid value %q for flag -%s", "invalid boolean value %q for -%s"} {
		if n, _ := fmt.Sscanf(text, form, &value, &name); n != 2 {
			continue
		}
		name = strings.TrimSuffix(name, ":")
		return fmt.Errorf("%s %q: want %s", command.Dashed(name), value, wanted(c.Command, name))
	}
	return fmt.Errorf("%s (`handoff %s --help` lists the flags)", text, command.CommandName(c))
}

// wanted describes the values that a flag accepts, for a value that the library
// could not parse.
func wanted(cmd *cli.Command, name string) string {
	for _, f := range cmd.Flags {
		if _, ok := f.(*cli.DurationFlag); ok && slices.Contains(f.Names(), name) {
			return "a time like 20ms, 5m or 48h"
		}
	}
	if command.TakesValue(cmd, name) {
		return "a whole number"
	}
	return "true or false"
}

// mostListed is how many flags an error lists: more are a page, not a line.
const mostListed = 12

// unknownFlag is the error for a name that is not one of the flags of a command. It compares names without their dashes.
func unknownFlag(name, of string, flags []cli.Flag) error {
	var names, typed []string
	for _, f := range flags {
		names = append(names, f.Names()[0])
		typed = append(typed, command.Dashed(f.Names()[0]))
	}
	e := &problem.UnknownError{Kind: problem.Flag, Name: command.Dashed(name), Text: fmt.Sprintf("unknown flag %s (%s)", command.Dashed(name), strings.Join(typed, ", "))}
	if len(typed) > mostListed {
		e.Text = fmt.Sprintf("unknown flag %s (`handoff %s --help` lists the flags)", e.Name, of)
	}
	if k := nearest.Word(name, names); k != "" {
		e.Nearest = command.Dashed(k)
		e.Text = fmt.Sprintf("unknown flag %s: did you mean %s?", e.Name, e.Nearest)
	}
	return e
}

// enter makes the folder that -C names the base of all paths. Only commands
// that have something to clean up listen for an interrupt; the others just end,
// because installing the listener takes half a millisecond.
func enter(w *command.Process, c *cli.Context) error {
	if err := operations.CheckLevel(w, c); err != nil {
		return err
	}
	if w.UntilInterrupted != nil && !mayJustEnd(c) {
		c.Context = w.UntilInterrupted(c.Context)
	}
	dir := c.String("C")
	w.Under = dir
	if w.DirError != nil && !filepath.IsAbs(dir) && !operations.MayBeAnywhere(c) {
		return nowhere(w)
	}
	if dir == "" {
		return nil
	}
	w.Dir = w.Path(dir)
	if st, err := os.Stat(w.Dir); err != nil || !st.IsDir() {
		return fmt.Errorf("-C %s: no such folder", dir)
	}
	return nil
}

// nowhere is the error for a working directory that is unknown.
func nowhere(w *command.Process) error {
	if errors.Is(w.DirError, fs.ErrNotExist) {
		return errors.New("the current folder no longer exists: change to another one, or name one with -C")
	}
	return fmt.Errorf("the current folder is unknown: %w: change to another one, or name one with -C", command.Bare(w.DirError))
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
