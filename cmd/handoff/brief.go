package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"handoff/brief"
)

func briefCommand(w *world) *cli.Command {
	return &cli.Command{
		Name:      "brief",
		Usage:     "print what a successor needs, in levels",
		UsageText: "handoff brief REF [flags]\n\nREF is a path, 259/3 (task/phase, the newest), 259 or latest.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "level", Value: "1", Usage: "1: next action and state; 2: and decisions, dead ends, context; 3: and references; full: the document"},
			&cli.IntFlag{Name: "max-bytes", Value: 10000, Usage: "print at most `N` bytes, whole lines only"},
			dirFlag(),
		},
		Action: func(c *cli.Context) error { return w.brief(c) },
	}
}

func (w *world) brief(c *cli.Context) error {
	level, ok := brief.ParseLevel(c.String("level"))
	if !ok {
		return fmt.Errorf("unknown level %q (1, 2, 3, full)", c.String("level"))
	}
	src, err := w.find(c)
	if err != nil {
		return err
	}
	text, err := brief.Make(src, level, c.Int("max-bytes"))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w.stdout, text)
	return err
}

// find reads the one document that a command is given.
func (w *world) find(c *cli.Context) (brief.Source, error) {
	if c.NArg() != 1 {
		return brief.Source{}, fmt.Errorf("%s wants one handoff: a path, 259/3 (task/phase), 259 or latest", c.Command.Name)
	}
	ws, err := w.open(c)
	if err != nil {
		return brief.Source{}, err
	}
	e, err := ws.Find(c.Context, w.dir, c.Args().First())
	if err != nil {
		return brief.Source{}, err
	}
	doc, err := ws.Read(e)
	return brief.Source{Doc: doc, Name: e.Name, Path: e.Path, Ref: e.Ref()}, err
}

// path is where a path that the user gave leads.
func (w *world) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(w.dir, p)
}
