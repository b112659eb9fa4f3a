package workspace

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff"
	"handoff/artifact"
	"handoff/internal/file/regular"
)

// mark finds what the files name, and what that names in turn.
func (c *collector) mark(root string, also []string) error {
	dirs := append([]string{
		filepath.Join(root, handoff.Root), filepath.Join(root, StateDir), filepath.Join(root, ".rip"),
		filepath.Join(root, "data"), // RIP's store, unless RIP_DATA_DIR says otherwise
	}, also...)
	if err := c.locate(root, dirs); err != nil {
		return err
	}
	for _, dir := range c.places[1:] {
		if err := c.markDir(dir); err != nil {
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

// locate finds where the workspace and the folders to look into are: each may
// be a link, which somebody put there for all of it.
func (c *collector) locate(root string, dirs []string) (err error) {
	if c.except, err = real(filepath.Join(root, filepath.FromSlash(artifact.Blobs))); err != nil {
		return err
	}
	for _, dir := range append([]string{root}, dirs...) {
		at, err := real(dir)
		if err != nil {
			return err
		}
		if at != "" {
			c.places = append(c.places, at)
		}
	}
	return nil
}

// real is a path without links, "" where it leads to nothing or back to itself.
func real(path string) (string, error) {
	to, err := filepath.EvalSymlinks(path)
	if err == nil {
		return to, nil
	}
	if _, statErr := os.Stat(path); errors.Is(statErr, fs.ErrNotExist) || isLoop(statErr) {
		return "", nil
	}
	return "", err
}

// markDir looks into a folder, whose path has no links, unless it was.
func (c *collector) markDir(dir string) error {
	if c.walked[dir] {
		return nil
	}
	c.walked[dir] = true
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case path == c.except:
			return fs.SkipDir
		case e.Type()&fs.ModeSymlink != 0:
			return c.markLink(path)
		case !e.Type().IsRegular():
			return c.ctx.Err()
		}
		return c.markFile(path)
	})
}

// markLink goes where a link leads: what stands there names artifacts as well.
// A link to nowhere, or back to itself, names none. One that leaves the places
// that are looked into is noted.
func (c *collector) markLink(path string) error {
	to, err := real(path)
	if err != nil || to == "" {
		return err
	}
	if !slices.ContainsFunc(c.places, func(place string) bool { return within(place, to) }) {
		c.outside = append(c.outside, path)
		return nil
	}
	st, err := os.Stat(to)
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return c.markDir(to)
	case st.Mode().IsRegular():
		return c.markFile(to)
	}
	return nil
}

// within reports whether a path is a folder or lies in it.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func isLoop(err error) bool {
	return err != nil && strings.Contains(err.Error(), "too many levels of symbolic links") // os has no name for it
}

func (c *collector) markFile(path string) error {
	f, err := regular.Open(path)
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
