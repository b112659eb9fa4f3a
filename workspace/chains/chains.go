// Package chains keeps the threads of tasks: one for the task, and one for each of its
// documents.
//
// They form a chain: a thread for the task, then one for each document, oldest first. Each
// is handed off from the one before and starts with its document's bundle. The ids are
// derived from the paths and the bundles, so the same documents always yield the same
// threads. Apart from archiving and unarchiving, a thread that exists is not changed.
//
// An edit of a document changes its bundle, and so the id of its thread and of all
// threads after it. New ones are created and the old ones archived. If the edit is
// undone, the old ones are unarchived.
//
// Package sync extends the chains through [workspace.Options.OpenChain], and knows no
// threads.
package chains

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/threads"
)

// Open opens the threads of a workspace to extend its chains. Without writes, a chain
// reports only which threads it would create.
func Open(ctx context.Context, w *workspace.Workspace, writes bool) (workspace.Chain, error) {
	t, err := threads.In(ctx, w, writes)
	if err != nil {
		return nil, err
	}
	return &opened{t, writes}, nil
}

type opened struct {
	threads *threads.Threads
	writes  bool
}

func (o *opened) Close() error { return o.threads.Close() }

func (o *opened) Extend(ctx context.Context, dir string, documents []workspace.Chained) (workspace.Extended, error) {
	c := chaining{ctx: ctx, store: o.threads.Store, dry: !o.writes, made: map[string]bool{}}
	err := c.all(dir, documents)
	return c.did, err
}

// The actor and origin of the events that sync writes.
const (
	taskActor  = "handoff"
	taskOrigin = "sync"
)

var taskBy = thread.By{ActorID: taskActor, Origin: taskOrigin}

func taskKey(dir string) string { return "task " + dir }

func documentKey(path string, id artifact.ID) string { return "document " + path + " " + id.String() }

// Comparison is how the threads of a task differ from its documents.
type Comparison struct {
	workspace.Extended            // what would be created, and what cannot be
	Documents          []Document // those that have a thread, or would get one
}

// Document is a document with its thread, which need not exist yet.
type Document struct {
	workspace.Chained
	ThreadID, ParentThreadID string
}

// Compare compares the threads of a task with its documents. It writes nothing.
func Compare(ctx context.Context, store *thread.Store, dir string, documents []workspace.Chained) (Comparison, error) {
	if len(documents) == 0 {
		return Comparison{}, nil
	}
	c := chaining{ctx: ctx, store: store, dry: true, made: map[string]bool{}}
	if err := c.all(dir, documents); err != nil {
		return Comparison{}, err
	}
	return Comparison{c.did, c.documents}, nil
}

// chaining creates the threads of one task.
type chaining struct {
	ctx       context.Context
	store     *thread.Store
	dry       bool
	made      map[string]bool // threads created so far; with dry, those that would be
	did       workspace.Extended
	documents []Document
}

func (c *chaining) has(id string) bool { return c.made[id] || c.store.Has(id) }

// add creates a thread unless it exists. With dry, create only returns the error that
// creating it would have.
func (c *chaining) add(t workspace.TaskThread, create func() error) error {
	if c.has(t.ThreadID) {
		return nil
	}
	if err := create(); err != nil {
		return err
	}
	c.made[t.ThreadID] = true
	c.did.Threads = append(c.did.Threads, t)
	return nil
}

func (c *chaining) all(dir string, documents []workspace.Chained) error {
	root := workspace.TaskThread{Path: dir, ThreadID: thread.ChildID("", taskKey(dir))}
	err := c.add(root, func() error {
		if c.dry {
			return nil
		}
		_, err := ensureTask(c.ctx, c.store, dir)
		return err
	})
	at := threadLink{root.ThreadID, root.ThreadID}
	for i := 0; i < len(documents) && err == nil; i++ {
		at, err = c.document(documents[i], at)
	}
	if err != nil {
		return fmt.Errorf("threads of %s: %w", dir, err)
	}
	return nil
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
func (c *chaining) document(d workspace.Chained, at threadLink) (threadLink, error) {
	from := at
	if d.Source != "" {
		from = threadLink{d.Source, d.Source}
	}
	if !c.has(from.is) {
		c.problem(d, fmt.Sprintf("refers to thread %s, which is not here, and has no thread of its own", from.is))
		return at, nil
	}
	t := workspace.TaskThread{Path: d.Path, ThreadID: thread.ChildID(from.is, documentKey(d.Path, d.Bundle)), ParentThreadID: from.is}
	c.documents = append(c.documents, Document{d, t.ThreadID, t.ParentThreadID})
	err := c.add(t, func() error { return c.handoff(t, d) })
	if errors.Is(err, handoff.ErrInvalid) { // the thread does not have the event of the cut
		c.problem(d, "has no thread: "+strings.ReplaceAll(err.Error(), ": "+handoff.ErrInvalid.Error(), ""))
		return at, nil
	}
	if err != nil {
		return at, err
	}
	next := threadLink{t.ThreadID, t.ThreadID}
	if !d.Before.IsZero() {
		next.was = thread.ChildID(from.was, documentKey(d.Path, d.Before))
	}
	if next.was != next.is && !c.dry {
		err = c.replace(next)
	}
	return next, err
}

func (c *chaining) problem(d workspace.Chained, text string) {
	c.did.Unchained = append(c.did.Unchained, workspace.Unchained{Path: d.Path, Text: text})
}

func (c *chaining) handoff(t workspace.TaskThread, d workspace.Chained) error {
	if err := c.reaches(t.ParentThreadID, d.Seq); err != nil || c.dry {
		return err
	}
	title := strings.TrimSuffix(path.Base(d.Path), path.Ext(d.Path))
	_, err := c.store.Handoff(c.ctx, t.ParentThreadID, thread.HandoffRequest{
		Title: &title, SummaryArtifactID: new(d.Bundle.String()), FromSeq: d.Seq,
		ActorID: taskActor, Origin: taskOrigin, Key: documentKey(d.Path, d.Bundle),
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
