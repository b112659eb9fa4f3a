package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"handoff/internal/text/say"
	"handoff/log/engine"
	"handoff/log/engine/copy"
	"handoff/log/engine/replica"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/config"
)

// storeCopyOptions are the options of store copy.
type storeCopyOptions struct {
	json, quiet bool
}

func storeCopyCommand(w *command.Process) *cli.Command {
	o := new(storeCopyOptions)
	return &cli.Command{
		Name: "copy", Usage: "copy everything from one store to another, and verify it",
		UsageText: "handoff store copy FROM TO [flags]",
		Description: "FROM and TO are addresses as for the key store in .handoff.yaml; files is this workspace. TO must be empty, or an earlier\n" +
			"copy of FROM: after an interruption, the same command continues. What was written is read back and compared. A git\n" +
			"remote stores only receipts. Stop all writers of TO first.\n" +
			"Exit status: 0 if everything was copied, 1 if something in FROM could not be read, 2 an error.",
		Flags: []cli.Flag{cli.JSON(&o.json, "print JSON", cli.Prints[copy.Result]("store-copy")), &cli.BoolFlag{Name: "quiet", Destination: &o.quiet, Usage: "show no progress"}},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return storeCopy(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func storeCopy(ctx context.Context, w *command.Process, o *storeCopyOptions, ws *workspace.Workspace, args command.Arguments) error {
	from, to, err := copyAddresses(ws, args)
	if err != nil {
		return err
	}
	if to.IsFiles() {
		if _, err := ws.CreateStateDir(); err != nil {
			return err
		}
	}
	source, err := command.StoreAt(ctx, w, ws.Root, from, false)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := command.StoreAt(ctx, w, ws.Root, to, true)
	if err != nil {
		return err
	}
	defer target.Close()
	if err := ofProject(ctx, ws, target); err != nil {
		return err
	}
	line := w.NewProgress(o.quiet, "record")
	res, err := copy.Copy(ctx, source, target, copy.Options{Prefix: prefixFor(from, to), Progress: func(p copy.Progress) {
		line.Noun = stageNouns[p.Stage]
		line.Show(int(p.Done), int(p.All))
	}})
	line.Clear()
	if err != nil {
		if res.Copied > 0 || res.BlobsCopied > 0 {
			w.Say("stopped after %s and %s: the same command continues", say.Count(res.Copied, "record"), say.Count(res.BlobsCopied, "artifact"))
		}
		return err
	}
	if !to.IsFiles() {
		if _, err := engine.Identify(ctx, target, ws.Identity(ctx)); err != nil {
			return err
		}
	}
	if err := w.Answer(o.json, res, ""); err != nil {
		return err
	}
	sayCopied(w, res, from, to, ws)
	return command.Found(len(res.Problems) > 0)
}

// ofProject returns an error if a store belongs to another project.
func ofProject(ctx context.Context, ws *workspace.Workspace, store engine.Engine) error {
	i, ok, err := engine.ReadIdentity(ctx, store)
	if err != nil || !ok {
		return engine.About(store.Name(), err)
	}
	return i.Allows(store.Name(), ws.Identity(ctx))
}

// stageNouns are what the stages of a copy count.
var stageNouns = map[copy.Stage]string{copy.Comparing: "record", copy.Artifacts: "artifact", copy.Records: "record", copy.Verifying: "record"}

// copyAddresses are the arguments of store copy.
func copyAddresses(ws *workspace.Workspace, args command.Arguments) (from, to engine.Address, err error) {
	if len(args) != 2 {
		return from, to, errors.New("store copy needs two stores, FROM and TO (`handoff store copy --help` shows an example)")
	}
	if from, err = engine.ParseAddress(args.Get(0)); err != nil {
		return from, to, fmt.Errorf("FROM: %w", err)
	}
	if to, err = engine.ParseAddress(args.Get(1)); err != nil {
		return from, to, fmt.Errorf("TO: %w", err)
	}
	if from.String() == to.String() {
		return from, to, fmt.Errorf("FROM and TO are both %s", from)
	}
	if store := ws.Config.Store; from.IsFiles() && !store.IsFiles() && to.String() != store.String() {
		return from, to, fmt.Errorf("the files are a copy of %s, which may have more: run `handoff store copy %[1]s %s`", store, to)
	}
	return from, to, nil
}

// sayCopied prints the result of the copy, and what to do next.
func sayCopied(w *command.Process, res copy.Result, from, to engine.Address, ws *workspace.Workspace) {
	for _, problem := range res.Problems {
		w.Say("not copied: %s", command.Plain(problem))
	}
	if prefixFor(from, to) != "" {
		w.Say("a git remote stores only receipts: threads, tapes and artifacts were not copied")
	} else if res.BlobsLeft > 0 {
		w.Say("%s not copied: %s stores none", say.Count(res.BlobsLeft, "artifact"), to)
	}
	if res.Newer > 0 {
		w.Say("%s got %s meanwhile: run the same command again to copy them", from, say.Count(res.Newer, "record"))
	}
	w.Say("%s and %s copied and verified, %s in %s and %s in all", say.Count(res.Copied, "record"), say.Count(res.BlobsCopied, "artifact"),
		say.Count(res.Records, "record"), say.Count(res.Logs, "log"), say.Count(res.Blobs, "artifact"))
	switch store := ws.Config.Store; {
	case to.String() == store.String():
	case to.IsFiles():
		w.Say("the files are still a copy of %s: to make them authoritative, remove `store:` from %s, and %s in .handoff and beside the receipts", store, shownConfig(ws), replica.StateFile)
	default:
		w.Say("the workspace still uses %s: set `store: %s` in %s to use the copy", ws.Config.Store, to, shownConfig(ws))
	}
}

// shownConfig is the configuration file as a message names it.
func shownConfig(ws *workspace.Workspace) string {
	if ws.Config.Path == "" {
		return config.File
	}
	return command.Plain(cmp.Or(ws.Rel(ws.Config.Path), filepath.Base(ws.Config.Path)))
}
