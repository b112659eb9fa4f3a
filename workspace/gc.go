package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff"
	"handoff/artifact"
)

// GCRequest says how to look for artifacts that nothing needs.
type GCRequest struct {
	Delete bool          // remove them; otherwise look only
	Age    time.Duration // leave what is younger: somebody may be about to name it
	Also   []string      // absolute folders, beside our own, whose files name artifacts
	Now    time.Time
}

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
}

// GC finds the artifacts that nothing names and removes them if it is to. What
// counts as a name is careful: any 64 hex digits in any file of specs, of
// .handoff and .rip, of RIP's store, and of an artifact that is kept. When one
// of those files cannot be read, nothing is removed. No writer of ours is at
// work meanwhile; of others it knows by age only.
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
		res, err = c.sweep(req)
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

	walked map[string]bool // folders that links led to
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

// mark finds what the files name, and what that names in turn.
func (c *collector) mark(root string, also []string) error {
	dirs := append([]string{
		filepath.Join(root, handoff.Root), filepath.Join(root, StateDir), filepath.Join(root, ".rip"),
		filepath.Join(root, "data"), // RIP's store, unless RIP_DATA_DIR says otherwise
	}, also...)
	blobs := filepath.Join(root, filepath.FromSlash(artifact.Blobs))
	for _, dir := range dirs {
		if err := c.markDir(dir, blobs); err != nil {
			return err
		}
	}
	for len(c.queue) > 0 {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		id := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		if err := c.scan(&blobReader{store: c.store, id: c.blobs[id].ID}); err != nil {
			return err
		}
	}
	return nil
}

func (c *collector) markDir(dir, except string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case path == except:
			return fs.SkipDir
		case e.Type()&fs.ModeSymlink != 0:
			return c.markLink(path, except)
		case !e.Type().IsRegular():
			return c.ctx.Err()
		}
		return c.markFile(path)
	})
}

// markLink goes where a link leads: what stands there names artifacts as well.
// A link to nowhere, or back to itself, names none.
func (c *collector) markLink(path, except string) error {
	to, err := filepath.EvalSymlinks(path)
	if err != nil {
		if _, statErr := os.Stat(path); errors.Is(statErr, fs.ErrNotExist) || isLoop(statErr) {
			return nil
		}
		return err
	}
	st, err := os.Stat(to)
	switch {
	case err != nil:
		return err
	case st.Mode().IsRegular():
		return c.markFile(to)
	case !st.IsDir() || c.walked[to]:
		return nil
	}
	c.walked[to] = true
	return c.markDir(to, except)
}

func isLoop(err error) bool {
	return err != nil && strings.Contains(err.Error(), "too many levels of symbolic links") // os has no name for it
}

func (c *collector) markFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return c.scan(f)
}

const idLength = 64

// scan looks for the ids of blobs in a text. Digits before or behind 64 others
// may belong to an escape in front of the id ("\u000a"), so that each 64 in a
// row count.
func (c *collector) scan(r io.Reader) error {
	buf := make([]byte, 64<<10)
	run := make([]byte, 0, 2*idLength) // the hex digits just before
	for {
		n, err := r.Read(buf)
		for _, b := range buf[:n] {
			if (b < '0' || b > '9') && (b < 'a' || b > 'f') {
				run = run[:0]
				continue
			}
			if len(run) == cap(run) {
				run = append(run[:0], run[len(run)-idLength+1:]...)
			}
			if run = append(run, b); len(run) >= idLength {
				c.name(run[len(run)-idLength:])
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (c *collector) name(id []byte) {
	if _, ok := c.blobs[string(id)]; ok && !c.named[string(id)] {
		c.named[string(id)] = true
		c.queue = append(c.queue, string(id))
	}
}

// sweep sorts out what nothing names, and removes it if it is to.
func (c *collector) sweep(req GCRequest) (res GCResult, err error) {
	old := func(t time.Time) bool { return req.Now.Sub(t) >= req.Age }
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
		if err := res.take(g, req.Delete, func() error { return c.remove(info.ID, req.Now.Add(-req.Age)) }); err != nil {
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

// blobReader reads a blob of any size.
type blobReader struct {
	store *artifact.Store
	id    artifact.ID
	at    int64
}

func (r *blobReader) Read(p []byte) (int, error) {
	data, _, err := r.store.Range(r.id, r.at, int64(len(p)))
	if err != nil {
		return 0, err
	}
	if len(data) == 0 {
		return 0, io.EOF
	}
	r.at += int64(len(data))
	return copy(p, data), nil
}

// Name is how a person calls it: its id, or the path of a leftover.
func (g Garbage) Name() string {
	if g.ID.IsZero() {
		return strings.TrimPrefix(g.Path, artifact.Blobs+"/")
	}
	return g.ID.String()
}
