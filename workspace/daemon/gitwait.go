package daemon

import (
	"sync/atomic"
	"time"

	"handoff/log/artifact"
	"handoff/workspace"
	tasksync "handoff/workspace/sync"
)

// gitWait is what git is doing while tasks wait for it.
type gitWait struct {
	what  string // "" for nothing
	since time.Time
	said  bool
}

const (
	askGit   = 50 * time.Millisecond // between two looks whether git is done
	gitTakes = 2 * time.Second       // longer than most commands: after it the user is told
)

// asCommitted are tasks with files that were left alone because git has them as they are. That
// may change without an event, when the index is written.
type asCommitted struct {
	waitlist
	index atomic.Int64 // when it was written that was known last, in ns
}

// noteLeft records whether files of a task were left alone.
func (d *daemon) noteLeft(s tasksync.Result) {
	if len(s.Plan.Left) > 0 {
		d.left.put(s.Plan.Dir, d.Now())
	} else {
		d.left.drop([]string{s.Plan.Dir})
	}
}

// rewritten reports whether the index was written since the last look, and when.
func (d *daemon) rewritten() (at int64, ok bool) {
	tree := d.syncer.Book.Tree()
	if tree == nil {
		return 0, false
	}
	at = tree.Indexed().UnixNano()
	return at, at != d.left.index.Load()
}

// reindexed returns the tasks to look at again because the index was written.
func (d *daemon) reindexed() []string {
	at, ok := d.rewritten()
	if !ok {
		return nil
	}
	tasks := d.left.all()
	d.status.queued(len(tasks) + d.later.size()) // first: they are in the queue in any case
	d.left.index.Store(at)
	return tasks
}

// look schedules a task again that was left alone because of what git is doing, and tells the
// user once if that takes long.
func (g *gitWait) look(d *daemon, s tasksync.Result) {
	now := d.Now()
	if s.Busy == "" {
		if !s.Later && !s.Plan.Empty() { // it was written
			*g = gitWait{}
			d.status.waitsFor("")
		}
		return
	}
	d.later.put(s.Plan.Dir, now.Add(askGit))
	if g.what != s.Busy {
		*g = gitWait{what: s.Busy, since: now}
		d.status.waitsFor(s.Busy)
	}
	if !g.said && now.Sub(g.since) > gitTakes {
		g.said = true
		d.talk(func() {
			d.req.Say(g.what + " is in progress: nothing is written until it ends (`handoff sync TASK` writes anyway)")
		})
	}
}

// restoreBundles stores all bundles again if their folder was removed, by `git clean` for
// example: the metadata still names them.
func (d *daemon) restoreBundles() {
	had := d.stored
	d.stored = workspace.IsDir(d.Full(artifact.Blobs))
	if had && !d.stored && d.exists("") {
		d.watcher.Rescan()
	}
}
