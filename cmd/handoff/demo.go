package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// demoOptions are the options of demo.
type demoOptions struct {
	keep, write, relay bool
	color              string
}

func demoCommand(w *command.Process) *cli.Command {
	o := new(demoOptions)
	return &cli.Command{
		Name:      "demo",
		Usage:     "watch one agent continue the work of another one",
		UsageText: "handoff demo [--write | --relay] [--keep]",
		Description: "An agent stops at its usage limit in the middle of its work, and another one finishes it. The\n" +
			"session is a recorded one; the commands that are printed are run, in folders of their own, and what\n" +
			"is printed below them is their output. --write shows how a handoff is written and checked instead,\n" +
			"--relay agents one after the other. None of them needs an agent, a key or the network. The folders are deleted at the end.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "write", Destination: &o.write, Usage: "write a handoff: a vague one is refused, a good one is linked and verified"},
			&cli.BoolFlag{Name: "relay", Destination: &o.relay, Usage: "run a relay of two agents, which are a script"},
			&cli.BoolFlag{Name: "keep", Destination: &o.keep, Usage: "keep the folders, to continue there"},
			command.ColourFlag(&o.color),
		},
		Action: command.Alone(func(c *cli.Context) error { return runDemo(c.Context, w, o) }),
	}
}

// A demoStep is a part of a demo: a sentence that explains it, and what is shown below it.
type demoStep struct {
	says string
	show func(*demo)
}

// demo is a demo that runs. After an error its methods do nothing.
type demo struct {
	err    error
	ctx    context.Context
	w      *command.Process
	dir    string // of everything that it writes
	out    io.Writer
	colour bool
}

func runDemo(ctx context.Context, w *command.Process, o *demoOptions) error {
	opening, steps := storyOpening, storySteps()
	switch {
	case o.write && o.relay:
		return errors.New("--write and --relay exclude each other")
	case o.relay:
		opening, steps = relayOpening, relaySteps()
	case o.write:
		opening, steps = "A copy of the worked example is in", writeSteps()
	}
	dir, err := os.MkdirTemp("", "handoff-demo-")
	if err != nil {
		return err
	}
	fate := "deleted at the end; --keep keeps it"
	if o.keep {
		fate = "kept"
	} else {
		defer os.RemoveAll(dir)
	}
	d := &demo{ctx: ctx, w: w, dir: dir, out: command.Painted(w.Stdout), colour: w.Colour(o.color, w.Stdout)}
	d.printf("%s %s (%s).\n", opening, command.Plain(dir), fate)
	for i, step := range steps {
		d.printf("\n%s\n", command.Styled(d.colour, command.Heading, strconv.Itoa(i+1)+". "+step.says))
		if step.show(d); d.err != nil {
			return fmt.Errorf("demo: step %d: %w", i+1, errors.Join(ctx.Err(), d.err))
		}
	}
	d.printf("\nNext: `handoff init` in a repository of your own; `handoff setup claude` (codex, gemini, …) installs it in your agent.\n")
	return d.err
}

func (d *demo) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.out, format, args...)
	}
}

// typed shows a command as the user types it.
func (d *demo) typed(prompt, line string) {
	d.printf("   %s\n", command.Styled(d.colour, command.Bold, prompt+"$ "+line))
}

// handoff runs a command of handoff in a folder, with an environment of its own, and returns what it
// prints. An exit status other than the expected one is an error.
func (d *demo) handoff(dir string, getenv func(string) string, expected int, args ...string) string {
	if d.err != nil {
		return ""
	}
	var out bytes.Buffer
	inner := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir, Now: d.w.Now, NewID: d.w.NewID, Getenv: getenv}
	if code := run(d.ctx, inner, args); code != expected {
		d.err = fmt.Errorf("handoff %s: exit status %d, not %d:\n%s", strings.Join(args, " "), code, expected, &out)
	}
	if out.Len() == 0 {
		return "(prints nothing: exit status 0)\n"
	}
	return out.String()
}

// shown prints an output, indented. With some, it prints only the lines that begin with one of them, and
// an ellipsis for others.
func (d *demo) shown(output string, some ...string) {
	left := false
	for line := range strings.Lines(output) {
		line = command.Plain(strings.TrimSuffix(line, "\n"))
		kept := len(some) == 0 || slices.ContainsFunc(some, func(begin string) bool { return strings.HasPrefix(line, begin) })
		switch {
		case kept && line == "":
			d.printf("\n")
		case kept:
			d.printf("   %s\n", command.Styled(d.colour, accent(line), line))
		case !left:
			d.printf("   …\n")
		}
		left = !kept
	}
}

// accent is the style of a line that the reader should not miss.
func accent(line string) string {
	switch {
	case strings.Contains(line, " error: "), strings.Contains(line, " is held by "), strings.Contains(line, "hit your session limit"), strings.Contains(line, "Exit code 1"):
		return "31"
	case strings.HasPrefix(line, "Continue with "), strings.HasPrefix(line, "handoff: claimed "), strings.HasPrefix(line, "handoff: restored "), strings.HasPrefix(line, "handoff: done"):
		return "32"
	}
	return ""
}

// do does something that may fail.
func (d *demo) do(what func() error) {
	if d.err == nil {
		if err := what(); err != nil {
			d.err = err
		}
	}
}
