package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"handoff/artifact"
)

// GCRequest says how to look for artifacts that nothing needs.
type GCRequest struct {
	Delete    bool          // remove them; otherwise look only
	SkipLinks bool          // remove also where what links out of the workspace lead to was not looked into
	Age       time.Duration // leave what is younger: somebody may be about to name it
	Also      []string      // absolute folders, beside our own, whose files name artifacts
}

// errUnseen says that nothing was removed because of links that are not
// followed: what lies behind them may name what would go.
var errUnseen = errors.New("nothing removed: symlinks lead out of the workspace, and references behind them are unknown")

// Garbage is something that nothing needs: a blob that no file names, or what
// a writer left behind when it was killed.
type Garbage struct {
	ID   artifact.ID // zero for a leftover
	Path string      // below the root, forward slashes
	Size int64       // bytes
}

// GCResult is what became of the store.
type GCResult struct {
	Garbage []Garbage // removed, or to be removed
	Size    int64     // bytes of Garbage
	Kept    int       // blobs that some file names
	Young   int       // blobs that nothing names, but too young to go
	Foreign int       // blobs that nothing here names, but with ids that RIP made up: only RIP knows
	Outside []string  // links out of the workspace, below the root: what is named behind them does not count
}

// GC finds the artifacts that nothing names and removes them if it is to. What
// counts as a name is careful: any 64 hex digits in any file of specs, of
// .handoff and .rip, of RIP's store, and of an artifact that is kept. When one
// of those files cannot be read, nothing is removed. Links are followed as far
// as they lead into the workspace or those folders, wherever these are: one to
// the root of a disk would have all of it read. Where there are others, which
// the result lists, nothing is removed either, unless the request says so. No
// writer of ours is at work meanwhile; of others it knows by age only.
func (w *Workspace) GC(ctx context.Context, req GCRequest) (GCResult, error) {
	var res GCResult
	store, err := artifact.Open(w.Root)
	if err != nil {
		return res, err
	}
	defer store.Close()
	collect := func() error {
		c := collector{ctx: ctx, store: store, blobs: map[string]artifact.Info{}, named: map[string]bool{}, walked: map[string]bool{}}
		if err := c.list(); err != nil {
			return err
		}
		if err := c.mark(w.Root, req.Also); err != nil {
			return fmt.Errorf("nothing removed: %w", err)
		}
		err := errUnseen
		if !req.Delete || req.SkipLinks || len(c.outside) == 0 {
			res, err = c.sweep(req, w.Now())
		}
		for _, link := range c.outside {
			res.Outside = append(res.Outside, relSlash(c.places[0], link))
		}
		return err
	}
	if req.Delete {
		err = w.locked(ctx, collect)
	} else {
		err = collect()
	}
	return res, err
}

type collector struct {
	ctx   context.Context
	store *artifact.Store
	order []string                 // ids of the blobs, sorted
	blobs map[string]artifact.Info // by id
	named map[string]bool
	queue []string // named, and not looked into yet

	places  []string        // the workspace and what is looked into beside it, without links
	except  string          // the folder of the blobs, without links
	walked  map[string]bool // folders, without links
	outside []string        // links that leave the places
}

func (c *collector) list() error {
	for info, err := range c.store.List() {
		if err != nil {
			continue // no blob: artifact verify tells, nothing here touches it
		}
		c.order = append(c.order, info.ID.String())
		c.blobs[info.ID.String()] = info
	}
	return c.ctx.Err()
}

// sweep sorts out what nothing names, and removes it if it is to.
func (c *collector) sweep(req GCRequest, now time.Time) (res GCResult, err error) {
	old := func(t time.Time) bool { return now.Sub(t) >= req.Age }
	for _, id := range c.order {
		info := c.blobs[id]
		switch {
		case c.named[id]:
			res.Kept++
			continue
		case !old(info.Modified):
			res.Young++
			continue
		case errors.Is(c.store.Verify(info.ID), artifact.ErrNotHashed):
			res.Foreign++
			continue
		}
		g := Garbage{ID: info.ID, Path: artifact.Blobs + "/" + id, Size: info.Size}
		if err := res.take(g, req.Delete, func() error { return c.remove(info.ID, now.Add(-req.Age)) }); err != nil {
			return res, err
		}
	}
	for l, err := range c.store.Leftovers() {
		if err != nil {
			return res, err
		}
		if !old(l.Modified) {
			continue
		}
		if err := res.take(Garbage{Path: l.Path, Size: l.Size}, req.Delete, func() error { return c.store.RemoveLeftover(l.Path) }); err != nil {
			return res, err
		}
	}
	return res, nil
}

// errPutAgain says that somebody put a blob since it was listed: threads and
// tapes are not locked meanwhile, and one of them is about to name it.
var errPutAgain = errors.New("put again")

func (c *collector) remove(id artifact.ID, notAfter time.Time) error {
	removed, err := c.store.Remove(id, notAfter)
	if err == nil && !removed {
		return errPutAgain
	}
	return err
}

func (res *GCResult) take(g Garbage, remove bool, f func() error) error {
	if remove {
		switch err := f(); {
		case errors.Is(err, errPutAgain):
			res.Young++
			return nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	res.Garbage = append(res.Garbage, g)
	res.Size += g.Size
	return nil
}

// Name is how a person calls it: its id, or the path of a leftover.
func (g Garbage) Name() string {
	if g.ID.IsZero() {
		return strings.TrimPrefix(g.Path, artifact.Blobs+"/")
	}
	return g.ID.String()
}
