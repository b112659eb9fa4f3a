package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff"
	"handoff/reconcile"
)

// known separates the documents written while a watch runs from older ones:
// only the former cause metadata to be created. Any goroutine may use it.
type known struct {
	mu    sync.Mutex
	root  string
	since time.Time // start of the watch, by the clock of the file system
	after bool      // the first scan is done

	// Modification time of each known document; zero for those older than the
	// watch.
	paths map[string]time.Time
	// The same of the documents for which the last look at a task, by its folder,
	// allowed metadata. They become known when that look is carried out.
	looked map[string]map[string]time.Time
}

// begin starts the first scan: the documents that it finds are older than the watch.
// The time of a file written at the start gives the start by the clock of the file
// system, which may be another machine's.
func (k *known) begin(root, started string) {
	k.root, k.paths, k.looked = root, map[string]time.Time{}, map[string]map[string]time.Time{}
	if st, err := os.Stat(started); err == nil {
		k.since = st.ModTime()
	}
}

// live ends the first scan.
func (k *known) live() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.after = true
}

// add records the documents of a task for which its last check allowed metadata, as
// they were at that check; one written since then counts as new. One that was deleted
// meanwhile is not recorded, so a later document with its name is new, too.
func (k *known) add(task string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p, modified := range k.looked[task] {
		if k.changed(p).IsZero() {
			delete(k.paths, p)
		} else {
			k.paths[p] = modified
		}
	}
	delete(k.looked, task)
}

// forget drops the documents of a deleted task.
func (k *known) forget(task string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.looked, task)
	for p := range k.paths {
		if strings.HasPrefix(p, task+"/") {
			delete(k.paths, p)
		}
	}
}

// fresh returns the documents of a task that were written while the watch runs, and
// those for which metadata may be created: these include documents of a task that
// was deleted and quickly created again. A document that was moved here is older,
// and archived tasks are not continued.
func (k *known) fresh(s reconcile.State) (fresh, create []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	archived := (handoff.Name{Dir: s.Dir}).Archived()
	delete(k.looked, s.Dir)
	for _, d := range s.Documents {
		was, ok := k.paths[d.Path]
		switch {
		case !k.after:
			k.paths[d.Path] = time.Time{}
		case ok && was.IsZero() || archived:
		default:
			now := d.Modified()
			if now.IsZero() {
				now = k.changed(d.Path)
			}
			if now.Before(k.since) || now.Equal(was) {
				continue
			}
			create = append(create, d.Path)
			if k.looked[s.Dir] == nil {
				k.looked[s.Dir] = map[string]time.Time{}
			}
			k.looked[s.Dir][d.Path] = now
			if !ok {
				fresh = append(fresh, d.Path)
			}
		}
	}
	return fresh, create
}

// changed is the modification time of a document, zero if it is unknown.
func (k *known) changed(path string) time.Time {
	st, err := os.Stat(filepath.Join(k.root, filepath.FromSlash(path)))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}
