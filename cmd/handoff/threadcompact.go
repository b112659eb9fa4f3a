package main

import (
	"github.com/urfave/cli/v2"

	"handoff/thread"
)

// threadCompactions replace the beginning of a thread by summaries.
func (w *process) threadCompactions() []threadSub {
	stride := func() cli.Flag {
		return &cli.Uint64Flag{Name: "stride-messages", Usage: "cut at every `N`th message", DefaultText: "10000"}
	}
	auto := func() []cli.Flag {
		return flags(stride(), &cli.UintFlag{Name: "max-new-checkpoints", Usage: "create at most `N`", DefaultText: "1"},
			&cli.BoolFlag{Name: "dry-run", Usage: "list what is due, create nothing"}, actorFlags())
	}
	return []threadSub{
		{name: "compaction-checkpoint", usage: "replace the thread up to a message by a summary", args: "THREAD --summary-markdown TEXT", most: 1, writes: true,
			flags: flags(summaryFlags("of the summary", "an existing compaction summary"),
				&cli.StringFlag{Name: "to-message-id", Usage: "up to message `ID`"},
				&cli.Uint64Flag{Name: "to-seq", Usage: "up to the message that is event `N`"}, stride(), actorFlags()), do: w.threadCheckpoint},
		{name: "compaction-cut-points", usage: "list the cut points of a stride, latest first", args: "THREAD", most: 1,
			flags: flags(stride(), &cli.UintFlag{Name: "limit", Usage: "at most `N`", DefaultText: "1"}),
			do: func(c *cli.Context, t threadStore, id string) (any, error) {
				return t.CutPoints(c.Context, id, thread.CutPointsRequest{StrideMessages: optional(c, "stride-messages", c.Uint64), Limit: optional(c, "limit", uint32Of(c))})
			}},
		{name: "compaction-status", usage: "show how far a thread is compacted", args: "THREAD", most: 1, flags: flags(stride()),
			do: func(c *cli.Context, t threadStore, id string) (any, error) {
				return t.CompactionStatus(c.Context, id, thread.StrideRequest{StrideMessages: optional(c, "stride-messages", c.Uint64)})
			}},
		{name: "compaction-auto", usage: "create the checkpoints that are due, with rule-based summaries", args: "THREAD", most: 1, writes: true,
			flags: auto(), do: func(c *cli.Context, t threadStore, id string) (any, error) {
				r, err := t.AutoCompact(c.Context, id, autoRequest(c))
				w.incomplete = r.Status == "failed"
				return r, err
			}},
		{name: "compaction-auto-schedule", usage: "record which checkpoints are due, and create them", args: "THREAD", most: 1, writes: true,
			flags: flags(auto(), &cli.BoolFlag{Name: "allow-inflight", Usage: "also while another job runs"},
				&cli.BoolFlag{Name: "no-execute", Usage: "leave the job to others"}), do: threadSchedule},
	}
}

func (w *process) threadCheckpoint(c *cli.Context, t threadStore, id string) (any, error) {
	markdown, err := w.summary(c)
	if err != nil {
		return nil, err
	}
	summary, err := w.artifactOf(c, "summary-artifact-id")
	if err != nil {
		return nil, err
	}
	return t.Checkpoint(c.Context, id, thread.CheckpointRequest{
		SummaryMarkdown: markdown, SummaryArtifactID: summary,
		ToMessageID: optional(c, "to-message-id", c.String), ToSeq: optional(c, "to-seq", c.Uint64), StrideMessages: optional(c, "stride-messages", c.Uint64),
		ActorID: c.String("actor-id"), Origin: c.String("origin"),
	})
}

func autoRequest(c *cli.Context) thread.AutoRequest {
	return thread.AutoRequest{StrideMessages: optional(c, "stride-messages", c.Uint64), MaxNew: optional(c, "max-new-checkpoints", uint32Of(c)),
		DryRun: c.Bool("dry-run"), ActorID: c.String("actor-id"), Origin: c.String("origin")}
}

func threadSchedule(c *cli.Context, t threadStore, id string) (any, error) {
	return t.ScheduleCompact(c.Context, id, thread.ScheduleRequest{AutoRequest: autoRequest(c),
		BlockOnInflight: new(!c.Bool("allow-inflight")), Execute: new(!c.Bool("no-execute"))})
}
