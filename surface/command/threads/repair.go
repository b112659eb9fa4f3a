package threads

import (
	"context"
	"fmt"

	"handoff/log/thread"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/threads"
)

func threadRepairCommand(w *command.Process) *cli.Command {
	asJSON := new(bool)
	return &cli.Command{
		Name: "repair", Usage: "make damaged threads readable again",
		UsageText: "handoff thread repair [THREAD] [flags]\n\nOf a thread or a run that cannot be read to its end, it keeps what is before the damage, and moves the\n" +
			"rest to a file beside it. Nothing is deleted. Without THREAD, it repairs all threads and runs. To read\n" +
			"a damaged thread without changing it, branch before the damage: `handoff thread branch THREAD --from-seq N`.",
		Flags: []cli.Flag{cli.JSON(asJSON, "print JSON", cli.Prints[[]thread.Repaired]("thread-repair"))},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return fmt.Errorf("unexpected argument %q (`handoff thread repair --help` shows the usage)", c.Args().Get(1))
			}
			return withLocal(c.Context, w, true, "", func(ctx context.Context, t *threads.Threads, _ string) error {
				return threadRepair(ctx, w, t, c.Args().First(), *asJSON)
			})
		},
	}
}

func threadRepair(ctx context.Context, w *command.Process, t *threads.Threads, id string, asJSON bool) error {
	if found, err := t.Find(ctx, id); id != "" && !thread.Damaged(err) {
		if err != nil {
			return err
		}
		id = found
	}
	all, text := []thread.Repaired{}, ""
	err := t.Repair(ctx, id, func(r thread.Repaired) {
		all = append(all, r)
		text += command.Plain(repairedText(r)) + "\n"
	})
	if len(all) == 0 && err == nil {
		w.Say("nothing is damaged")
	}
	if printErr := w.Answer(asJSON, all, text); err == nil {
		err = printErr
	}
	return err
}

func repairedText(r thread.Repaired) string {
	if r.Events == 0 {
		return fmt.Sprintf("%s: nothing before the damage: moved to %s", r.Path, r.Aside)
	}
	return fmt.Sprintf("%s: %s kept; the other %s moved to %s", r.Path, command.Plural(int(r.Events), "event"), command.Plural(int(r.Bytes), "byte"), r.Aside)
}
