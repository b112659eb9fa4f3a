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

// Take returns a journal to use until release is called. If it is not open yet, open
// opens it; its error is returned. Meanwhile others take other journals: what opens it may
// wait for a store on another machine.
func (p *Pool) Take(path string, open func() (*Journal, error)) (j *Journal, release func(), err error) {
	o, err := p.use(path, nil)
	if o == nil && err == nil {
		j, err = open()
		for regular.Exhausted(err) && p.spare() { // others can be opened again
			j, err = open()
		}
		if err == nil {
			o, err = p.use(path, j)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return o.Journal, sync.OnceFunc(func() { p.release(o) }), nil
}

// use returns the journal of a path with one more user, nil if it is not open. It is then
// the opened one, which is closed if another goroutine was faster.
func (p *Pool) use(path string, opened *Journal) (*pooled, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.open[path]
	switch {
	case p.closed:
		return nil, closing(opened, fs.ErrClosed)
	case o != nil:
		o.users++
		return o, closing(opened, nil)
	case opened == nil:
		return nil, nil
	case p.open == nil:
		p.open = map[string]*pooled{}
	}
	o = &pooled{Journal: opened, users: 1}
	p.open[path] = o
	return o, nil
}

// closing closes a journal that is not needed, with an error of its own.
func closing(j *Journal, err error) error {
	if j == nil {
		return err
	}
	return errors.Join(err, j.Close())
}

// spare closes the journal that has been idle for longest, if there is one.
func (p *Pool) spare() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.closeOldest()
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

// closeOldest is spare for a caller that has the lock.
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
