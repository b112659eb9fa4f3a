package listening

import (
	"net"
	"slices"
	"sync"
)

// Limited has at most so many connections open at once. When there is one more,
// the connection that has waited longest for its next request is closed, a new
// one included that has not sent its first: clients that are slow, or only hold
// connections open, keep nobody out. While all of them have requests that are
// served, new ones wait.
type Limited struct {
	net.Listener
	most    int
	closed  chan struct{}
	once    sync.Once
	changed chan struct{} // holds a value when there may be room

	mu      sync.Mutex
	open    int
	resting []*Conn // without a request, the one that has been so for longest first
}

// Limit limits a listener to n connections.
func Limit(l net.Listener, n int) *Limited {
	return &Limited{Listener: l, most: n, closed: make(chan struct{}), changed: make(chan struct{}, 1)}
}

// Connections is how many are open now.
func (l *Limited) Connections() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// Accept waits for a connection, a [*Conn], and for room for it.
func (l *Limited) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	conn := &Conn{Conn: c, of: l}
	for {
		full, victim := l.admit(conn)
		switch {
		case !full:
			return conn, nil
		case victim != nil:
			victim.Close()
			continue
		}
		select {
		case <-l.changed:
		case <-l.closed:
			c.Close()
			return nil, net.ErrClosed
		}
	}
}

// admit takes a connection in, if there is room; else victim is what has to go
// for it, nil for none.
func (l *Limited) admit(c *Conn) (full bool, victim *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.open < l.most:
		l.open++
		l.resting = append(l.resting, c)
		return false, nil
	case len(l.resting) == 0:
		return true, nil
	}
	return true, l.resting[0]
}

// notify lets Accept look again.
func (l *Limited) notify() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// leave takes a connection from those without a request.
func (l *Limited) leave(c *Conn) {
	if i := slices.Index(l.resting, c); i >= 0 {
		l.resting = slices.Delete(l.resting, i, i+1)
	}
}

// Close ends the listening. Connections stay open.
func (l *Limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// Conn is a connection of a [Limited].
type Conn struct {
	net.Conn
	of   *Limited
	gone bool // guarded by of.mu
}

// Serve keeps the connection from being closed for another until done is
// called: it has a request.
func (c *Conn) Serve() (done func()) {
	l := c.of
	l.mu.Lock()
	defer l.mu.Unlock()
	l.leave(c)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !c.gone {
			l.resting = append(l.resting, c)
			l.notify()
		}
	}
}

// Close closes the connection.
func (c *Conn) Close() error {
	err := c.Conn.Close()
	l := c.of
	l.mu.Lock()
	defer l.mu.Unlock()
	if !c.gone {
		c.gone = true
		l.open--
		l.leave(c)
		l.notify()
	}
	return err
}
