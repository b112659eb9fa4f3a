package help

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"handoff/internal/text/visible"
	"handoff/log/thread/runner"
	"handoff/sdk/conformance"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// conformanceOptions are the options of conformance.
type conformanceOptions struct {
	operation     []string
	vectors, json bool
}

// Conformance is the command `handoff conformance`.
func Conformance(w *command.Process) *cli.Command {
	o := new(conformanceOptions)
	return &cli.Command{
		Name:      "conformance",
		Usage:     "test an implementation of the formats against the vectors of the specification",
		UsageText: "handoff conformance [flags] -- PROGRAM [ARG...]\nhandoff conformance [flags] --vectors",
		Description: "PROGRAM reads one question a line on its standard input, and answers each with a line on its standard output: see\n" +
			"docs/spec/README.md. Exit status: 0 if no answer is wrong, 1 if one is.",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "operation", Action: command.To(&o.operation), Aliases: []string{"o"}, Usage: "`NAME`  ask only questions of this operation, e.g. tape.read; may be repeated"},
			&cli.BoolFlag{Name: "vectors", Destination: &o.vectors, Usage: "print the questions and the right answers, one on each line, and run nothing"},
			cli.JSON(&o.json, "print one line of JSON for each answer", cli.PrintsLines[conformance.Result]("conformance"), cli.PrintsLines[vector]("conformance-vectors")),
		},
		Action: func(c *cli.Context) error { return runConformance(c.Context, w, o, command.ArgsOf(c)) },
	}
}

func runConformance(ctx context.Context, w *command.Process, o *conformanceOptions, args command.Arguments) error {
	suites, err := conformance.Suites()
	if err != nil {
		return err
	}
	names := o.operation
	for _, name := range names {
		if !slices.Contains(conformance.Operations(suites), name) {
			return fmt.Errorf("unknown operation %q (%s)", name, strings.Join(conformance.Operations(suites), ", "))
		}
	}
	selected := func(operation string) bool { return len(names) == 0 || slices.Contains(names, operation) }
	switch {
	case o.vectors:
		return printVectors(w.Stdout, suites, selected)
	case len(args) == 0:
		return errors.New("name the program to test: handoff conformance -- PROGRAM (--vectors prints the questions and the right answers)")
	}
	return askProgram(ctx, w, func(ask conformance.Implementation) error { return runVectors(w, o, suites, selected, ask) }, args)
}

// programGrace is how long a program may take to end when its questions have ended.
const programGrace = 5 * time.Second

// askProgram calls f with the program that the arguments name, and ends it.
func askProgram(ctx context.Context, w *command.Process, f func(conformance.Implementation) error, args command.Arguments) error {
	if err := runner.Lookup(w.Dir, args[0]); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Stderr, cmd.WaitDelay = w.Dir, w.Stderr, programGrace
	to, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s: %w", args[0], command.Bare(err))
	}
	err = f(conformance.Over(to, from))
	_ = to.Close()
	late := time.AfterFunc(programGrace, func() { _ = cmd.Process.Kill() })
	_, _ = io.Copy(io.Discard, from)
	ended := cmd.Wait()
	late.Stop()
	if err == nil && ended != nil {
		return fmt.Errorf("%s: %w", args[0], ended)
	}
	return err
}

// vector is one line of --vectors.
type vector struct {
	conformance.Question
	Out  any    `json:"out" doc:"the right answer: depends on the operation"`
	Spec string `json:"spec"`
}

func printVectors(out io.Writer, suites []conformance.Suite, selected func(string) bool) error {
	for _, s := range suites {
		for _, one := range s.Cases {
			if !selected(s.Operation) {
				continue
			}
			if err := command.WriteLine(out, vector{s.Question(one), one.Out, s.Spec}); err != nil {
				return err
			}
		}
	}
	return nil
}

func runVectors(w *command.Process, o *conformanceOptions, suites []conformance.Suite, selected func(string) bool, ask conformance.Implementation) error {
	count := map[conformance.Verdict]int{}
	err := conformance.Run(suites, selected, ask, func(r conformance.Result) error {
		count[r.Verdict]++
		switch {
		case o.json:
			return command.WriteLine(w.Stdout, r)
		case r.Verdict == conformance.Failed:
			return w.Print(fmt.Sprintf("%s: wrong, by docs/spec/%s\n  question %s\n  want     %s\n  got      %s\n",
				r.ID, r.Spec, visible.Text(string(r.In)), visible.Text(string(r.Want)), visible.Text(string(r.Got))))
		}
		return nil
	})
	if err != nil {
		return err
	}
	w.Say("%d right, %d wrong, %d of operations that it does not have", count[conformance.Passed], count[conformance.Failed], count[conformance.Unsupported])
	return command.Found(count[conformance.Failed] > 0)
}
