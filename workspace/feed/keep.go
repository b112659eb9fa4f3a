package feed

import (
	"context"
	"time"

	"handoff/watch"
)

// How many times as long as it took the feed rests after a comparison: so it takes at most
// a fifth of a processor while a large tree keeps changing, and a 25th for receipts while
// nothing happens.
const (
	restOfTree     = 4
	restOfReceipts = 24
)

// keep appends what happens until the feed is closed.
func (f *Feed) keep() {
	ws, err := f.opt.Open()
	if err != nil {
		f.opt.Say(err.Error()) // cannot be: it was opened a moment ago
		return
	}
	w := watch.Open(watch.Options{Root: ws.Root, Layouts: ws.Config.Documents, Quiet: watch.DefaultQuiet, Say: f.opt.Say})
	defer func() {
		w.Close()
		for range w.Dirty {
		}
	}()
	stop := context.AfterFunc(f.ctx, w.Close)
	defer stop()
	for range w.First { // the first comparison had them, or Dirty has them again
	}
	f.Wake() // for what changed before everything was watched
	poll := time.NewTimer(f.opt.Poll)
	defer poll.Stop()
	dirty := w.Dirty
	for {
		tree := true
		select {
		case <-f.ctx.Done():
			return
		case _, ok := <-dirty:
			if !ok {
				dirty = nil // nothing can be watched: Err reports why
				f.say(w.Err())
			}
		case <-f.wake:
		case <-poll.C:
			tree = dirty == nil
		}
		began := time.Now()
		f.mu.Lock()
		if err := f.update(f.ctx, tree); f.ctx.Err() == nil {
			f.say(err)
		}
		layouts := f.opened.Config.Documents
		f.mu.Unlock()
		w.Layouts(layouts)
		took := time.Since(began)
		if tree {
			f.pause(restOfTree * took)
		}
		poll.Reset(max(f.opt.Poll, restOfReceipts*took))
	}
}

func (f *Feed) pause(d time.Duration) {
	select {
	case <-f.ctx.Done():
	case <-time.After(d):
	}
}
