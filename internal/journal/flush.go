package journal

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"handoff/internal/file/lockfile"
)

// flush moves what is known of recent records to the disk, so that it need not
// be found out again. Where another process is at it, or the folder may not be
// written, the memory does.
func (x *index) flush() {
	if x.unsaved || x.distrust {
		return
	}
	mode := x.log.info.Mode().Perm()
	err := x.shelf.root.Mkdir(x.shelf.dir, mode|mode&0o444>>2) // who may read may enter
	if err != nil && !errors.Is(err, fs.ErrExist) || !x.shelf.isFolder() {
		x.unsaved = true
		return
	}
	unlock, ok, err := lockfile.Try(x.shelf.root, x.shelf.path("lock"))
	if err != nil || !ok {
		x.unsaved = err != nil
		return
	}
	defer func() {
		if unlock() != nil { // another process was at it as well
			x.unsaved = true
		}
	}()
	if x.rebase() {
		// It fails on a full disk, or if someone removed the folder. Nothing
		// that a head names was touched then.
		x.unsaved = x.write() != nil
	}
}

// rebase puts what is in memory on top of what is on the disk, which another
// process may have changed, and says whether there is something to write.
func (x *index) rebase() bool {
	now := x.shelf.readHead()
	switch {
	case !now.fits(&x.journal.format, x.log, x.size):
		if x.base.Layout != 0 { // what memory stands on is gone
			x.restart(x.log)
			return false
		}
		x.base.Gen = x.shelf.newGen()
		return true
	case now.Gen == x.base.Gen && now.Bytes == x.base.Bytes:
		return true
	case now.Bytes < x.base.Bytes: // begun anew by another process
		x.restart(x.log)
		return false
	case now.Bytes >= x.seen.guard.end:
		x.adopt(now)
		return false
	}
	x.recent.forget(int(now.Records-x.base.Records), x.journal.format.First+now.Records, now.Bytes)
	x.base = now
	return x.seen.guard.end-now.Bytes > x.lag
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

// write puts the memory on the disk, for the holder of the lock: first what
// the new head will promise, then the head.
func (x *index) write() error {
	if err := x.log.Sync(); err != nil {
		return err
	}
	h, s, mode := x.base, x.shelf, x.log.info.Mode().Perm()
	h.Layout, h.Format, h.First, h.Tolerant = layout, x.journal.format.Version, x.journal.format.First, x.journal.format.Tolerant
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
	h.Bytes, h.Lines, h.Records, h.Next = x.seen.guard.end, x.seen.lines, x.seen.records, x.seen.next
	if h.Begin, h.End, err = h.marks(x.log); err != nil {
		return err
	}
	if err := s.writeHead(h, mode); err != nil {
		return err
	}
	x.base, x.recent = h, recent{}
	s.sweep(&h) // what stays is swept the next time
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
		if err := extend(x.shelf.root, x.shelf.list(h, c), x.log.info.Mode().Perm(), c.Count, list); err != nil {
			return err
		}
		c.Count += uint64(len(list))
	}
	return nil
}

// writeKeys adds a run, and merges it with those before it that are not much
// longer: so there are few runs, and a pair is seldom written again.
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
	slices.SortFunc(x.recent.keys, func(a, b key) int {
		switch {
		case a.less(b):
			return -1
		case b.less(a):
			return 1
		}
		return 0
	})
	run := runHead{File: h.File, Count: total}
	h.File++
	h.Runs = append(h.Runs[:keep], run)
	return mergeRuns(x.shelf.root, x.shelf.keys(h, run), x.log.info.Mode().Perm(), x.recent.keys, paths, counts)
}

func flat(list []Passed) (values []uint64) {
	for _, p := range list {
		values = append(values, uint64(p.Offset), uint64(p.Line))
	}
	return values
}

// discard throws the index away, on the disk too: it was found to be wrong.
func (x *index) discard() {
	if x.journal.fixed || !x.shelf.isFolder() {
		x.unsaved = true
		x.restart(x.log)
		return
	}
	unlock, err := lockfile.Lock(context.Background(), x.shelf.root, x.shelf.path("lock"))
	if err == nil {
		err = x.shelf.root.Remove(x.shelf.path("head"))
		unlock()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.unsaved = true
	}
	x.restart(x.log)
}
