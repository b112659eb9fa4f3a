package tapes

import (
	"handoff/log/tape"
	"handoff/log/tape/bub"
	"handoff/surface/command/cli"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

var (
	entries  = []cli.Printed{cli.PrintsLines[tape.Entry]("tape-read")}
	appended = []cli.Printed{cli.PrintsLines[tape.Entry]("tape-append").Or(cli.Prints[queuedEntries](""))}
	away     = []cli.Printed{cli.Prints[tapes.Archived]("tape-reset")}
	merged   = []cli.Printed{cli.Prints[tape.MergeResult]("tape-merge")}
	copied   = []cli.Printed{cli.Prints[bub.Converted]("tape-import")}
)

// printed is what commands print that is not the result of their operation, or has the name of another one.
var printed = map[string][]cli.Printed{
	tapeops.Append.Name: appended, tapeops.Handoff.Name: appended, tapeops.Read.Name: entries, tapeops.Receive.Name: entries,
	tapeops.Reset.Name: away, tapeops.Delete.Name: away, tapeops.Merge.Name: merged, tapeops.Discard.Name: merged,
	tapeops.Import.Name: copied, tapeops.Export.Name: append(copied, entries...),
	tapeops.Anchors.Name:  {cli.PrintsLines[tape.Anchor]("tape-anchors")},
	tapeops.Search.Name:   {cli.PrintsLines[tapes.Hit]("tape-search")},
	tapeops.List.Name:     {cli.PrintsLines[tape.Info]("tape-list"), cli.PrintsLines[bub.File]("tape-list-bub")},
	tapeops.Archives.Name: {cli.PrintsLines[tapeops.Archive]("tape-archives")},
	tapeops.Lineage.Name:  {cli.PrintsLines[tape.Node]("tape-lineage")},
	tapeops.Check.Name:    {cli.PrintsLines[tapes.Checked]("tape-check")},
	tapeops.Context.Name:  {cli.Published("tape-context")},
	tapeops.Exec.Name:     {cli.Prints[tapes.Executed]("tape-exec")},
}
