package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/workspace"
)

func initCommand(w *world) *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "set up a tree for handoffs",
		UsageText: "handoff init [flags]",
		Description: "Makes .handoff.yaml and specs/. May be repeated: what is there is kept.\n" +
			"--remove takes away what init made, as far as nobody changed it, and nothing else.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "git-hook", Usage: "check staged handoffs before each commit"},
			&cli.BoolFlag{Name: "template", Usage: "write the document template into .handoff/templates, to be changed"},
			&cli.BoolFlag{Name: "remove", Usage: "take away what init made"},
			dirFlag(),
		},
		Action: func(c *cli.Context) error { return w.init(c) },
	}
}

func (w *world) init(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	steps, err := workspace.Init(c.Context, workspace.InitRequest{
		Root:     w.dir,
		GitHook:  c.Bool("git-hook"),
		Template: c.Bool("template"),
		Remove:   c.Bool("remove"),
	})
	begins := false // with handoffs
	for _, s := range steps {
		why := ""
		if s.Why != "" {
			why = " (" + s.Why + ")"
		}
		fmt.Fprintf(w.stdout, "%s %s%s\n", s.Verb, s.Path, why)
		begins = begins || s.Verb == "created" && s.Path == handoff.Root+"/"
	}
	if err == nil && begins {
		fmt.Fprintln(w.stderr, "next: handoff new --task 1 --slug first_task --phase 1 --edit")
	}
	return err
}
