package journal

import (
	"errors"
	"io/fs"
	"sync"

	"handoff/internal/file/regular"
)

// maxIdle is how many unused journals a pool keeps open: each has file handles,
// and a store may have very many journals.
const maxIdle = 64

// Pool keeps journals open, by path, for stores with many of them. Its zero value
// is empty. Close closes all of its journals.
type Pool struct {
	mu     sync.Mutex
	open   map[string]*pooled
	clock  uint64
	closed bool
}

type pooled struct {
	*Journal
	users int
	used  uint64 // by the clock
}

// Take returns a journal to use until release is called. If it is not open yet,
// open opens it; its error is returned.
func (p *Pool) Take(path string, open func() (*Journal, error)) (j *Journal, release func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, fs.ErrClosed
	}
	o := p.open[path]
	if o == nil {
		j, err := open()
		for regular.Exhausted(err) && p.closeOldest() { // others can be opened again
			j, err = open()
		}
		if err != nil {
			return nil, nil, err
		}
		if p.open == nil {
			p.open = map[string]*pooled{}
		}
		o = &pooled{Journal: j}
		p.open[path] = o
	}
	o.users++
	return o.Journal, sync.OnceFunc(func() { p.release(o) }), nil
}

func (p *Pool) release(o *pooled) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clock++
	o.used = p.clock
	if o.users--; len(p.open) > maxIdle {
		p.closeOldest()
	}
}

// closeOldest closes the one that has been idle for longest, if there is one.
func (p *Pool) closeOldest() bool {
	oldest := ""
	for path, o := range p.open {
		if o.users == 0 && (oldest == "" || o.used < p.open[oldest].used) {
			oldest = path
		}
	}
	if oldest != "" {
		p.open[oldest].Close() // which flushes; a caller that needs the error has flushed before
		delete(p.open, oldest)
	}
	return oldest != ""
}

// Close closes all of them, also those in use.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var errs []error
	for _, o := range p.open {
		errs = append(errs, o.Close())
	}
	p.open = nil
	return errors.Join(errs...)
}
