//go:build linux

package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
)

// total counts the files found.
type total struct{ files, lines, bytes int }

// count walks root with that many workers.
func count(root string, workers int) (total, error) {
	root, err := filepath.Abs(root) // ".", too, may be a folder named handoffs
	if err != nil {
		return total{}, err
	}
	q := newQueue(batch{filepath.Dir(root), []string{filepath.Base(root)}})
	list := make([]*worker, workers)
	var wg sync.WaitGroup
	for i := range list {
		list[i] = &worker{queue: q, content: make([]byte, 64<<10)}
		wg.Go(list[i].run)
	}
	wg.Wait()
	var sum total
	for _, w := range list {
		sum.files += w.found.files
		sum.lines += w.found.lines
		sum.bytes += w.found.bytes
		if err == nil {
			err = w.failed
		}
	}
	return sum, err
}

// worker walks batches of folders with buffers of its own.
type worker struct {
	queue   *queue
	levels  []*level
	content []byte
	found   total
	failed  error // the first folder or file that could not be read
}

// level has the buffers for one open folder: its entries as the kernel returns
// them, and its path, which only messages and batches use.
type level struct {
	entries [8 << 10]byte
	path    []byte
}

func (w *worker) run() {
	for {
		b, ok := w.queue.take()
		if !ok {
			return
		}
		w.walkBatch(b)
		w.queue.done()
	}
}

func (w *worker) walkBatch(b batch) {
	parent, errno := open(atCWD, cstring(b.parent), openFolder)
	if errno != 0 {
		w.fail(b.parent, errno)
		return
	}
	for _, name := range b.names {
		l := w.level(0)
		l.path = append(append(append(l.path[:0], b.parent...), '/'), name...)
		w.folder(parent, cstring(name), name == handoffs, 0)
	}
	closeFD(parent)
}

// level returns the buffers of a depth. They are reused as long as the worker
// runs.
func (w *worker) level(depth int) *level {
	if depth == len(w.levels) {
		w.levels = append(w.levels, new(level))
	}
	return w.levels[depth]
}

const handoffs = "handoffs"

// folder walks one folder, whose level contains its path, and all folders in
// it.
func (w *worker) folder(parent int, name *byte, wanted bool, depth int) {
	l := w.level(depth)
	fd, errno := open(parent, name, openFolder)
	if errno != 0 {
		w.fail(string(l.path), errno)
		return
	}
	defer closeFD(fd)
	for {
		n, errno := getdents(fd, l.entries[:])
		if errno != 0 {
			w.fail(string(l.path), errno)
		}
		if n <= 0 || errno != 0 {
			return
		}
		w.block(fd, l, l.entries[:n], wanted, depth)
	}
}

// shareFrom is the number of sub-folders in one block of entries from which they
// are handed out in batches of shareBy; fewer the worker walks itself.
const (
	shareFrom = 64
	shareBy   = 32
)

// block processes one block of entries of the folder fd.
func (w *worker) block(fd int, l *level, entries []byte, wanted bool, depth int) {
	share := folders(entries) >= shareFrom
	var names []string
	for e := entry(entries); len(e) > 0; e = e.next() {
		switch name := e.name(); {
		case e.isFolder() && share:
			if names = append(names, string(name)); len(names) == shareBy {
				w.queue.put(batch{string(l.path), names})
				names = nil
			}
		case e.isFolder() && string(name) != handoffs && isLeaf(fd, &name[0]):
		case e.isFolder():
			below := w.level(depth + 1)
			below.path = append(append(append(below.path[:0], l.path...), '/'), name...)
			w.folder(fd, &name[0], string(name) == handoffs, depth+1)
		case wanted && e.isFile() && bytes.HasSuffix(name, []byte(".md")):
			w.file(fd, l, name)
		}
	}
	if len(names) > 0 {
		w.queue.put(batch{string(l.path), names})
	}
}

func folders(entries []byte) int {
	n := 0
	for e := entry(entries); len(e) > 0; e = e.next() {
		if e.isFolder() {
			n++
		}
	}
	return n
}

// file reads one file and counts its lines.
func (w *worker) file(dir int, l *level, name []byte) {
	fd, errno := open(dir, &name[0], openFile)
	if errno != 0 {
		w.fail(string(l.path)+"/"+string(name), errno)
		return
	}
	w.found.files++
	for {
		n, errno := read(fd, w.content)
		if errno != 0 {
			w.fail(string(l.path)+"/"+string(name), errno)
			break
		}
		w.found.bytes += n
		w.found.lines += bytes.Count(w.content[:n], []byte{'\n'})
		if n < len(w.content) { // a read of a regular file is only short at its end
			break
		}
	}
	closeFD(fd)
}

func (w *worker) fail(path string, errno syscall.Errno) {
	if w.failed == nil {
		w.failed = fmt.Errorf("%s: %w", path, errno)
	}
}
