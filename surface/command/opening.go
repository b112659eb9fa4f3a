package command

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
	"handoff/workspace/outdated"
	"handoff/workspace/tapes"
	"handoff/workspace/trust"
	"handoff/workspace/work"
)

// Here opens the workspace that a command works in.
func (w *Process) Here() (*workspace.Workspace, error) {
	ws, err := workspace.Open(w.Dir, w.Options())
	w.Workspace = ws
	if ws != nil {
		if stranger := TrustBookOf(w).Stranger(ws.Root, ws.Config); stranger != nil {
			w.Say("%s", Plain(stranger.Error()))
		}
	}
	return ws, err
}

// Options are the parts of a workspace that depend on the process.
func (w *Process) Options() workspace.Options {
	return workspace.Options{
		Rules: rules.All, RuleNames: RuleNames(), Now: w.Now, NewID: w.NewID,
		Say:      func(text string) { w.Say("%s", Plain(text)) },
		Progress: w.indexing(), OpenStore: w.openStore, OpenChain: chains.Open, Work: work.Edge(), Trust: TrustBookOf(w).Check, Finished: outdated.Finished,
		Elsewhere: tapes.BookOf(w.Getenv).Folder,
	}
}

// Quietly are the options for work in the background, which reports elsewhere.
func (w *Process) Quietly(say func(string)) workspace.Options {
	o := w.Options()
	o.Say, o.Progress = say, nil
	return o
}

// StoreAt opens the store of an address for the workspace with a root, and creates it
// if that is possible and wanted. The environment has its credentials.
func StoreAt(ctx context.Context, w *Process, root string, a engine.Address, create bool) (engine.Engine, error) {
	return open.Open(ctx, a, open.Options{Root: root, Env: w.Getenv, Create: create, Say: func(text string) { w.Say("%s", Plain(text)) }})
}

// openStore opens the store that a configuration names. A server opens the workspace for
// each request: all share one connection.
func (w *Process) openStore(ctx context.Context, root string, a engine.Address) (engine.Engine, error) {
	w.connecting.Lock()
	key := root + " " + a.String()
	shared := w.connected[key]
	if shared == nil {
		shared = replica.Lazy(a.String(), func(ctx context.Context) (engine.Engine, error) { return StoreAt(ctx, w, root, a, false) })
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
func (w *Process) indexing() func(path string, done, total int64) {
	if !IsTerminal(w.Stderr) {
		return nil
	}
	start := w.Now()
	var last time.Time
	return func(path string, done, total int64) {
		now := w.Now()
		if total == 0 || now.Sub(start) < time.Second || done < total && now.Sub(last) < 100*time.Millisecond {
			return
		}
		last = now
		// Only the base name: a line that wraps cannot be overwritten.
		fmt.Fprintf(Painted(w.Stderr), "\rindexing %s: %d %%", Plain(filepath.Base(path)), 100*done/total)
		if done >= total {
			fmt.Fprintln(w.Stderr)
		}
	}
}

// TrustBookOf has the user's records of trust.
func TrustBookOf(w *Process) *trust.Book { return trust.Open(w.Getenv) }
