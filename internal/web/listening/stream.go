package listening

import (
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Standard is the name of the address of [Stream].
const Standard = "-"

// Stream is a listener with one connection, which reads in and writes out: a client that has
// started this process. When in ends, or the connection is closed, ended is called, and the
// listener is closed. Other users cannot connect, so it is a Unix socket to those who ask.
func Stream(in io.Reader, out io.Writer, ended func()) net.Listener {
	// Reads of a file cannot be interrupted, and package http does that after each request.
	near, far := net.Pipe()
	go func() {
		io.Copy(far, in) // an error of reading is the end of the input, too
		far.Close()
	}()
	l := &streaming{conn: make(chan net.Conn, 1), closed: make(chan struct{})}
	l.conn <- &stream{Conn: near, out: out, interrupted: make(chan struct{}, 1), end: sync.OnceFunc(func() { ended(); l.Close() })}
	return l
}

// streaming is the listener of [Stream].
type streaming struct {
	conn   chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *streaming) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *streaming) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *streaming) Addr() net.Addr { return standard() }

func standard() net.Addr { return &net.UnixAddr{Net: "unix", Name: Standard} }

// stream is the connection of [Stream].
type stream struct {
	net.Conn    // the input
	out         io.Writer
	end         func()
	interrupted chan struct{} // a read was
}

// finishing is how long a request may take when the input has ended.
const finishing = 10 * time.Second

// Read reads the input. While a request is answered, package http reads one byte to see whether the client has left, and
// would cancel the request at the end of the input: a client that has asked everything would get an empty answer. So the end
// waits for the answer, but not for one that follows events.
func (s *stream) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if err != io.EOF || len(p) > 1 {
		return n, err
	}
	select {
	case <-s.interrupted: // the answer is complete
		return 0, os.ErrDeadlineExceeded
	case <-time.After(finishing):
		return 0, io.EOF
	}
}

func (s *stream) Write(p []byte) (int, error) { return s.out.Write(p) }

func (s *stream) Close() error {
	defer s.end()
	return s.Conn.Close()
}

func (s *stream) LocalAddr() net.Addr  { return standard() }
func (s *stream) RemoteAddr() net.Addr { return standard() }

// SetDeadline sets that of reads. A client that does not read ends this process by closing.
func (s *stream) SetDeadline(t time.Time) error { return s.SetReadDeadline(t) }

func (s *stream) SetReadDeadline(t time.Time) error {
	switch {
	case t.IsZero():
		select {
		case <-s.interrupted:
		default:
		}
	case t.Before(time.Now()):
		select {
		case s.interrupted <- struct{}{}:
		default:
		}
	}
	return s.Conn.SetReadDeadline(t)
}

func (s *stream) SetWriteDeadline(time.Time) error { return nil }
