package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/document/handoff"
	"handoff/internal/text/nearest"
	"handoff/internal/text/secret"
	"handoff/workspace"
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
		return completeLine(ctx, w, args[1:])
	}
	w.sub = calledSub(args)
	app := newApp(w, calledCommand(args))
	args, err := permute(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, append([]string{"handoff"}, args...))
}

// complain prints an error, if there is one: one line, or one for each problem
// of an input. It strips the kind in front of the text, which is meant for
// programs.
func (w *process) complain(err error) {
	if err == nil {
		return
	}
	text := err.Error()
	if errors.Is(err, handoff.ErrInvalid) {
		text = strings.ReplaceAll(text, handoff.ErrInvalid.Error()+": ", "")
	}
	text = inWords(w.dir, text, err)
	for line := range strings.Lines(secret.Hide(text)) { // errors quote input, which may contain secrets
		w.say("%s", plain(strings.TrimSuffix(line, "\n")))
	}
}

// inWords replaces what Go and the system say about a missing file or program by our
// words: lint and all other commands report it in the same ones.
func inWords(dir, text string, err error) string {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		name := pe.Path
		if rel, failed := filepath.Rel(dir, name); failed == nil && filepath.IsLocal(rel) {
			name = rel
		}
		text = strings.ReplaceAll(text, pe.Error(), name+": "+workspace.Reason(err).Error())
	}
	if ee, ok := errors.AsType[*exec.Error](err); ok {
		text = strings.ReplaceAll(text, ee.Error(), ee.Name+": "+ee.Err.Error())
	}
	if errors.Is(err, exec.ErrNotFound) {
		text = strings.ReplaceAll(text, exec.ErrNotFound.Error(), "program not found in PATH")
	}
	if errors.Is(err, fs.ErrNotExist) {
		text = strings.ReplaceAll(text, "no such file or directory", workspace.Reason(fs.ErrNotExist).Error())
	}
	return text
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
		OnUsageError:   w.usageError,

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
		cmd.OnUsageError = w.usageError
		usage := "handoff " + above + cmd.Name
		if len(cmd.Subcommands) == 0 {
			cmd.UsageText = cmp.Or(cmd.UsageText, usage+" [flags]")
			cmd.Before = w.enter
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

// build is the version of the project and, for a build that is not of its tag, the
// one that Go recorded: "0.1.0 (v0.0.0-20261122120000-0a1b2c3d4e5f)".
func build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" || info.Main.Version == "v"+handoff.Version {
		return handoff.Version
	}
	return handoff.Version + " (" + info.Main.Version + ")"
}

func (w *process) usageError(c *cli.Context, err error, _ bool) error {
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

// commandName is the command as the user types it after handoff: "artifact
// put".
func commandName(c *cli.Context) string {
	return strings.TrimPrefix(c.Command.HelpName, c.App.Name+" ")
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

// unknownCommand suggests the command that the user probably meant. above is the
// parent command, "artifact ", whose commands are listed otherwise, or empty.
func unknownCommand(commands []*cli.Command, above, name string) error {
	var names []string
	for _, c := range commands {
		names = append(names, c.Name)
	}
	if k := commandFor(name); above == "" && k != "" {
		return fmt.Errorf("unknown command %q: did you mean %s?", name, k)
	}
	if above == "" && nearest.Word(name, names) == "" {
		return fmt.Errorf("unknown command %q (`handoff --help` lists the commands)", name) // more names than fit on a line
	}
	return fmt.Errorf("unknown command %q%s", above+name, hint(name, names))
}

// commandFor returns the command that other programs call by this word, "" if there is
// none. Without it the spelling of the word would suggest a wrong command, or none.
func commandFor(word string) string {
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

// hint suggests the most similar known name, or lists all of them.
func hint(name string, known []string) string {
	if k := nearest.Word(name, known); k != "" {
		return fmt.Sprintf(": did you mean %s?", k)
	}
	return " (" + strings.Join(known, ", ") + ")"
}

// unknownRule suggests the most similar rule. It never lists all rules: there
// are too many.
func unknownRule(name string) error {
	if k := nearest.Word(name, ruleNames()); k != "" {
		return fmt.Errorf("unknown rule %q: did you mean %s?", name, k)
	}
	return fmt.Errorf("unknown rule %q (`handoff rules` lists them)", name)
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
func (w *process) enter(c *cli.Context) error {
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

// mayBeAnywhere reports whether a command works without a folder, or never fails.
func mayBeAnywhere(c *cli.Context) bool {
	switch c.Command.Name {
	case "agents", "completion", "hook", "man", "rules", "schema", "statusline":
		return true
	}
	return false
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

// alone is the action of a command that takes no arguments.
func alone(do cli.ActionFunc) cli.ActionFunc {
	return func(c *cli.Context) error {
		if err := noArguments(c); err != nil {
			return err
		}
		return do(c)
	}
}

// inWorkspace is the action of a command that works in a workspace.
func (w *process) inWorkspace(do func(*cli.Context, *workspace.Workspace) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		ws, err := w.here()
		if err != nil {
			return err
		}
		return do(c, ws)
	}
}

// noArguments rejects arguments of a command that takes none.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return fmt.Errorf("unexpected argument %q (`handoff %s --help` shows the usage)", c.Args().First(), commandName(c))
	}
	return nil
}
