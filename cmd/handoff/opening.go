package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"handoff/lint/rules"
	"handoff/log/engine"
	"handoff/log/engine/open"
	"handoff/log/engine/replica"
	"handoff/workspace"
	"handoff/workspace/chains"
	"handoff/workspace/trust"
	"handoff/workspace/work"
)

// here opens the workspace that a command works in.
func (w *process) here() (*workspace.Workspace, error) {
	ws, err := workspace.Open(w.dir, w.options())
	w.ws = ws
	if ws != nil {
		if stranger := trustBookOf(w).Stranger(ws.Root, ws.Config); stranger != nil {
			w.say("%s", plain(stranger.Error()))
		}
	}
	return ws, err
}

// options are the parts of a workspace that depend on the process.
func (w *process) options() workspace.Options {
	return workspace.Options{
		Rules: rules.All, RuleNames: ruleNames(), Now: w.now, NewID: w.newID,
		Say:      func(text string) { w.say("%s", plain(text)) },
		Progress: w.indexing(), OpenStore: w.openStore, OpenChain: chains.Open, Work: work.Edge(), Trust: trustBookOf(w).Check,
	}
}

// quietly are the options for work in the background, which reports elsewhere.
func (w *process) quietly(say func(string)) workspace.Options {
	o := w.options()
	o.Say, o.Progress = say, nil
	return o
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

// indexing shows the progress of building an index on a terminal, if that takes
// long.
func (w *process) indexing() func(path string, done, total int64) {
	if !isTerminal(w.stderr) {
		return nil
	}
	start := w.now()
	var last time.Time
	return func(path string, done, total int64) {
		now := w.now()
		if total == 0 || now.Sub(start) < time.Second || done < total && now.Sub(last) < 100*time.Millisecond {
			return
		}
		last = now
		// Only the base name: a line that wraps cannot be overwritten.
		fmt.Fprintf(painted(w.stderr), "\rindexing %s: %d %%", plain(filepath.Base(path)), 100*done/total)
		if done >= total {
			fmt.Fprintln(w.stderr)
		}
	}
}

// trustBookOf has the user's records of trust.
func trustBookOf(w *process) *trust.Book { return trust.Open(w.getenv) }
