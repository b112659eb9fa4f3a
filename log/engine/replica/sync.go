package replica

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/log/engine"
)

// fetchers is how many logs are fetched at once: most of the time is waiting for the
// answers of the store.
const fetchers = 8

// listBudget bounds the wait for the list of logs. How long it takes to fetch them
// depends on their number.
const listBudget = 30 * time.Second

// many logs take so long to fetch that a user should know why nothing happens.
const many = 200

// staleMost is how many lengths may be missing in the [StateFile]: each costs the next
// process a look at the end of one file.
const staleMost = 64

// recordsAStale is how many records, appended since the revision in the [StateFile], cost
// the next process as much as a missing length.
const recordsAStale = 16

// Sync fetches what files lack: it asks the store for the lengths of the logs that
// changed since the last sync, compares them with those of the files, and reads the logs
// that have more. A file that changed since then is fetched too. The error joins the
// errors of all logs; the other logs are fetched.
func (r *Replica) Sync(ctx context.Context) error {
	begin := time.Now()
	err := engine.InTime(ctx, r.sync)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.behind = err != nil && !AboutLogs(err); !r.behind { // a log that is left alone does not make the others old
		r.synced, r.took = begin, time.Since(begin)
	}
	return err
}

// late is how long after a sync the next one should be done, in a program that keeps
// syncing, beside what the pauses of [Replica.Keep] take.
const late = 4 * time.Second

// AsOf returns when the files had everything that the store had, zero if that is not known.
// They are not current if the store has not answered since.
func (r *Replica) AsOf() (at time.Time, current bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.synced.IsZero() { // by another process: at least up to the time at which it saved that
		if st, err := os.Lstat(filepath.Join(r.folder.Dir, StateFile)); err == nil {
			at = st.ModTime()
		}
		return at, false
	}
	return r.synced, !r.behind && time.Since(r.synced) < late+2*restFactor*r.took
}

func (r *Replica) sync(ctx context.Context) error {
	if err := r.adopt(ctx); err != nil {
		return err
	}
	apart := r.recompare(ctx)
	if apart != nil && !AboutLogs(apart) {
		return apart
	}
	changed, now, err := r.changes(ctx)
	if err != nil {
		return err
	}
	if other, err := r.isOther(ctx, changed, now); err != nil {
		return err
	} else if other {
		return r.sync(ctx)
	}
	inFolders, others := r.lacking(changed)
	if n := len(inFolders); n > many {
		r.say(fmt.Sprintf("fetching %d logs from %s", n, r.store))
	}
	// What refers to other logs, such as the catalogue of threads, comes after them.
	err = errors.Join(fetchAll(ctx, inFolders), fetchAll(ctx, others))
	if err == nil {
		r.mu.Lock()
		r.revision = now
		r.mu.Unlock()
	}
	return errors.Join(apart, err, r.saveIfStale())
}

// changes lists the logs that changed since the last sync.
func (r *Replica) changes(ctx context.Context) (changed []engine.Info, now string, err error) {
	ctx, cancel := context.WithTimeout(ctx, listBudget)
	defer cancel()
	r.mu.Lock()
	since := r.revision
	r.mu.Unlock()
	err = r.patiently(ctx, func() (err error) {
		changed, now, err = engine.Changes(ctx, r.logs, r.folder.Prefix, since)
		return err
	})
	return changed, now, err
}

// lacking returns the files that do not have the length of their log. The length of a
// log that did not change is the one that its file had.
func (r *Replica) lacking(changed []engine.Info) (inFolders, others []*file) {
	lengths := map[string]uint64{}
	r.mu.Lock()
	for log, c := range r.lengths {
		lengths[log] = c.Lines
	}
	r.mu.Unlock()
	records, tails := uint64(0), map[string][]engine.Record{}
	for _, info := range changed {
		tails[info.Log] = info.Tail
		records += info.Len - min(info.Len, lengths[info.Log])
		lengths[info.Log] = info.Len
	}
	r.mu.Lock()
	r.stale += int(records / recordsAStale)
	r.mu.Unlock()
	for _, log := range slices.Sorted(maps.Keys(lengths)) {
		f := r.of(log)
		switch {
		case f == nil || lengths[log] == 0 || r.isApart(log) || f.has(lengths[log]):
			continue
		case strings.Contains(strings.TrimPrefix(log, r.folder.Prefix), "/"):
			inFolders = append(inFolders, f)
		default:
			others = append(others, f)
		}
		f.tail = tails[log]
	}
	return inFolders, others
}

// has reports whether the file has that many lines. Lines added since the last count come
// from another process of ours, which wrote them to the store first. So they are counted
// here, and not compared with the store until the log grows.
func (f *file) has(lines uint64) bool {
	c := f.r.known(f.log)
	st, err := os.Lstat(f.path)
	switch {
	case err != nil || !st.Mode().IsRegular() || c.Lines > lines:
		return false
	case c.Lines == lines:
		return st.Size() == c.Bytes
	case c.Lines == 0 || st.Size() <= c.Bytes: // never compared, or not appended to
		return false
	}
	open, err := f.r.folder.Root.OpenFile(f.path, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	defer open.Close()
	if c, err = f.count(open, c); err != nil || c.Lines != lines || c.Bytes != st.Size() {
		return false
	}
	f.r.learn(f.log, c)
	return true
}

func fetchAll(ctx context.Context, files []*file) error {
	errs := make([]error, len(files))
	next := make(chan int)
	var all sync.WaitGroup
	for range min(fetchers, len(files)) {
		all.Go(func() {
			for i := range next {
				errs[i] = files[i].fetch(ctx)
				if errors.Is(errs[i], fs.ErrNotExist) { // neither the file nor the log exists any longer
					files[i].r.learn(files[i].log, count{})
					errs[i] = nil
				}
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	all.Wait()
	return errors.Join(errs...)
}

func (r *Replica) saveIfStale() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stale == 0 || r.saved && r.stale <= staleMost {
		return nil
	}
	return r.trySave()
}

// trySave is save, in a folder that may be read only: the state only saves time. The caller has
// locked r.
func (r *Replica) trySave() error {
	err := r.save()
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}
