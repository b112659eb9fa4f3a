package replica

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
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

// Sync fetches what files lack: it lists the logs of the store, compares their lengths
// with those of the files, and reads the logs that have more. The error joins those of
// all logs, the others are fetched.
func (r *Replica) Sync(ctx context.Context) error {
	if err := r.adopt(ctx); err != nil {
		return err
	}
	var inFolders, others []*file
	listing, cancel := context.WithTimeout(ctx, listBudget)
	defer cancel()
	err := r.patiently(listing, func() error {
		inFolders, others = nil, nil
		for info, err := range r.logs.List(listing, r.folder.Prefix) {
			if err != nil {
				return err
			}
			f := r.of(info.Log)
			switch {
			case f == nil || info.Len == 0 || f.has(info.Len):
			case strings.Contains(strings.TrimPrefix(info.Log, r.folder.Prefix), "/"):
				inFolders = append(inFolders, f)
			default:
				others = append(others, f)
			}
		}
		return nil
	})
	if n := len(inFolders); n > many {
		r.say(fmt.Sprintf("fetching %d logs from %s", n, r.store))
	}
	// What refers to other logs, such as the catalogue of threads, comes after them.
	return errors.Join(err, fetchAll(ctx, inFolders), fetchAll(ctx, others), r.saveIfStale())
}

// has reports whether the file has so many lines, and was not changed since it was
// counted.
func (f *file) has(lines uint64) bool {
	c := f.r.known(f.log)
	if c.Lines != lines {
		return false
	}
	st, err := os.Lstat(f.path)
	return err == nil && st.Mode().IsRegular() && st.Size() == c.Bytes
}

func fetchAll(ctx context.Context, files []*file) error {
	errs := make([]error, len(files))
	next := make(chan int)
	var all sync.WaitGroup
	for range min(fetchers, len(files)) {
		all.Go(func() {
			for i := range next {
				errs[i] = files[i].fetch(ctx)
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
	if r.stale <= staleMost {
		return nil
	}
	err := r.save()
	if errors.Is(err, fs.ErrPermission) { // it saves only time
		return nil
	}
	return err
}
