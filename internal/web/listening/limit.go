package listening

import (
	"net"
	"slices"
	"sync"
)

// Limited limits the number of open connections. If there is one more, it closes the
// connection that has been idle longest, including new ones that have not sent a
// request: slow clients, and clients that only keep connections open, do not lock out
// others. While all connections are serving requests, new ones wait.
type Limited struct {
	net.Listener
	most    int
	closed  chan struct{}
	once    sync.Once
	changed chan struct{} // has a value if there may be room

	mu      sync.Mutex
	open    int
	resting []*Conn // idle connections, the longest idle first
}

// Limit limits a listener to n connections.
func Limit(l net.Listener, n int) *Limited {
	return &Limited{Listener: l, most: n, closed: make(chan struct{}), changed: make(chan struct{}, 1)}
}

// Connections returns the number of open connections.
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

// admit adds a connection if there is room. Otherwise victim is the connection to close
// for it, nil if none is idle.
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

// notify wakes up Accept.
func (l *Limited) notify() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// leave removes a connection from the idle ones.
func (l *Limited) leave(c *Conn) {
	if i := slices.Index(l.resting, c); i >= 0 {
		l.resting = slices.Delete(l.resting, i, i+1)
	}
}

// Close stops listening. Open connections stay open.
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

// Serve marks the connection as serving a request: until done is called, it is not
// closed to make room for another.
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
