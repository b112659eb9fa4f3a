package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"handoff/specs/example"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// demoOptions are the options of demo.
type demoOptions struct {
	keep  bool
	color string
}

func demoCommand(w *command.Process) *cli.Command {
	o := new(demoOptions)
	return &cli.Command{
		Name:      "demo",
		Usage:     "show the main job on an example, in a throw-away folder",
		UsageText: "handoff demo [--keep]",
		Description: "Runs the commands that it prints, on a copy of the worked example: a vague handoff is refused, a\n" +
			"good one is written, linked, verified and briefed. The folder is deleted at the end.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "keep", Destination: &o.keep, Usage: "keep the folder, to continue there"},
			command.ColourFlag(&o.color),
		},
		Action: command.Alone(func(c *cli.Context) error { return runDemo(c.Context, w, o) }),
	}
}

// A demoStep is one command of the demo, after a sentence that explains it. The
// demo runs the real commands and shows their real output.
type demoStep struct {
	says   string
	values string   // content of values.yaml before the step, and which lines of it to show
	cat    string   // a file to show, instead of a command
	args   []string // of the handoff command
	code   int      // expected exit code
}

const (
	demoValues = `state: {file: specs/259_prove_completeness/plans/implementation-001.md, location: Line 15, goal: "` + "`lake build`" + ` passes"}
decisions: ["Weak completeness first: the strong form needs compactness"]
dead_ends: ["Filtration: it does not preserve the density axiom"]
context: ["` + "`lindenbaum_extension`" + ` is proved since phase 3"]
references: ["Plan: specs/259_prove_completeness/plans/implementation-001.md, Phase 4"]
`
	demoVague = "next_action: Continue working on the proof\n"
	demoGood  = `next_action: "State ` + "`weak_completeness`" + ` in Completeness.lean and prove it by ` + "`lindenbaum_extension`" + `."` + "\n"
)

var demoNew = []string{"new", "--task", "259", "--phase", "4", "--from", "values.yaml", "--carry"}

var demoSteps = []demoStep{
	{says: "An agent runs out of context and writes what comes to mind:", values: demoVague + demoValues, cat: "values.yaml"},
	{says: "It is refused, and nothing is written:", args: demoNew, code: command.Findings},
	{says: "The agent names the one step to take. The tool adds the time, the file name and the form, and what earlier agents found out:", values: demoGood + demoValues, args: demoNew},
	{says: "A lead agent that is a program reads the metadata: where to resume, and the handoff's content-addressed bundle:",
		cat: "specs/259_prove_completeness/.return-meta.json"},
	{says: "Document, metadata, plan and bundle agree:", args: []string{"verify"}},
	{says: "People and agents see what waits:", args: []string{"ls"}},
	{says: "The successor gets what it needs to start, and no more:", args: []string{"brief", "259/4"}},
}

func runDemo(ctx context.Context, w *command.Process, o *demoOptions) error {
	colour := w.Colour(o.color, w.Stdout)
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
	if err := os.CopyFS(dir, example.Files); err != nil {
		return err
	}
	p := &demoPage{out: command.Painted(w.Stdout), colour: colour}
	p.printf("A copy of the worked example is in %s (%s).\n", command.Plain(dir), fate)
	for i, step := range demoSteps {
		p.printf("\n%d. %s\n", i+1, step.says)
		if err := runDemoStep(ctx, w, p, dir, step); err != nil {
			return fmt.Errorf("demo: step %d: %w", i+1, errors.Join(ctx.Err(), err))
		}
	}
	p.printf("\nNext: `handoff init` in a repository of your own; `handoff setup claude` (codex, gemini, …) installs it in your agent.\n")
	return p.err
}

// runDemoStep runs one step and shows it.
func runDemoStep(ctx context.Context, w *command.Process, p *demoPage, dir string, step demoStep) error {
	if step.values != "" {
		if err := os.WriteFile(filepath.Join(dir, "values.yaml"), []byte(step.values), 0o644); err != nil {
			return err
		}
	}
	if step.cat != "" {
		p.command("cat " + step.cat)
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(step.cat)))
		return cmp.Or(err, w.Print(indented(string(text))))
	}
	if step.values != "" {
		p.command("head -1 values.yaml")
		p.printf("%s", indented(step.values[:strings.Index(step.values, "\n")+1]))
	}
	p.command("handoff " + strings.Join(step.args, " "))
	var out bytes.Buffer
	inner := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir, Now: w.Now, NewID: w.NewID, Getenv: w.Getenv}
	code := run(ctx, inner, step.args)
	if out.Len() == 0 {
		out.WriteString("(prints nothing: exit status 0)\n")
	}
	if err := w.Print(indented(out.String())); err != nil {
		return err
	}
	if code != step.code {
		return fmt.Errorf("exit status %d, not %d", code, step.code)
	}
	return nil
}

// demoPage prints the demo's own text. It keeps the first write error.
type demoPage struct {
	out    io.Writer
	colour bool
	err    error
}

func (p *demoPage) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(p.out, format, args...); p.err == nil {
		p.err = err
	}
}

// command shows a command as the user types it.
func (p *demoPage) command(line string) {
	p.printf("   %s\n", command.Styled(p.colour, command.Bold, "$ "+line))
}

// indented indents each line by three columns.
func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			line = "   " + line
		}
		b.WriteString(line)
	}
	return b.String()
}
