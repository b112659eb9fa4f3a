package threads

import (
	"handoff/log/thread"
	"handoff/surface/command/cli"
	"handoff/workspace/threadops"
)

// described is what is known of a thread.
var described = []cli.Printed{cli.Prints[thread.Info]("thread-get")}

// printed is what commands print that is not the result of their operation, or has the name of another one.
var printed = map[string][]cli.Printed{
	threadops.Create.Name: described, threadops.Archive.Name: described, threadops.Unarchive.Name: described, threadops.Rename.Name: described, threadops.Get.Name: described,
	threadops.Show.Name:   {cli.Prints[threadops.Talk]("thread-show")},
	threadops.Events.Name: {cli.PrintsLines[thread.Event]("thread-events")},
}
