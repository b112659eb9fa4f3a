package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"handoff/brief"
	"handoff/workspace"
)

func briefCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "brief",
		Usage:     "print what a successor needs, in levels",
		UsageText: "handoff brief REF [flags]\n\n" + refHelp + " It may be left out if HANDOFF_CLAIM is set.",
		Description: "Level 1 is the next action and the state of the work, 2 adds decisions, dead ends and\n" +
			"context, 3 the references; full is the document.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "level", Value: "1", Usage: "level of detail `LEVEL`: 1, 2, 3 or full"},
			&cli.IntFlag{Name: "max-bytes", Value: 10000, Usage: "at most `N` bytes, in whole lines"},
			asFlag("record that it was shown to `NAME`; with HANDOFF_CLAIM that is recorded anyway"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON: the fields of ls --json, and the text as brief"},
			dirFlag(),
		},
		Action: func(c *cli.Context) error { return w.brief(c) },
	}
}

func (w *process) brief(c *cli.Context) error {
	level, ok := brief.ParseLevel(c.String("level"))
	if !ok {
		return fmt.Errorf("unknown level %q (1, 2, 3, full)", c.String("level"))
	}
	ref, err := w.claimedRef(c)
	if err != nil {
		return err
	}
	if ref == "" {
		if ref, err = oneRef(c); err != nil {
			return err
		}
	}
	src, _, err := w.findRef(c, ref)
	if err != nil {
		return err
	}
	text, err := brief.Make(src, level, c.Int("max-bytes"))
	if err != nil {
		return err
	}
	if err := w.delivered(c, src.Path); err != nil {
		return err
	}
	if c.Bool("json") {
		return writeJSON(w.stdout, struct {
			workspace.Row
			Brief string `json:"brief"`
		}{rowOf(src), text})
	}
	_, err = io.WriteString(w.stdout, text)
	return err
}

// rowOf returns a document's data in the form that ls prints.
func rowOf(src brief.Source) workspace.Row {
	return workspace.MakeRow(workspace.Entry{Path: src.Path, Name: src.Name}, src.Doc, nil)
}

// find reads the one document that a command names. Its Path is relative to the
// root, where the successor starts; here is relative to the working directory.
func (w *process) find(c *cli.Context) (src brief.Source, here string, err error) {
	ref, err := oneRef(c)
	if err != nil {
		return src, "", err
	}
	return w.findRef(c, ref)
}

// oneRef returns the one handoff that a command names.
func oneRef(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", fmt.Errorf("%s needs one handoff: a path, 259/3 (task/phase), 259 or latest", c.Command.Name)
	}
	return c.Args().First(), nil
}

func (w *process) findRef(c *cli.Context, ref string) (src brief.Source, here string, err error) {
	ws, err := w.open(c)
	if err != nil {
		return src, "", err
	}
	e, err := ws.Find(c.Context, w.dir, ref)
	if err != nil {
		return src, "", err
	}
	if e.Doubt != "" {
		fmt.Fprintf(w.stderr, "handoff: %s: this is %s\n", e.Doubt, w.shown(ws, e.Path))
	}
	doc, err := ws.Read(e)
	return brief.Source{Doc: doc, Name: e.Name, Path: e.Path}, w.shown(ws, e.Path), err
}

// shown returns a path of the workspace relative to the working directory.
func (w *process) shown(ws *workspace.Workspace, path string) string {
	if full := filepath.FromSlash(path); !filepath.IsAbs(full) {
		if rel, err := filepath.Rel(w.dir, filepath.Join(ws.Root, full)); err == nil {
			return rel
		}
	}
	return path
}

// path resolves a path that the user typed.
func (w *process) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(w.dir, p)
}
