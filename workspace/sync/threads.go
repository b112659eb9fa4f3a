package sync

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"handoff"
	"handoff/artifact"
	"handoff/reconcile"
	"handoff/thread"
	"handoff/workspace"
	"handoff/workspace/threads"
)

// The documents of a task form a chain of threads: a thread for the task, then one for
// each document, oldest first. Each is handed off from the one before and starts with
// its document's bundle. The ids are derived from the paths and the bundles, so the same
// documents always yield the same threads. Apart from archiving and unarchiving, sync
// does not change a thread that exists.
//
// An edit of a document changes its bundle, and so the id of its thread and of all
// threads after it. Sync creates new ones and archives the old ones. If the edit is
// undone, the old ones are unarchived.

// TaskThread is a thread of a task.
type TaskThread struct {
	Path           string `json:"path"` // of the document; the task's folder for the first
	ThreadID       string `json:"thread_id"`
	ParentThreadID string `json:"parent_thread_id,omitempty"`
}

// chained is a document in the chain.
type chained struct {
	path   string
	Bundle artifact.ID
	before artifact.ID // the bundle that the metadata named before; zero for none
	source string      // parent thread that the document names; "" for the previous document's thread
	Seq    *uint64     // the event of source that the document continues from; nil for the last
}

// chainOf returns the documents of a task that get threads. An archived task has none:
// its paths have changed, and no agent continues it.
func chainOf(s reconcile.State, p reconcile.Plan) (chain []chained) {
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
		c := chained{path: d.Path, Bundle: id, before: id}
		if !p.Empty() { // the error does not matter: unreadable metadata names no former bundle
			c.before, _ = s.Linked(d.Path)
		}
		if f := d.Doc.Front; f != nil && f.Thread != "" && f.Seq != nil && *f.Seq >= 0 {
			c.source, c.Seq = strings.Clone(f.Thread), new(uint64(*f.Seq))
		}
		chain = append(chain, c)
	}
	return chain
}

// The actor and origin of the events that sync writes.
const (
	taskActor  = "handoff"
	taskOrigin = "sync"
)

var taskBy = thread.By{ActorID: taskActor, Origin: taskOrigin}

func taskKey(dir string) string { return "task " + dir }

func documentKey(path string, id artifact.ID) string { return "document " + path + " " + id.String() }

// Chain compares the threads of a task with its documents.
type Chain struct {
	Missing   []TaskThread        // threads that sync would create
	Problems  []reconcile.Problem // documents that cannot have a thread
	Documents []DocumentThread    // documents that have a thread, or would get one
}

// ChainOf computes the chain of a task. It writes nothing.
func ChainOf(ctx context.Context, store *thread.Store, state reconcile.State) (Chain, error) {
	one := Result{Plan: reconcile.Plan{Dir: state.Dir}, chain: chainOf(state, reconcile.Make(state))}
	if len(one.chain) == 0 {
		return Chain{}, nil
	}
	c := chaining{ctx: ctx, store: store, dry: true, synced: &one, made: map[string]bool{}}
	if err := c.all(); err != nil {
		return Chain{}, fmt.Errorf("threads of %s: %w", state.Dir, err)
	}
	return Chain{one.Threads, one.Plan.Problems, c.documents}, nil
}

// openThreads opens the workspace's threads when they are first needed.
type openThreads struct {
	mu  sync.Mutex
	all *threads.Threads
}

func (o *openThreads) get(ctx context.Context, w *workspace.Workspace, writes bool) (*threads.Threads, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all != nil {
		return o.all, nil
	}
	t, err := threads.In(ctx, w, writes)
	if err == nil {
		o.all = t
	}
	return t, err
}

func (o *openThreads) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all != nil {
		o.all.Close() // the error does not matter: everything created was already fsynced
	}
	o.all = nil
}

// thread creates the missing threads of a task.
func (s *Syncer) thread(ctx context.Context, one *Result) {
	if len(one.chain) == 0 {
		return
	}
	t, err := s.threads.get(ctx, s.Workspace, !s.dry)
	if err != nil {
		one.Err = fmt.Errorf("threads: %w", err)
		return
	}
	c := chaining{ctx: ctx, store: t.Store, dry: s.dry, synced: one, made: map[string]bool{}}
	if err := c.all(); err != nil {
		one.Err = fmt.Errorf("threads of %s: %w", one.Plan.Dir, err)
	}
}

// chaining creates the threads of one task.
type chaining struct {
	ctx       context.Context
	store     *thread.Store
	dry       bool
	synced    *Result
	made      map[string]bool // threads created so far; with dry, those that would be
	documents []DocumentThread
}

// DocumentThread is the thread of a document. It need not exist yet.
type DocumentThread struct {
	TaskThread
	chained
}

func (c *chaining) has(id string) bool { return c.made[id] || c.store.Has(id) }

// add creates a thread unless it exists. With dry, create only returns the error that
// creating it would have.
func (c *chaining) add(t TaskThread, create func() error) error {
	if c.has(t.ThreadID) {
		return nil
	}
	if err := create(); err != nil {
		return err
	}
	c.made[t.ThreadID] = true
	c.synced.Threads = append(c.synced.Threads, t)
	return nil
}

func (c *chaining) all() error {
	dir := c.synced.Plan.Dir
	root := TaskThread{Path: dir, ThreadID: thread.ChildID("", taskKey(dir))}
	err := c.add(root, func() error {
		if c.dry {
			return nil
		}
		_, err := ensureTask(c.ctx, c.store, dir)
		return err
	})
	at := threadLink{root.ThreadID, root.ThreadID}
	for i := 0; i < len(c.synced.chain) && err == nil; i++ {
		at, err = c.document(c.synced.chain[i], at)
	}
	return err
}

// ensureTask returns the ID of a task's own thread, the first of its chain. It
// creates the thread if it is missing. dir is the task's folder below the root.
func ensureTask(ctx context.Context, store *thread.Store, dir string) (id string, err error) {
	info, _, err := store.Create(ctx, thread.CreateRequest{Title: new(path.Base(dir)), Key: taskKey(dir)})
	return info.ThreadID, err
}

// BranchTask creates a thread that branches off at the start of a task's own thread, so
// that it inherits no output of earlier runs. dir is the task's folder below the root;
// "" creates a thread without a parent.
func BranchTask(ctx context.Context, store *thread.Store, dir, title, origin string) (id string, err error) {
	if dir == "" {
		info, _, err := store.Create(ctx, thread.CreateRequest{Title: &title})
		return info.ThreadID, err
	}
	if id, err = ensureTask(ctx, store, dir); err != nil {
		return "", err
	}
	branch, err := store.Branch(ctx, id, thread.BranchRequest{Title: &title, FromSeq: new(uint64(0)), ActorID: taskActor, Origin: origin})
	return branch.ThreadID, err
}

// threadLink is the thread of a document, and the one that it had before an edit.
type threadLink struct{ is, was string }

// document creates the thread of a document as a child of the one before, at, and
// returns it. If the document cannot have a thread, it returns at, so that the next
// document continues from there.
func (c *chaining) document(d chained, at threadLink) (threadLink, error) {
	from := at
	if d.source != "" {
		from = threadLink{d.source, d.source}
	}
	if !c.has(from.is) {
		c.problem(d, fmt.Sprintf("refers to thread %s, which is not here, and has no thread of its own", from.is))
		return at, nil
	}
	t := TaskThread{Path: d.path, ThreadID: thread.ChildID(from.is, documentKey(d.path, d.Bundle)), ParentThreadID: from.is}
	c.documents = append(c.documents, DocumentThread{t, d})
	err := c.add(t, func() error { return c.handoff(t, d) })
	if errors.Is(err, handoff.ErrInvalid) { // the thread does not have the event of the cut
		c.problem(d, "has no thread: "+strings.ReplaceAll(err.Error(), ": "+handoff.ErrInvalid.Error(), ""))
		return at, nil
	}
	if err != nil {
		return at, err
	}
	next := threadLink{t.ThreadID, t.ThreadID}
	if !d.before.IsZero() {
		next.was = thread.ChildID(from.was, documentKey(d.path, d.before))
	}
	if next.was != next.is && !c.dry {
		err = c.replace(next)
	}
	return next, err
}

func (c *chaining) problem(d chained, text string) {
	c.synced.Plan.Problems = append(c.synced.Plan.Problems, reconcile.Problem{Path: d.path, Text: text})
}

func (c *chaining) handoff(t TaskThread, d chained) error {
	if err := c.reaches(t.ParentThreadID, d.Seq); err != nil || c.dry {
		return err
	}
	title := strings.TrimSuffix(path.Base(d.path), path.Ext(d.path))
	_, err := c.store.Handoff(c.ctx, t.ParentThreadID, thread.HandoffRequest{
		Title: &title, SummaryArtifactID: new(d.Bundle.String()), FromSeq: d.Seq,
		ActorID: taskActor, Origin: taskOrigin, Key: documentKey(d.path, d.Bundle),
	})
	return err
}

// reaches returns an error if a thread does not have the event of a cut. A thread that
// does not exist yet is not checked.
func (c *chaining) reaches(id string, seq *uint64) error {
	last, err := c.store.Head(id)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && seq != nil && *seq > last:
		err = fmt.Errorf("the last event of thread %s is %d, not %d: %w", id, last, *seq, handoff.ErrInvalid)
	}
	return err
}

// replace archives the thread that a document had before an edit, and unarchives the
// current one, which was archived if the edit was undone.
func (c *chaining) replace(l threadLink) error {
	_, err := c.store.Archive(c.ctx, l.was, taskBy)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		_, err = c.store.Unarchive(c.ctx, l.is, taskBy)
	}
	return err
}
