package watch

import (
	"context"
	"hash/maphash"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
)

// After a scan, the poller rests pollShare-1 times as long as the scan took, so
// that polling takes at most a twentieth of one processor. Large trees have
// more latency: if a scan takes 0.4 s, there is one every 8 s. No rest is
// longer than longestRest, so very large trees take more of the processor.
const (
	pollShare   = 20
	longestRest = 30 * time.Second
)

// restAfter is how long to wait after a scan.
func (o Options) restAfter(look time.Duration) time.Duration {
	return max(o.PollEvery, min((pollShare-1)*look, longestRest))
}

// poller finds changes by file times. The time of a folder shows whether names
// in it were added or removed, so a folder is listed only then. The files of a
// task are checked for size and time in each scan, because writing a file in
// place changes nothing else.
//
// If file times are coarse, a folder may change twice within one. So a folder
// with a new time is listed again in the next scan. If folders do not change
// their times at all, the full scan every few minutes finds the change.
type poller struct {
	root   string
	linked func(path string) // see [Options]
	lists  func(dir string) ([]os.DirEntry, error)

	seed      maphash.Seed
	elsewhere *elsewhere
	outside   *uint64 // the sum of the documents outside of task folders; nil if unknown
	groups    map[string]*group
	tasks     map[string]*polled
}

func newPoller(root string, linked func(path string)) *poller {
	return &poller{root: root, linked: linked, lists: os.ReadDir, seed: maphash.MakeSeed(), elsewhere: &elsewhere{}}
}

// group is a folder above tasks.
type group struct {
	folder stamp
	again  bool // list it in the next scan, even if its time is the same
	holds  []task.Found
}

// polled is the remembered state of a task. It is small, because there are many
// tasks.
type polled struct {
	folders [1 + len(folderNames)]stamp // the task's own, and those below it
	again   bool                        // list them in the next scan, even if their times are the same
	files   string                      // that belong to the task, below it, one a line
	sum     uint64                      // of the sizes and times of those files
}

// stamp is the time of a folder; 0 for none.
type stamp int64

// look returns the tasks that changed since the last scan, or are new, and [Elsewhere],
// sorted.
func (p *poller) look() []string {
	var changed []string
	groups, tasks := map[string]*group{}, make(map[string]*polled, len(p.tasks))
	walk := task.Walker{Root: p.root}
	walk.List = func(f task.Found) ([]task.Found, error) {
		g := p.group(f)
		groups[f.Path] = g
		return g.holds, nil
	}
	walk.Visit = func(f task.Found) error {
		if f.Kind == task.Task {
			now, other := p.task(f.Path, p.tasks[f.Path])
			tasks[f.Path] = now
			if other {
				changed = append(changed, f.Path)
			}
		}
		return nil
	}
	if isLink(p.full(handoff.Root)) {
		p.linked(handoff.Root)
	} else {
		walk.Walk(context.Background(), specs) // no error: neither group nor Visit returns one
	}
	p.groups, p.tasks = groups, tasks
	if p.lookElsewhere() {
		changed = append(changed, Elsewhere)
	}
	slices.Sort(changed)
	return changed
}

// specs is where each scan begins.
var specs = task.Found{Path: handoff.Root, Kind: task.Specs}

// forget makes the next scan list everything and report everything.
func (p *poller) forget() { p.groups, p.tasks, p.outside = nil, nil, nil }

// group lists a folder above tasks, unless its time is the same.
func (p *poller) group(f task.Found) *group {
	old := p.groups[f.Path]
	now := p.stamp(f.Path)
	if old != nil && old.folder == now && !old.again {
		return old
	}
	entries, _ := p.lists(p.full(f.Path)) // none if it was removed, or is unreadable, which sync reports
	g := &group{folder: now, again: old == nil || old.folder != now, holds: f.Holds(entries)}
	for _, below := range g.holds {
		if below.Kind == task.Link {
			p.linked(below.Path)
		}
	}
	return g
}

// task scans a task. It reports whether the task changed.
func (p *poller) task(dir string, old *polled) (now *polled, changed bool) {
	now = &polled{}
	if old != nil {
		*now = *old
	}
	now.again = p.stamps(dir, now)
	if now.again || old == nil || old.again {
		now.files = p.files(dir)
	}
	now.sum = p.sum(dir, now.files)
	return now, old == nil || now.sum != old.sum || now.files != old.files
}

// stamps reads the times of a task's folders and reports whether one changed. A
// missing folder cannot be created while the task's own time stays the same.
func (p *poller) stamps(task string, t *polled) (changed bool) {
	set := func(i int, rel string) {
		if s := p.stamp(rel); s != t.folders[i] {
			t.folders[i], changed = s, true
		}
	}
	set(0, task)
	for i, name := range folderNames {
		if t.folders[1+i] != 0 || changed || t.again {
			set(1+i, task+"/"+name)
		}
	}
	return changed
}

// stamp is the time of a folder, or of a symlink itself. Folders outside the
// workspace are not read.
func (p *poller) stamp(rel string) stamp {
	st, err := os.Lstat(p.full(rel))
	if err != nil {
		return 0
	}
	if n := st.ModTime().UnixNano(); n != 0 {
		return stamp(n)
	}
	return 1
}

// files lists the files that belong to a task. A symlink instead of a folder
// counts as one, because creating it is a change.
func (p *poller) files(task string) string {
	var found []string
	for _, name := range folderNames {
		switch dir := p.full(task + "/" + name); {
		case isLink(dir):
			found = append(found, name)
		default:
			entries, _ := p.lists(dir)
			for _, e := range entries {
				if below := name + "/" + e.Name(); placeIn(task, below).content {
					found = append(found, below)
				}
			}
		}
	}
	return strings.Join(found, "\n")
}

// sum hashes the sizes and times of the metadata and the listed files.
func (p *poller) sum(task, files string) uint64 {
	var h maphash.Hash
	h.SetSeed(p.seed)
	dir := p.full(task) + string(filepath.Separator)
	p.add(&h, dir+handoff.MetadataFile)
	for below := range strings.SplitSeq(files, "\n") {
		if below != "" {
			p.add(&h, dir+filepath.FromSlash(below))
		}
	}
	return h.Sum64()
}

func (p *poller) add(h *maphash.Hash, path string) {
	if st, err := os.Lstat(path); err == nil {
		maphash.WriteComparable(h, [2]int64{st.Size(), st.ModTime().UnixNano()})
	}
	h.WriteByte(0) // so that removing a file changes the sum
}

func (p *poller) full(rel string) string {
	return p.root + string(filepath.Separator) + filepath.FromSlash(rel)
}

// countFolders is the number of folders that would be watched.
func countFolders(root string) int {
	n := 2 // the root and specs, without counting groups of tasks
	walk := task.Walker{Root: root, Failed: func(task.Found, error) error { return nil }}
	walk.Visit = func(f task.Found) error {
		if f.Kind != task.Task {
			return nil
		}
		n++
		for _, name := range folderNames {
			if isFolder(walk.Full(f.Path + "/" + name)) {
				n++
			}
		}
		return nil
	}
	walk.Walk(context.Background(), specs) // no error: see Failed
	return n
}
