package claims

import (
	"handoff/surface/command/cli"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
)

// recorded is what the commands print that record a step.
var recorded = []cli.Printed{cli.Prints[receipts.Record]("claim")}

// printed is what other commands print than the results of their operations, or under another name.
var printed = map[string][]cli.Printed{
	handoffops.Claim.Name: recorded, handoffops.Ack.Name: recorded, handoffops.Renew.Name: recorded,
	handoffops.Release.Name: recorded, handoffops.Done.Name: recorded,
}
