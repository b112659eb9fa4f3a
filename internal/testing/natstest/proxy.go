package natstest

import (
	"net"
	"strings"
	"sync"
	"testing"
)

// Proxy is between a client and a server that others use too: it can hold, or lose, what
// they send each other. So thousands of tests can use one server, and each lose it.
type Proxy struct {
	address string
	server  string

	mu      sync.Mutex
	changed *sync.Cond
	up      bool // what the client sends is held
	down    bool // what the server sends is held
	conns   map[net.Conn]bool
	ended   bool
	running sync.WaitGroup
}

// NewProxy starts a proxy for a server, such as "nats://127.0.0.1:4222". It ends with the test.
func NewProxy(t testing.TB, server string) *Proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	scheme, host, _ := strings.Cut(server, "://")
	p := &Proxy{address: scheme + "://" + l.Addr().String(), server: host, conns: map[net.Conn]bool{}}
	p.changed = sync.NewCond(&p.mu)
	p.running.Go(func() { p.accept(l) })
	t.Cleanup(func() {
		l.Close()
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.Cut()
		p.running.Wait()
	})
	return p
}

// Address is the URL of the proxy.
func (p *Proxy) Address() string { return p.address }

// Hold holds what the client sends, and what the server sends, or passes it on, with all
// that was held.
func (p *Proxy) Hold(client, server bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.up, p.down = client, server
	p.changed.Broadcast()
}

// Cut ends all connections. What was held is lost. New ones are not held.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
	p.up, p.down = false, false
	p.changed.Broadcast()
}

func (p *Proxy) accept(l net.Listener) {
	for {
		client, err := l.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			client.Close()
			continue
		}
		if !p.add(client, server) {
			return
		}
		p.running.Go(func() { p.pump(client, server, &p.up) })
		p.running.Go(func() { p.pump(server, client, &p.down) })
	}
}

// add remembers the two connections of a client, unless the test has ended.
func (p *Proxy) add(client, server net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		client.Close()
		server.Close()
		return false
	}
	p.conns[client], p.conns[server] = true, true
	return true
}

// pump passes on what one side sends until one of them ends, or is cut off.
func (p *Proxy) pump(from, to net.Conn, held *bool) {
	defer from.Close()
	defer to.Close()
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		if n == 0 && err != nil || !p.wait(from, held) {
			return
		}
		if _, err := to.Write(chunk[:n]); err != nil {
			return
		}
	}
}

// wait returns when a side is not held, false if its connection was cut.
func (p *Proxy) wait(from net.Conn, held *bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for *held && p.conns[from] {
		p.changed.Wait()
	}
	return p.conns[from]
}
