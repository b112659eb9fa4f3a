package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"handoff/log/artifact"
	"handoff/log/thread"
	"handoff/log/thread/rip"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/threads"
)

// ripOptions are where RIP keeps threads.
type ripOptions struct {
	rip, workspace string
	json           bool
}

func ripFlags(o *ripOptions, workspace string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "rip", Destination: &o.rip, Usage: "`DIR`  RIP's store, its RIP_DATA_DIR"},
		&cli.StringFlag{Name: "rip-workspace", Destination: &o.workspace, Usage: "`DIR`  RIP's blobs, its RIP_WORKSPACE_ROOT", DefaultText: workspace},
		cli.JSON(&o.json, "print JSON", cli.Prints[rip.Report]("thread-move")),
	}
}

func threadExportCommand(w *command.Process) *cli.Command {
	o := new(ripOptions)
	return &cli.Command{
		Name: "export", Usage: "export threads to a RIP store",
		UsageText: "handoff thread export [THREAD …] --rip DIR [flags]\n\nA thread is exported with its ancestors and runs. Without THREAD, all threads are exported.\n" +
			"It can be repeated: what already exists is left unchanged.",
		Flags: ripFlags(o, "this workspace"),
		Action: func(c *cli.Context) error {
			return ripMove(c.Context, w, o, false, func(ctx context.Context, t *threads.Threads, at rip.Place) (rip.Report, error) {
				var ids []string
				for _, ref := range c.Args().Slice() {
					id, err := t.Find(ctx, ref)
					if err != nil {
						return rip.Report{}, err
					}
					ids = append(ids, id)
				}
				return rip.Export(ctx, t.Store, t.Blobs, at, rip.ExportOptions{Threads: ids, Now: w.Now})
			})
		},
	}
}

func threadImportCommand(w *command.Process) *cli.Command {
	o := new(ripOptions)
	return &cli.Command{
		Name: "import", Usage: "import all threads of a RIP store",
		UsageText: "handoff thread import --rip DIR [flags]\n\nIt can be repeated: what already exists is left unchanged.",
		Flags:     ripFlags(o, "the workspaces that the threads name"),
		Action: command.Alone(func(c *cli.Context) error {
			return ripMove(c.Context, w, o, true, func(ctx context.Context, t *threads.Threads, at rip.Place) (rip.Report, error) {
				if _, err := os.Stat(filepath.Join(at.Data, "events.jsonl")); err != nil {
					return rip.Report{}, fmt.Errorf("--rip %s: no RIP store here (events.jsonl: %w)", o.rip, command.Bare(err))
				}
				return rip.Import(ctx, t.Store, t.Blobs, at)
			})
		}),
	}
}

// ripMove exports or imports threads, and prints a report. If there were
// problems, the exit status is 1.
func ripMove(ctx context.Context, w *command.Process, o *ripOptions, imports bool, move func(context.Context, *threads.Threads, rip.Place) (rip.Report, error)) error {
	if o.rip == "" {
		return errors.New("name RIP's store: --rip DIR, the folder of its events.jsonl (RIP_DATA_DIR)")
	}
	var report rip.Report
	err := withLocal(ctx, w, imports, "", func(ctx context.Context, t *threads.Threads, _ string) (err error) {
		at, doing := rip.Place{Data: w.Path(o.rip)}, "importing"
		if !imports {
			at.Workspace, doing = t.Store.Workspace(), "exporting"
		}
		if o.workspace != "" {
			at.Workspace = w.Path(o.workspace)
		}
		report, err = command.During(w, doing, func() (rip.Report, error) { return move(ctx, t, at) })
		return err
	})
	if err != nil {
		return err
	}
	report.Streams = append([]rip.Moved{}, report.Streams...) // JSON has [], not null
	report.Missing = append([]artifact.ID{}, report.Missing...)
	report.Problems = append([]rip.Problem{}, report.Problems...)
	err = w.Answer(o.json, report, movedText(report))
	for _, p := range report.Problems {
		w.Say("%s", command.Plain(command.ThreadError(p).Error()))
	}
	return cmp.Or(err, command.Found(len(report.Problems) > 0))
}

// movedText is the report for people.
func movedText(r rip.Report) string {
	count := map[thread.StreamKind]int{}
	for _, m := range r.Streams {
		count[m.Kind]++
	}
	return fmt.Sprintf("%s, %s, %s; %s unchanged\n", command.Plural(count[thread.Continuity], "thread"), command.Plural(count[thread.Session], "run"),
		command.Plural(r.Blobs, "artifact"), command.Plural(r.Same, "stream"))
}
