package listening

import (
	"errors"
	"net"
	"sync"
)

// Shared is a listener that several servers use, one after the other: a server closes
// only its own part.
type Shared struct {
	net.Listener
	accepted chan accepted
	closed   chan struct{}
	once     sync.Once
}

type accepted struct {
	conn net.Conn
	err  error
}

// Share begins to accept connections. They wait while there is no server.
func Share(l net.Listener) *Shared {
	s := &Shared{Listener: l, accepted: make(chan accepted), closed: make(chan struct{})}
	go s.accept()
	return s
}

func (s *Shared) accept() {
	for {
		conn, err := s.Listener.Accept()
		select {
		case s.accepted <- accepted{conn, err}:
		case <-s.closed:
			if conn != nil {
				conn.Close()
			}
			return
		}
		if errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// Close closes the listener and all parts.
func (s *Shared) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Listener.Close()
}

// Part is the listener for the next server.
func (s *Shared) Part() net.Listener { return &part{Shared: s, ended: make(chan struct{})} }

type part struct {
	*Shared
	ended chan struct{}
	end   sync.Once
}

func (p *part) Accept() (net.Conn, error) {
	select {
	case <-p.ended: // before a connection that waits
		return nil, net.ErrClosed
	default:
	}
	select {
	case a := <-p.accepted:
		return a.conn, a.err
	case <-p.ended:
	case <-p.closed:
	}
	return nil, net.ErrClosed
}

func (p *part) Close() error {
	p.end.Do(func() { close(p.ended) })
	return nil
}
