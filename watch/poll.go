package watch

import (
	"encoding/binary"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"

	"handoff"
)

// poller finds changes by looking: at the names, sizes and times of the files
// that say something of a task. It remembers a number for each task.
type poller struct {
	root string
	seen map[string]uint64
}

// look returns the tasks that changed since the last look, the new ones among
// them, sorted.
func (p *poller) look() []string {
	var changed []string
	now := map[string]uint64{}
	walkTasks(p.root, handoff.Root, func(task string) {
		n := p.sum(task)
		now[task] = n
		if old, ok := p.seen[task]; !ok || old != n {
			changed = append(changed, task)
		}
	})
	p.seen = now
	slices.Sort(changed)
	return changed
}

// forget makes the next look find everything changed.
func (p *poller) forget() { p.seen = nil }

func (p *poller) sum(task string) uint64 {
	h := fnv.New64a()
	dir := filepath.Join(p.root, filepath.FromSlash(task))
	p.file(h, filepath.Join(dir, handoff.MetadataFile))
	for _, name := range folderNames {
		entries, err := os.ReadDir(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		for _, e := range entries {
			if placeIn(task, name+"/"+e.Name()).content {
				p.file(h, filepath.Join(dir, name, e.Name()))
			}
		}
	}
	return h.Sum64()
}

func (p *poller) file(h io.Writer, path string) {
	st, err := os.Lstat(path)
	if err != nil {
		return
	}
	io.WriteString(h, path)
	binary.Write(h, binary.LittleEndian, [2]int64{st.Size(), st.ModTime().UnixNano()})
}

// walkTasks calls f for each task folder at or below rel.
func walkTasks(root, rel string, f func(task string)) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil {
		return
	}
	for _, e := range entries {
		switch {
		case !e.IsDir() || passedOver(e.Name()):
		case isTask(e.Name()):
			f(rel + "/" + e.Name())
		default:
			walkTasks(root, rel+"/"+e.Name(), f)
		}
	}
}

// countFolders is the number of folders that would be watched.
func countFolders(root string) int {
	n := 2 // the root and specs, without counting groups of tasks
	walkTasks(root, handoff.Root, func(task string) {
		n++
		for _, name := range folderNames {
			if isFolder(filepath.Join(root, filepath.FromSlash(task), name)) {
				n++
			}
		}
	})
	return n
}
