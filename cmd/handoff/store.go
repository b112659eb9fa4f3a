package main

import (
	"context"

	"github.com/urfave/cli/v2"

	"handoff/log/engine"
	"handoff/log/engine/open"
	"handoff/log/engine/replica"
)

func storeCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "store",
		Usage: "check or copy the store of threads, tapes, receipts and artifacts",
		Description: "The key store in .handoff.yaml names the store: files (default), git:REMOTE or nats://HOST:PORT/STREAM.\n" +
			"With git or JetStream the files in the workspace are a copy.",
		Subcommands: []*cli.Command{storeCheckCommand(w), storeCopyCommand(w), storeDrainCommand(w)},
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

// storeAt opens the store of an address for the workspace with a root, and creates it
// if that is possible and wanted. The environment has its credentials.
func storeAt(ctx context.Context, w *process, root string, a engine.Address, create bool) (engine.Engine, error) {
	return open.Open(ctx, a, open.Options{Root: root, Env: w.getenv, Create: create, Say: func(text string) { w.say("%s", plain(text)) }})
}

// openStore opens the store that a configuration names. A server opens the workspace for
// each request: all share one connection.
func (w *process) openStore(ctx context.Context, root string, a engine.Address) (engine.Engine, error) {
	w.connecting.Lock()
	key := root + " " + a.String()
	shared := w.connected[key]
	if shared == nil {
		shared = replica.Lazy(a.String(), func(ctx context.Context) (engine.Engine, error) { return storeAt(ctx, w, root, a, false) })
		if w.connected == nil {
			w.connected = map[string]*replica.LazyEngine{}
		}
		w.connected[key] = shared
	}
	w.connecting.Unlock()
	return shared.Open(ctx)
}
