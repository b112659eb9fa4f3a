package sync

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/reconcile"
)

// Chained returns the documents of a task that get threads. An archived task has none:
// its paths have changed, and no agent continues it.
func Chained(s reconcile.State, p reconcile.Plan) (documents []workspace.Chained) {
	if (handoff.Name{Dir: s.Dir}).Archived() {
		return nil
	}
	bundles := map[string]artifact.ID{}
	for _, l := range p.Bundles {
		bundles[l.Path] = l.ID
	}
	for _, d := range s.Documents {
		id, ok := bundles[d.Path]
		if !ok {
			continue
		}
		c := workspace.Chained{Path: d.Path, Bundle: id, Before: id}
		if !p.Empty() { // the error does not matter: unreadable metadata names no former bundle
			c.Before, _ = s.Linked(d.Path)
		}
		if f := d.Doc.Front; f != nil && f.Thread != "" && f.Seq != nil && *f.Seq >= 0 {
			c.Source, c.Seq = strings.Clone(f.Thread), new(uint64(*f.Seq))
		}
		documents = append(documents, c)
	}
	return documents
}

// openChain opens what keeps the workspace's threads when it is first needed.
type openChain struct {
	mu sync.Mutex
	workspace.Chain
}

func (o *openChain) get(ctx context.Context, w *workspace.Workspace, writes bool) (workspace.Chain, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.Chain != nil {
		return o.Chain, nil
	}
	c, err := w.Chain(ctx, writes)
	if err == nil {
		o.Chain = c
	}
	return c, err
}

func (o *openChain) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.Chain != nil {
		o.Chain.Close() // the error does not matter: everything created was already fsynced
	}
	o.Chain = nil
}

// extend creates the missing threads of a task.
func (s *Syncer) extend(ctx context.Context, one *Result) {
	if len(one.chained) == 0 {
		return
	}
	chain, err := s.chain.get(ctx, s.Workspace, !s.dry)
	if err != nil {
		one.Err = fmt.Errorf("threads: %w", err)
		return
	}
	did, err := chain.Extend(ctx, one.Plan.Dir, one.chained)
	if err != nil {
		one.Err = err
	}
	one.Threads = did.Threads
	for _, u := range did.Unchained {
		one.Plan.Problems = append(one.Plan.Problems, reconcile.Problem{Path: u.Path, Text: u.Text})
	}
}
