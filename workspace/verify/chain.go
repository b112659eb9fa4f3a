package verify

import (
	"context"
	"fmt"

	"handoff/lint"
	"handoff/log/thread"
	"handoff/workspace/chains"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
	"handoff/workspace/sync"
)

// chain finds differences between the threads of a task and its documents.
// Threads that sync would create are derivable; existing ones are never changed.
func (v *verifier) chain(ctx context.Context, state reconcile.State) ([]lint.Finding, error) {
	if !v.Config.Threads {
		return nil, nil
	}
	chain, err := chains.Compare(ctx, v.threads, state.Dir, sync.Chained(state, reconcile.Make(state)))
	if err != nil {
		return nil, err
	}
	var found []lint.Finding
	add := func(rule *rules.Rule, path, text string, derivable bool) {
		for _, f := range rule.At(&v.Config.Settings, path, 0, "%s", text) {
			f.Derivable = derivable
			found = append(found, f)
		}
	}
	for _, t := range chain.Threads {
		text := "has no thread"
		if t.ParentThreadID != "" {
			text = "no thread begins with what it says"
		}
		add(&rules.UnthreadedHandoff, t.Path, text, true)
	}
	for _, p := range chain.Unchained {
		add(&rules.UnthreadedHandoff, p.Path, p.Text, false)
	}
	for _, d := range chain.Documents {
		if v.threads.Has(d.ThreadID) {
			if text := mismatch(v.threads, d); text != "" {
				add(&rules.MismatchedThread, d.Path, "its thread "+d.ThreadID+" "+text, false)
			}
		}
	}
	return found, nil
}

// mismatch describes how the thread of a document differs from what its id was
// derived from, "" if it does not.
func mismatch(store *thread.Store, d chains.Document) string {
	e, err := store.Event(d.ThreadID, 1)
	p, ok := e.Payload.(*thread.HandedOff)
	switch {
	case err != nil:
		return fmt.Sprintf("cannot be read: %v", err)
	case !ok:
		return fmt.Sprintf("begins with %s, want a handoff", e.Payload.Type())
	case p.SummaryArtifactID == nil || *p.SummaryArtifactID != d.Bundle.String():
		return fmt.Sprintf("begins with bundle %s, want %s", given(p.SummaryArtifactID), d.Bundle)
	case p.FromThreadID != d.ParentThreadID:
		return fmt.Sprintf("continues from thread %s, want %s", p.FromThreadID, d.ParentThreadID)
	case d.Seq != nil && p.FromSeq != *d.Seq:
		return fmt.Sprintf("continues from event %d of its parent, want %d", p.FromSeq, *d.Seq)
	}
	return ""
}

func given(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
