package thread

import (
	"errors"
	"io/fs"
	"sync"

	"handoff/internal/journal"
)

// maxOpen is how many journals stay open that nobody uses at the moment: each
// has file handles, and a store may have very many threads.
const maxOpen = 64

// journals are those that are open, by path.
type journals struct {
	mu     sync.Mutex
	open   map[string]*openJournal
	clock  uint64
	closed bool
}

type openJournal struct {
	*journal.Journal
	users int
	used  uint64 // by the clock
}

// take gives a journal to use until release is called.
func (a *journals) take(path string, open func() (*journal.Journal, error)) (j *journal.Journal, release func(), err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, nil, fs.ErrClosed
	}
	o := a.open[path]
	if o == nil {
		j, err := open()
		if err != nil {
			return nil, nil, err
		}
		if a.open == nil {
			a.open = map[string]*openJournal{}
		}
		o = &openJournal{Journal: j}
		a.open[path] = o
	}
	o.users++
	return o.Journal, sync.OnceFunc(func() { a.release(o) }), nil
}

func (a *journals) release(o *openJournal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.clock++
	o.used = a.clock
	if o.users--; len(a.open) > maxOpen {
		a.closeOldest()
	}
}

// closeOldest closes the one that has been idle for longest.
func (a *journals) closeOldest() {
	oldest := ""
	for path, o := range a.open {
		if o.users == 0 && (oldest == "" || o.used < a.open[oldest].used) {
			oldest = path
		}
	}
	if oldest != "" {
		a.open[oldest].Close() // which flushes; who must know has asked before
		delete(a.open, oldest)
	}
}

func (a *journals) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	var errs []error
	for _, o := range a.open {
		errs = append(errs, o.Close())
	}
	a.open = nil
	return errors.Join(errs...)
}
