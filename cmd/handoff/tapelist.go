package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"handoff/internal/text/tree"
	"handoff/tape"
	"handoff/tape/bub"
	"handoff/workspace/tapes"
)

func (w *process) tapeLineage(c *cli.Context, t *tapes.Tapes) error {
	if t.Home != nil {
		return errors.New("--bub: a home of Bub has no lineage")
	}
	trees, err := t.Store.Trees(c.Context, c.Args().First())
	if err != nil {
		return err
	}
	var drawn []*tree.Node
	for _, n := range trees {
		if w.tapeJSON(c) {
			err = errors.Join(err, writeLine(w.stdout, n))
		}
		drawn = append(drawn, n.Drawn())
	}
	if w.tapeJSON(c) {
		return err
	}
	return w.print(tree.Draw(c.String("format"), drawn...))
}

func (w *process) tapeList(c *cli.Context, t *tapes.Tapes) error {
	if t.Home != nil {
		files, err := t.InHome()
		return printEach(w, c, files, err, func(f bub.File) string {
			if f.Link != "" {
				return fmt.Sprintf("%s  %s  is a symbolic link to %q, which is not followed", f.Stem, f.Name, f.Link)
			}
			return fmt.Sprintf("%s  %s  %d bytes", f.Stem, f.Name, f.Bytes)
		})
	}
	return w.listTapes(c, func(context.Context) ([]tape.Info, error) { return t.List() })
}

func (w *process) listTapes(c *cli.Context, all func(context.Context) ([]tape.Info, error)) error {
	list, err := all(c.Context) // the readable tapes, also with an error
	if len(list) == 0 && err == nil && !w.tapeJSON(c) {
		w.say("no tapes here (`handoff tape append TEXT` creates one)")
	}
	return printEach(w, c, list, err, func(info tape.Info) string {
		last := "no anchor"
		if info.LastAnchor != nil {
			last = "anchor " + *info.LastAnchor
		}
		return fmt.Sprintf("%s  %s, %d since %s", info.Name, plural(info.Entries, "entry"), info.SinceLastAnchor, last)
	})
}
