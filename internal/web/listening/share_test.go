package listening

import (
	"errors"
	"net"
	"testing"
)

// TestShare: a connection that comes while no server listens waits for the next one, and
// closing the whole ends each part.
func TestShare(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := Share(l)
	first := s.Part()
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := first.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	second := s.Part()
	conn, err := second.Accept()
	if err != nil || conn.RemoteAddr().String() != client.LocalAddr().String() {
		t.Errorf("%v, %v", conn, err)
	}
	conn.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := second.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v, want ErrClosed", err)
	}
}
