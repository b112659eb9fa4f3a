package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/engine"
	"handoff/engine/open"
	"handoff/workspace"
)

func storeCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "store",
		Usage: "check or copy the store of threads, tapes, receipts and artifacts",
		Description: "The key store in .handoff.yaml names the store: files (default), git:REMOTE or nats://HOST:PORT/STREAM.\n" +
			"With git or JetStream the files in the workspace are a copy.",
		Subcommands: []*cli.Command{storeCheckCommand(w), storeCopyCommand(w)},
	}
}

// receiptsOnly is the prefix of the logs that a git remote stores.
const receiptsOnly = "receipts/"

// prefixFor is the prefix of the logs that all of the stores have.
func prefixFor(stores ...engine.Address) string {
	for _, a := range stores {
		if a.Remote != "" {
			return receiptsOnly
		}
	}
	return ""
}

// openStore opens the store of an address for a workspace.
func (w *process) openStore(ctx context.Context, ws *workspace.Workspace, a engine.Address, create bool) (engine.Engine, error) {
	return open.Open(ctx, a, open.Options{Root: ws.Root, Env: w.getenv, Create: create, Say: func(text string) { w.say("%s", plain(text)) }})
}

// count is a number with thousands separated, and a noun.
func count(n uint64, noun string) string {
	digits := fmt.Sprint(n)
	var text strings.Builder
	for i, digit := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			text.WriteByte(',')
		}
		text.WriteRune(digit)
	}
	if n != 1 {
		noun += "s"
	}
	return text.String() + " " + noun
}
