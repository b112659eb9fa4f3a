package dashboard

import (
	"context"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"handoff/watch"
	"handoff/workspace"
)

// changes reports that something in a workspace may have changed: a file of a task, a
// document elsewhere, a receipt, a thread, a session or a tape.
type changes struct {
	open func() (*workspace.Workspace, error)
	poll time.Duration
	say  func(string)
	// tell is called with the folders of tasks that may have changed, or with none if any
	// may have.
	tell func(dirs ...string)

	once sync.Once
	ctx  context.Context
	end  context.CancelFunc
	runs sync.WaitGroup

	blind atomic.Bool // nothing can be watched

	mu      sync.Mutex
	count   uint64
	changed chan struct{} // closed at the next change
}

func newChanges(open func() (*workspace.Workspace, error), poll time.Duration, say func(string), tell func(...string)) *changes {
	c := &changes{open: open, poll: poll, say: say, tell: tell, changed: make(chan struct{})}
	c.ctx, c.end = context.WithCancel(context.Background())
	return c
}

// watch starts a watch on its first call. The watch runs until close, because in a
// large tree starting it for each page would take longer than the page itself.
func (c *changes) watch() { c.once.Do(func() { c.runs.Go(c.keep) }) }

func (c *changes) close() {
	c.end()
	c.once.Do(func() {}) // a page that comes too late must not begin
	c.runs.Wait()
}

// next is closed at the next change.
func (c *changes) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// number grows with each change.
func (c *changes) number() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count
}

func (c *changes) happened() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	close(c.changed)
	c.changed = make(chan struct{})
}

// restOfPolls is how many times as long as it took polling rests: a 25th of a processor.
const restOfPolls = 24

func (c *changes) keep() {
	ws, err := c.open()
	if err != nil {
		c.say(err.Error()) // cannot be: the page opened it a moment ago
		return
	}
	w := watch.Open(watch.Options{Root: ws.Root, Layouts: ws.Config.Documents, Quiet: watch.DefaultQuiet, Say: c.say})
	defer func() {
		w.Close()
		for range w.Dirty {
		}
	}()
	stop := context.AfterFunc(c.ctx, w.Close)
	defer stop()
	for range w.First {
	}
	c.tell()
	c.happened() // what changed before everything was watched
	poll := time.NewTimer(c.poll)
	defer poll.Stop()
	dirty, last := w.Dirty, stores(ws, nil)
	for {
		select {
		case <-c.ctx.Done():
			return
		case tasks, ok := <-dirty:
			if !ok {
				dirty = nil // nothing can be watched; pages are still made again from time to time
				c.blind.Store(true)
				continue
			}
			c.tell(tasks...)
			c.happened()
		case <-poll.C:
			began := time.Now()
			ws, err := c.open()
			if err == nil {
				w.Layouts(ws.Config.Documents)
			}
			if now := stores(ws, err); now != last {
				last = now
				c.happened()
			}
			poll.Reset(max(c.poll, restOfPolls*time.Since(began)))
		}
	}
}

// stores is a sum of the names, sizes and times of the files that are not watched; of the
// error, if the workspace could not be opened.
func stores(ws *workspace.Workspace, err error) uint64 {
	sum := fnv.New64a()
	if err != nil {
		fmt.Fprint(sum, err)
		return sum.Sum64()
	}
	state, scratch := filepath.Join(ws.Root, workspace.StateDir), filepath.Join(ws.Root, filepath.FromSlash(workspace.ScratchDir)) // which each write changes
	dirs := []string{state, filepath.Join(state, "threads"), filepath.Join(state, "sessions"), filepath.Join(state, "tape")}
	if store, err := ws.Receipts(); err == nil {
		dirs = append(dirs, store.Place().Dir)
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir) // one that does not exist has no entries
		for _, e := range entries {
			if info, err := e.Info(); err == nil && filepath.Join(dir, e.Name()) != scratch {
				fmt.Fprintln(sum, e.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return sum.Sum64()
}
