package journal

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"handoff/internal/file/lockfile"
)

// save writes what is indexed in memory to the disk, so that other processes
// need not read those records. If another process is saving, or the folder
// cannot be written, it stays in memory.
func (x *index) save() {
	if x.unsaved || x.distrust {
		return
	}
	mode := x.file.Info().Mode().Perm()
	err := x.shelf.root.Mkdir(x.shelf.dir, mode|mode&0o444>>2) // users who may read the journal may enter
	if err != nil && !errors.Is(err, fs.ErrExist) || !x.shelf.isFolder() {
		x.unsaved = true
		return
	}
	defer x.sweepOrphan() // after the lock is released
	unlock, ok, err := lockfile.Try(x.shelf.root, x.shelf.path("lock"))
	if err != nil || !ok {
		x.unsaved = err != nil
		return
	}
	defer func() {
		if unlock() != nil { // another process held the lock as well
			x.unsaved = true
		}
	}()
	if x.rebase() {
		// It fails on a full disk, or if the folder was removed. Nothing that a
		// head refers to has changed then.
		x.unsaved = x.write() != nil
	}
}

// sweepOrphan removes the folder of the index if the log was removed. The process
// that removed the log also removed the folder, but this process may have created it
// again since.
func (x *index) sweepOrphan() {
	if _, err := os.Lstat(x.log.Path()); errors.Is(err, fs.ErrNotExist) {
		x.shelf.root.RemoveAll(x.shelf.dir) // derived: what stays after an error is unused
	}
}

// rebase turns the index in memory into an addition to that on the disk, which
// another process may have changed, and reports whether there is anything left
// to write.
func (x *index) rebase() bool {
	now := x.shelf.readHead()
	switch {
	case !now.fits(x.format, x.file, x.size):
		if x.base.Layout != 0 { // the index on the disk that the memory adds to no longer exists
			x.restart(x.file)
			return false
		}
		x.base.Gen = x.shelf.newGen()
		return true
	case now.Gen == x.base.Gen && now.Bytes == x.base.Bytes:
		return true
	case now.Bytes < x.base.Bytes: // rebuilt by another process
		x.restart(x.file)
		return false
	case now.Bytes >= x.seen.Guard.End:
		x.adopt(now)
		return false
	}
	x.recent.forget(int(now.Records-x.base.Records), x.format.First+now.Records, now.Bytes)
	x.base = now
	return x.seen.Guard.End-now.Bytes > x.lag
}

// forget drops the first n records, which are those before a position and an
// offset.
func (r *recent) forget(n int, pos uint64, offset int64) {
	r.offsets = slices.Delete(r.offsets, 0, n)
	for name, list := range r.lists {
		r.lists[name] = slices.DeleteFunc(list, func(p uint64) bool { return p < pos })
	}
	r.keys = slices.DeleteFunc(r.keys, func(k key) bool { return k.pos < pos })
	r.passed = slices.DeleteFunc(r.passed, func(p Passed) bool { return p.Offset < offset })
}

// write writes the memory to the disk. The index is locked. What the new head
// refers to comes first, then the head.
func (x *index) write() error {
	if err := x.file.Sync(); err != nil {
		return err
	}
	h, s, mode := x.base, x.shelf, x.file.Info().Mode().Perm()
	h.Layout, h.Format, h.First, h.Tolerant = layout, x.format.Version, x.format.First, x.format.Tolerant
	h.Lists, h.Runs = slices.Clone(h.Lists), slices.Clone(h.Runs)
	err := extend(s.root, s.offsets(&h), mode, h.Records, x.recent.offsets)
	if err == nil {
		err = x.writeLists(&h)
	}
	if err == nil && len(x.recent.passed) > 0 {
		err = extend(s.root, s.passed(&h), mode, 2*h.Passed, flat(x.recent.passed))
		h.Passed += uint64(len(x.recent.passed))
	}
	if err == nil {
		err = x.writeKeys(&h)
	}
	if err != nil {
		return err
	}
	h.Bytes, h.Lines, h.Records, h.Next = x.seen.Guard.End, x.seen.Lines, x.seen.Records, x.seen.next
	if h.Begin, h.End, err = h.ends(x.file); err != nil {
		return err
	}
	if err := s.writeHead(h, mode); err != nil {
		return err
	}
	x.base, x.recent = h, recent{}
	s.sweep(&h) // what cannot be removed now is removed the next time
	return nil
}

func (x *index) writeLists(h *head) error {
	for name, list := range x.recent.lists {
		if len(list) == 0 {
			continue
		}
		c := h.list(name)
		if c == nil {
			h.Lists = append(h.Lists, columnHead{Name: name, File: h.File})
			h.File++
			c = &h.Lists[len(h.Lists)-1]
		}
		if err := extend(x.shelf.root, x.shelf.list(h, c), x.file.Info().Mode().Perm(), c.Count, list); err != nil {
			return err
		}
		c.Count += uint64(len(list))
	}
	return nil
}

// writeKeys adds a run, and merges it with earlier ones that are not much longer:
// so there are few runs, and a pair is seldom rewritten.
func (x *index) writeKeys(h *head) error {
	if len(x.recent.keys) == 0 {
		return nil
	}
	total, keep := uint64(len(x.recent.keys)), len(h.Runs)
	for keep > 0 && h.Runs[keep-1].Count < 2*total {
		keep--
		total += h.Runs[keep].Count
	}
	var paths []string
	var counts []uint64
	for _, r := range h.Runs[keep:] {
		paths, counts = append(paths, x.shelf.keys(h, r)), append(counts, r.Count)
	}
	slices.SortFunc(x.recent.keys, key.compare)
	run := runHead{File: h.File, Count: total}
	h.File++
	h.Runs = append(h.Runs[:keep], run)
	return mergeRuns(x.shelf.root, x.shelf.keys(h, run), x.file.Info().Mode().Perm(), x.recent.keys, paths, counts)
}

func flat(list []Passed) (values []uint64) {
	for _, p := range list {
		values = append(values, uint64(p.Offset), uint64(p.Line))
	}
	return values
}

// discard deletes the index, on the disk too: it is wrong.
func (x *index) discard() {
	if x.log.IsPinned() || !x.shelf.isFolder() {
		x.unsaved = true
		x.restart(x.file)
		return
	}
	defer x.sweepOrphan()
	unlock, err := lockfile.Lock(context.Background(), x.shelf.root, x.shelf.path("lock"))
	if err == nil {
		err = x.shelf.root.Remove(x.shelf.path("head"))
		unlock()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.unsaved = true
	}
	x.restart(x.file)
}
