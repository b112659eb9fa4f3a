package listening

import (
	"net"
	"sync"
	"sync/atomic"
)

// Limited takes at most so many connections at once. Others wait, in the
// system's queue, until one is closed.
type Limited struct {
	net.Listener
	free   chan struct{}
	closed chan struct{}
	once   sync.Once
	open   atomic.Int64
}

// Limit limits a listener to n connections.
func Limit(l net.Listener, n int) *Limited {
	return &Limited{Listener: l, free: make(chan struct{}, n), closed: make(chan struct{})}
}

// Connections is how many are open now.
func (l *Limited) Connections() int { return int(l.open.Load()) }

// Accept waits for a connection, and for leave to have it.
func (l *Limited) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	l.open.Add(1)
	return &limitedConn{Conn: c, of: l}, nil
}

// Close ends the listening. Connections stay open.
func (l *Limited) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	net.Conn
	of   *Limited
	once sync.Once
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() {
		c.of.open.Add(-1)
		<-c.of.free
	})
	return err
}
