package artifacts

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/gc"
	"handoff/workspace/work"
)

// gcOptions are the options of artifact gc.
type gcOptions struct {
	delete, skipLinks, json bool
	olderThan               time.Duration
	also                    []string
}

func artifactGCCommand(w *command.Process) *cli.Command {
	o := new(gcOptions)
	return &cli.Command{
		Name: "gc", Usage: "list artifacts that nothing refers to, or delete them",
		UsageText: "handoff artifact gc [flags]\n\nAn artifact is kept while its id is in any file of specs, .handoff, .rip or RIP's store\n" +
			"(data, and $RIP_DATA_DIR), or in an artifact that is kept. Ids made up by RIP are always kept.\n" +
			"Uncommitted work that was kept (`handoff restore --list`) goes with its handoff, when that has been done or superseded for --older-than.\n" +
			"`gc` does not follow symlinks that leave the workspace. If there are any, it deletes nothing unless you pass --skip-links.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "delete", Destination: &o.delete, Usage: "remove them"},
			&cli.DurationFlag{Name: "older-than", Destination: &o.olderThan, Value: time.Hour, Usage: "`TIME`  keep artifacts that are younger, e.g. 30m or 48h"},
			&cli.StringSliceFlag{Name: "also", Action: command.To(&o.also), Usage: "`DIR`  also keep artifacts that files in this folder refer to; repeat for more"},
			&cli.BoolFlag{Name: "skip-links", Destination: &o.skipLinks, Usage: "delete even if symlinks lead out of the workspace"},
			cli.JSON(&o.json, "print JSON", cli.Prints[collected]("artifact-gc")),
		},
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return artifactGC(c.Context, w, o, ws) })),
	}
}

func artifactGC(ctx context.Context, w *command.Process, o *gcOptions, ws *workspace.Workspace) error {
	if err := ws.Empty(); err != nil {
		return err
	}
	req := gc.Request{Delete: o.delete, SkipLinks: o.skipLinks, Age: o.olderThan}
	for _, dir := range o.also {
		if st, err := os.Stat(w.Path(dir)); err != nil || !st.IsDir() {
			return fmt.Errorf("--also %s: no such folder", dir)
		}
		req.Also = append(req.Also, w.Path(dir))
	}
	if dir := w.Getenv("RIP_DATA_DIR"); dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(ws.Root, dir)
		}
		req.Also = append(req.Also, dir)
	}
	line := w.NewProgress(false, "file")
	req.Progress = func(files int) { line.Show(files, 0) }
	res, err := gc.Collect(ctx, ws, req)
	line.Clear()
	if err != nil {
		sayOutside(w, res)
		return err
	}
	over, err := work.Collect(ctx, ws, o.olderThan, o.delete)
	if err != nil {
		return err
	}
	var names strings.Builder
	short := map[string]string{}
	if !req.Delete { // what is removed can no longer be named by a short id
		short = shortArtifacts(ws)
	}
	for _, g := range res.Garbage {
		names.WriteString(command.Plain(cmp.Or(short[g.Name()], g.Name())) + "\n")
	}
	for _, k := range over {
		names.WriteString(k.Name() + "\n")
	}
	err = w.Answer(o.json, collected{req.Delete, res, over}, names.String())
	if err == nil && !o.json {
		sayOutside(w, res)
		sayEndedWork(w, over, o.delete)
		sayCollected(w, res, req.Delete)
	}
	return err
}

// collected is what --json prints.
type collected struct {
	Removed bool `json:"removed"`
	gc.Result
	Work []work.Kept `json:"work,omitempty"` // whose handoffs are done or superseded
}

func sayOutside(w *command.Process, res gc.Result) {
	for _, link := range res.Outside {
		w.Say("%s: symlink out of the workspace: references in its target are not seen (`--also DIR` reads them, `--skip-links` ignores them)", command.Plain(link))
	}
}

// sayEndedWork prints how much uncommitted work has ended with its handoffs.
func sayEndedWork(w *command.Process, over []work.Kept, removed bool) {
	verb := "would end"
	if removed {
		verb = "ended"
	}
	if len(over) > 0 {
		w.Say("%s %s of uncommitted work: the handoffs are done or superseded, or it is a month old", verb, command.Plural(len(over), "state"))
	}
}

// sayCollected prints the last line: how much garbage was found or removed.
func sayCollected(w *command.Process, res gc.Result, removed bool) {
	kept := fmt.Sprintf("%d kept", res.Kept+res.Foreign)
	if res.Young > 0 {
		kept += fmt.Sprintf(", %d too young", res.Young)
	}
	switch n := len(res.Garbage); {
	case n == 0:
		w.Say("nothing to remove, %s", kept)
	case removed:
		w.Say("%d removed, %d bytes, %s", n, res.Size, kept)
	default:
		w.Say("%d to remove, %d bytes, %s (add --delete to remove them)", n, res.Size, kept)
	}
}
