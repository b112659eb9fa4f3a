package gc

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/log/artifact"
	"handoff/log/receipt"
)

// besideReceipts returns the folders in the git folder whose files may name artifacts: a
// request that waits for the store is there only. Without git they are in .handoff.
func besideReceipts(root string) (dirs []string, err error) {
	place, err := receipt.Locate(root)
	if err != nil || !place.InGit() {
		return nil, err
	}
	for _, name := range state.Outside() {
		dirs = append(dirs, place.Beside(name))
	}
	return dirs, nil
}

// mark finds what the files refer to, and what those blobs refer to in turn.
func (c *collector) mark(root string, also []string) error {
	shared, err := besideReceipts(root)
	if err != nil {
		return err
	}
	dirs := append([]string{
		filepath.Join(root, handoff.Root), filepath.Join(root, state.Dir), filepath.Join(root, state.Artifacts),
		filepath.Join(root, "data"), // RIP's store, unless RIP_DATA_DIR names another folder
	}, append(shared, also...)...)
	if err := c.resolve(root, dirs); err != nil {
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
		if err := c.markBlob(c.blobs[id].ID); err != nil {
			return err
		}
	}
	return nil
}

// markBlob reads a blob also if it is damaged: if it is restored, what it names is needed.
func (c *collector) markBlob(id artifact.ID) error {
	blob, err := c.store.OpenUnverified(id)
	if err != nil {
		return err
	}
	defer blob.Close()
	return c.scan(blob)
}

// resolve follows the links to the workspace and to the folders to read: a user
// may have put a symlink there on purpose.
func (c *collector) resolve(root string, dirs []string) (err error) {
	if c.except, err = resolved(filepath.Join(root, filepath.FromSlash(artifact.Blobs))); err != nil {
		return err
	}
	for _, dir := range append([]string{root}, dirs...) {
		at, err := resolved(dir)
		if err != nil {
			return err
		}
		if at != "" {
			c.places = append(c.places, at)
		}
	}
	return nil
}

// resolved is a path with links resolved, "" if it leads to nothing or back to itself.
func resolved(path string) (string, error) {
	to, err := filepath.EvalSymlinks(path)
	if err == nil {
		return to, nil
	}
	if _, statErr := os.Stat(path); errors.Is(statErr, fs.ErrNotExist) || isLoop(statErr) {
		return "", nil
	}
	return "", err
}

// markDir reads a folder once. Its path has no links.
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

// markLink reads the target of a symlink. A dangling link, or one that leads back to
// itself, is skipped; one that leaves the places is recorded.
func (c *collector) markLink(path string) error {
	to, err := resolved(path)
	if err != nil || to == "" {
		return err
	}
	if !slices.ContainsFunc(c.places, func(place string) bool { return nofollow.Within(place, to) }) {
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
	if c.files++; c.progress != nil {
		c.progress(c.files)
	}
	return c.scan(f)
}

const idLength = 64

// scan finds the ids of blobs in a text. Hex digits just before an id may
// belong to an escape ("\u000a"), so it tries every 64 digits in a row.
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
