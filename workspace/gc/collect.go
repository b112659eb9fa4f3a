// Package gc removes artifacts that nothing refers to. It knows where references
// may be, and nothing about what refers: 64 hex digits in any file count.
package gc

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/log/artifact"
	"handoff/workspace"
)

// Request selects the artifacts that may go.
type Request struct {
	Delete    bool          // remove them; otherwise only list them
	SkipLinks bool          // remove them even if symlinks lead out of the workspace
	Age       time.Duration // keep what is younger: a process may be about to refer to it
	Also      []string      // more absolute folders whose files refer to artifacts

	Progress func(files int) // called after each file that was read; may be nil
}

// errUnseen reports that nothing was removed because of symlinks that are not
// followed: files in their targets may refer to any artifact.
var errUnseen = errors.New("nothing removed: symlinks lead out of the workspace, and references in their targets are unknown")

// Garbage is a blob that no file refers to, or the temporary file of a writer that
// was killed.
type Garbage struct {
	ID   artifact.ID `json:"-"`    // zero for a leftover
	Path string      `json:"path"` // below the root, forward slashes
	Size int64       `json:"size"` // bytes
}

// Result counts the blobs of the store by what happened to them.
type Result struct {
	Garbage []Garbage `json:"garbage"` // removed, or to be removed
	Size    int64     `json:"size"`    // bytes of Garbage
	Kept    int       `json:"kept"`    // blobs that a file refers to
	Young   int       `json:"young"`   // unreferenced blobs that are younger than Age
	Foreign int       `json:"foreign"` // unreferenced blobs with random ids from RIP: only RIP knows whether it needs them
	Outside []string  `json:"outside"` // symlinks out of the workspace, below the root; references in their targets do not count
}

// Collect finds the artifacts that nothing refers to and, with Delete, removes
// them. Any 64 hex digits count as a reference, in any file of specs, .handoff,
// .rip and RIP's store, in receipts and requests that wait, which may be in the git folder, and in any artifact that is kept. If one of those files
// cannot be read, nothing is removed. Symlinks are followed within the workspace
// and the folders named above; a symlink to the root of a disk would have all of it
// read. If others lead elsewhere, the result lists them and nothing is removed,
// unless the request has SkipLinks. With Delete it holds the workspace's lock. From
// writers that do not take the lock, only the age of their files protects.
func Collect(ctx context.Context, w *workspace.Workspace, req Request) (Result, error) {
	res := Result{Garbage: []Garbage{}, Outside: []string{}}
	store, err := artifact.Open(w.Root)
	if err != nil {
		return res, err
	}
	defer store.Close()
	collect := func() error {
		c := collector{ctx: ctx, progress: req.Progress, store: store, blobs: map[string]artifact.Info{}, named: map[string]bool{}, walked: map[string]bool{}}
		if err := c.list(); err != nil {
			return err
		}
		if err := c.mark(w.Root, req.Also); err != nil {
			return fmt.Errorf("nothing removed: %w", err)
		}
		err := errUnseen
		if !req.Delete || req.SkipLinks || len(c.outside) == 0 {
			err = c.sweep(&res, req, w.Now())
		}
		for _, link := range c.outside {
			res.Outside = append(res.Outside, nofollow.Root(c.places[0]).Rel(link))
		}
		return err
	}
	if req.Delete {
		err = w.Locked(ctx, collect)
	} else {
		err = collect()
	}
	return res, err
}

type collector struct {
	ctx      context.Context
	progress func(files int)
	files    int // that were read
	store    *artifact.Store
	order    []string                 // ids of the blobs, sorted
	blobs    map[string]artifact.Info // by id
	named    map[string]bool          // blobs that a file refers to
	queue    []string                 // those of them that were not read yet

	places  []string        // the workspace and the other folders to read, with links resolved
	except  string          // the folder of the blobs, with links resolved
	walked  map[string]bool // folders that were read, with links resolved
	outside []string        // symlinks that leave the places
}

func (c *collector) list() error {
	for info, err := range c.store.List() {
		if err != nil {
			continue // not a blob: `artifact verify` reports it
		}
		c.order = append(c.order, info.ID.String())
		c.blobs[info.ID.String()] = info
	}
	return c.ctx.Err()
}

// writing is how long a temporary file is left to its writer, whatever the requested
// age: a writer whose file is removed fails when it renames it into place.
const writing = 10 * time.Minute

// sweep lists what nothing refers to and, with Delete, removes it.
func (c *collector) sweep(res *Result, req Request, now time.Time) error {
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
			return err
		}
	}
	for l, err := range c.store.Leftovers() {
		if err != nil {
			return err
		}
		if !old(l.Modified) || now.Sub(l.Modified) < writing {
			continue
		}
		if err := res.take(Garbage{Path: l.Path, Size: l.Size}, req.Delete, func() error { return c.store.RemoveLeftover(l.Path) }); err != nil {
			return err
		}
	}
	return nil
}

// errPutAgain reports that a blob was stored again since it was listed: threads and
// tapes are not locked, and one of them is about to refer to it.
var errPutAgain = errors.New("put again")

func (c *collector) remove(id artifact.ID, notAfter time.Time) error {
	removed, err := c.store.Remove(id, notAfter)
	if err == nil && !removed {
		return errPutAgain
	}
	return err
}

func (res *Result) take(g Garbage, remove bool, f func() error) error {
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

// Name is the id of a blob, or the path of a leftover.
func (g Garbage) Name() string {
	if g.ID.IsZero() {
		return strings.TrimPrefix(g.Path, artifact.Blobs+"/")
	}
	return g.ID.String()
}
