package workspace

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"handoff"
	"handoff/reconcile"
)

// known tells the documents that are written while a watch runs from those that
// were there before: metadata is made for the former only. Any goroutine may
// use it.
type known struct {
	mu    sync.Mutex
	root  string
	since time.Time // by the clock that files have
	after bool      // the first look at everything is over

	// When each document that is known had been changed; zero for those that
	// were there before the watch.
	paths map[string]time.Time
}

// begin starts the first look at everything: what it finds was there before. A
// file that was written at the start of the watch says when that was, by the
// clock of the disk, which may be another machine's.
func (k *known) begin(root, started string) {
	k.root, k.paths = root, map[string]time.Time{}
	if st, err := os.Stat(started); err == nil {
		k.since = st.ModTime()
	}
}

// live ends the first look.
func (k *known) live() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.after = true
}

// add takes in documents that were dealt with. One that is gone by now is not
// known: what gets its name later is new.
func (k *known) add(paths []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range paths {
		if changed := k.changed(p); changed.IsZero() {
			delete(k.paths, p)
		} else {
			k.paths[p] = changed
		}
	}
}

// forget takes out the documents of a task that is gone.
func (k *known) forget(task string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for p := range k.paths {
		if strings.HasPrefix(p, task+"/") {
			delete(k.paths, p)
		}
	}
}

// fresh is the documents of a task that were written while the watch runs, and
// those for which metadata may be made: of a task that was made again quickly,
// also the ones that had been there. A document that was moved here is older,
// and nobody goes on with what was put away.
func (k *known) fresh(s reconcile.State) (fresh, create []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	archived := (handoff.Name{Dir: s.Dir}).Archived()
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
			if !ok {
				fresh = append(fresh, d.Path)
			}
		}
	}
	return fresh, create
}

// changed is when a document was changed, zero where that is not known.
func (k *known) changed(path string) time.Time {
	st, err := os.Stat(filepath.Join(k.root, filepath.FromSlash(path)))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}
