package verify

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"handoff/internal/file/regular"
	"handoff/internal/journal"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/reconcile"
	"handoff/workspace/reconcile/rules"
)

// finishedRuns is the file of the runs that have no file of their own.
const finishedRuns = workspace.StateDir + "/" + thread.FinishedFile

// allThreads reads all threads and runs to their ends.
func (v *verifier) allThreads(ctx context.Context) (*Result, error) {
	all := &Result{Dir: workspace.StateDir + "/threads", Threads: true}
	if all.Err = v.CheckFolders(); all.Err != nil {
		return all, nil
	}
	c := threadChecker{ctx: ctx, set: &v.Config.Settings, store: v.threads, blobs: v.store, sound: map[string]error{}, derives: v.derives(ctx), sources: newSources()}
	for _, kind := range []thread.StreamKind{thread.Session, thread.Continuity} { // in the order of their folders
		ids, err := c.store.StreamFiles(kind)
		if err != nil {
			return all, err
		}
		if kind == thread.Continuity {
			all.Count = len(ids)
		}
		for _, id := range ids {
			if err := ctx.Err(); err != nil {
				return all, err
			}
			if c.stream(kind, id); regular.Exhausted(errors.Join(c.failed...)) {
				all.Err = errors.Join(c.failed...) // all other reads would fail, too
				return all, nil
			}
		}
	}
	c.cycles()
	if err := c.finishedRuns(); err != nil {
		return all, err
	}
	lost, err := c.store.LostRuns()
	if err != nil {
		return all, err
	}
	for _, l := range lost {
		c.at(&rules.DamagedThread, finishedRuns, uint64(l.Line-1), "no run can be read from this line")
	}
	all.Files, all.Err = ByFile(reconcile.State{}, c.found), errors.Join(c.failed...)
	return all, nil
}

// derives returns a function that reports whether a blob is the bundle of a document,
// which sync can create again. It reads the documents at its first call.
func (v *verifier) derives(ctx context.Context) func(artifact.ID) bool {
	bundles := sync.OnceValue(func() map[artifact.ID]bool {
		ids := map[artifact.ID]bool{}
		tasks, _ := v.Tasks(ctx) // folders that cannot be listed were reported with the tasks
		for _, dir := range tasks {
			state, err := documents.Load(ctx, v.Workspace, nil, v.store, dir)
			if err != nil {
				continue
			}
			for _, d := range state.Documents {
				ids[artifact.Sum(state.Bundle(d).Bytes())] = true
			}
		}
		return ids
	})
	return func(id artifact.ID) bool { return bundles()[id] }
}

type threadChecker struct {
	ctx   context.Context
	set   *lint.Settings
	store *thread.Store
	blobs *artifact.Store
	sound map[string]error // the result for each blob that was checked; nil if it is sound

	sources sources

	derives func(id artifact.ID) bool // reports whether it is the bundle of a document
	found   []lint.Finding
	failed  []error // errors of reads, which leave open whether the content is damaged
}

// unread records an error that does not show whether a file is damaged.
func (c *threadChecker) unread(path string, err error) bool {
	if !regular.Unavailable(err) {
		return false
	}
	c.failed = append(c.failed, fmt.Errorf("%s: %w", path, err))
	return true
}

// at reports a finding about an event. Events are numbered from 0 and lines from 1, so
// the line is the number plus one.
func (c *threadChecker) at(rule *rules.Rule, path string, seq uint64, format string, args ...any) {
	c.found = append(c.found, rule.At(c.set, path, int(seq)+1, format, args...)...)
}

func (c *threadChecker) stream(kind thread.StreamKind, id string) {
	folder := "threads"
	if kind == thread.Session {
		folder = "sessions"
	}
	path := workspace.StateDir + "/" + folder + "/" + id + ".jsonl"
	next := uint64(0)
	for e, err := range c.store.StreamEvents(kind, id, 0) {
		if c.unread(path, err) {
			return
		}
		if err != nil {
			text := err.Error()
			if damage := (*journal.DamageError)(nil); errors.As(err, &damage) {
				next, text = uint64(damage.Line-1), damage.Err.Error()
			}
			c.at(&rules.DamagedThread, path, next, "%s", text)
			return
		}
		if next == 0 && kind == thread.Continuity && e.Payload.Type() != (&thread.Created{}).Type() {
			c.at(&rules.DamagedThread, path, 0, "begins with %s, want %s", e.Payload.Type(), (&thread.Created{}).Type())
		}
		if c.event(path, e); kind == thread.Continuity {
			c.source(path, e)
		}
		next++
	}
	if next == 0 {
		c.at(&rules.DamagedThread, path, 0, "has no events: its beginning is missing")
	}
}

// finishedRuns reads the runs that share a file. It does not check the artifacts that
// their events name, because the events are complete without them.
func (c *threadChecker) finishedRuns() error {
	for err := range c.store.DamagedRuns(c.ctx) {
		damage := (*journal.DamageError)(nil)
		switch {
		case errors.As(err, &damage):
			c.at(&rules.DamagedThread, finishedRuns, uint64(damage.Line-1), "%s", damage.Err)
		case !c.unread(finishedRuns, err):
			return err
		}
	}
	return nil
}

// event checks the parent thread, the run and the artifact that an event refers to.
func (c *threadChecker) event(path string, e thread.Event) {
	if p, ok := e.Payload.(*thread.Branched); ok {
		head, err := c.store.Head(p.ParentThreadID)
		if errors.Is(err, fs.ErrNotExist) {
			c.at(&rules.DamagedThread, path, e.Seq, "is a branch of thread %s, which does not exist", p.ParentThreadID)
		} else if !c.unread(path, err) && err == nil && head < p.ParentSeq {
			c.at(&rules.DamagedThread, path, e.Seq, "is a branch at event %d of thread %s, whose last event is %d", p.ParentSeq, p.ParentThreadID, head)
		} else if c.store.Mistold(e) {
			c.at(&rules.DamagedThread, path, e.Seq, "has a handoff_above that its ancestors contradict: contexts may lack a summary")
		}
	}
	if p, ok := e.Payload.(*thread.RunEnded); ok && !slices.Contains(thread.NeverBegun, p.Reason) && !c.store.HasStream(thread.Session, p.RunSessionID) {
		c.at(&rules.DamagedThread, path, e.Seq, "the output of run %s is missing: contexts need it", p.RunSessionID)
	}
	if name := e.Artifact(); name != "" {
		c.blob(path, e.Seq, name)
	}
}

// blob checks an artifact that an event names. If its id is a random one of RIP,
// the content cannot be compared with it, so blob only checks that it exists.
func (c *threadChecker) blob(path string, seq uint64, name string) {
	id, err := artifact.ParseID(name)
	if err != nil { // RIP stores any text as an id
		c.at(&rules.MissingBlob, path, seq, "names artifact %q, which is not a valid id: want 64 digits of lower-case hex", name)
		return
	}
	err, known := c.sound[name]
	if !known {
		if err = c.blobs.Verify(id); errors.Is(err, fs.ErrNotExist) && c.derives(id) {
			err = nil
		}
		c.sound[name] = err
	}
	switch {
	case err == nil, errors.Is(err, artifact.ErrNotHashed):
	case errors.Is(err, fs.ErrNotExist):
		c.at(&rules.MissingBlob, path, seq, "names artifact %s, which is not in the store", name)
	case c.unread(path, err):
	default:
		c.at(&rules.DamagedBlob, path, seq, "names artifact %s, which cannot be relied on: %v", name, workspace.Reason(err))
	}
}
