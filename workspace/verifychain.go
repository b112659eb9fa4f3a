package workspace

import (
	"context"
	"fmt"

	"handoff/lint"
	"handoff/reconcile"
	"handoff/reconcile/rules"
	"handoff/thread"
)

// chain finds where the threads of a task are not those of its documents. What
// sync would make is derivable; a thread that is there it leaves alone.
func (v *verifier) chain(ctx context.Context, state reconcile.State) ([]lint.Finding, error) {
	if !v.Config.Threads {
		return nil, nil
	}
	plan := reconcile.Make(state)
	one := Synced{Plan: reconcile.Plan{Dir: state.Dir}, chain: chainOf(state, plan)}
	if len(one.chain) == 0 {
		return nil, nil
	}
	c := chaining{ctx: ctx, store: v.threads, dry: true, synced: &one, made: map[string]bool{}}
	if err := c.all(); err != nil {
		return nil, fmt.Errorf("threads of %s: %w", state.Dir, err)
	}
	var found []lint.Finding
	add := func(rule *rules.Rule, path, text string, derivable bool) {
		for _, f := range rule.At(&v.Config.Settings, path, 0, "%s", text) {
			f.Derivable = derivable
			found = append(found, f)
		}
	}
	for _, t := range one.Threads {
		text := "has no thread"
		if t.ParentThreadID != "" {
			text = "no thread begins with what it says"
		}
		add(&rules.UnthreadedHandoff, t.Path, text, true)
	}
	for _, p := range one.Plan.Problems {
		add(&rules.UnthreadedHandoff, p.Path, p.Text, false)
	}
	for _, d := range c.documents {
		if v.threads.Has(d.ThreadID) {
			if text := mismatch(v.threads, d); text != "" {
				add(&rules.MismatchedThread, d.Path, "its thread "+d.ThreadID+" "+text, false)
			}
		}
	}
	return found, nil
}

// mismatch says in what the thread of a document is not what its id stands
// for, "" where it is.
func mismatch(store *thread.Store, d documentThread) string {
	e, err := store.Event(d.ThreadID, 1)
	p, ok := e.Payload.(*thread.HandedOff)
	switch {
	case err != nil:
		return fmt.Sprintf("cannot be read: %v", err)
	case !ok:
		return fmt.Sprintf("begins with %s, want a handoff", e.Payload.Type())
	case p.SummaryArtifactID == nil || *p.SummaryArtifactID != d.bundle.String():
		return fmt.Sprintf("begins with bundle %s, want %s", given(p.SummaryArtifactID), d.bundle)
	case p.FromThreadID != d.ParentThreadID:
		return fmt.Sprintf("continues from thread %s, want %s", p.FromThreadID, d.ParentThreadID)
	case d.seq != nil && p.FromSeq != *d.seq:
		return fmt.Sprintf("continues from event %d of its parent, want %d", p.FromSeq, *d.seq)
	}
	return ""
}

func given(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}
