package tapes

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/tapes"
)

// bookOptions are the options of tape book.
type bookOptions struct {
	remove string
	json   bool
}

// tapeBookCommand is the command `handoff tape book`.
func tapeBookCommand(w *command.Process) *cli.Command {
	o := new(bookOptions)
	return &cli.Command{
		Name: "book", Usage: "list or add the workspaces that tape:// URIs may name", UsageText: "handoff tape book [flags] [FOLDER]",
		Description: "FOLDER is added under the label of its workspace, and under the name that its envelopes have. `handoff tape read` then\n" +
			"reads a URI of that workspace here. It refuses a URI of a workspace that is not in the book.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "remove", Destination: &o.remove, Usage: "`NAME`  remove a name from the book"},
			cli.JSON(&o.json, "print JSON, one object per line", cli.PrintsLines[booked]("tape-book")),
		},
		Action: func(c *cli.Context) error { return runBook(c.Context, w, o, command.ArgsOf(c)) },
	}
}

// booked is a workspace in the book.
type booked struct {
	Name   string `json:"name"`
	Folder string `json:"folder"`
}

func runBook(ctx context.Context, w *command.Process, o *bookOptions, args command.Arguments) error {
	book := tapes.BookOf(w.Getenv)
	switch {
	case len(args) > 1 || len(args) == 1 && o.remove != "":
		return errors.New("tape book takes one folder, or --remove NAME")
	case o.remove != "":
		err := book.Remove(ctx, o.remove)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is not in the book (`handoff tape book` lists it)", command.Plain(o.remove))
		}
		return err
	}
	var only []string
	if len(args) == 1 {
		dir := w.Path(args.First())
		if !workspace.IsDir(dir) {
			return fmt.Errorf("%s: no such folder", args.First())
		}
		ws, err := workspace.Open(dir, w.Options())
		if err != nil {
			return err
		}
		defer ws.Close()
		if only, err = book.Add(ctx, ws); err != nil {
			return fmt.Errorf("%s: %w", ws.Root, command.ThreadError(err))
		}
	}
	folders, err := book.Folders()
	if err != nil {
		return err
	}
	if only == nil {
		only = tapes.Named(folders)
	}
	for _, name := range only {
		if o.json {
			err = errors.Join(err, command.WriteLine(w.Stdout, booked{name, folders[name]}))
			continue
		}
		err = errors.Join(err, w.Print(command.Plain(name+"  "+folders[name])+"\n"))
	}
	return err
}
