package httpapi

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/web/openapi"
)

// TestSlowClients: however many clients keep idle connections open, others are
// answered.
func TestSlowClients(t *testing.T) {
	s := serve(t, func(c *Config) { c.Connections, c.Header, c.Idle = 4, time.Hour, time.Hour })
	for range 3 * (4 + reserve) {
		if _, err := io.WriteString(s.dial(), "GET /specs HTTP/1.1\r\nHost: loc"); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		for _, path := range []string{"/healthz", "/specs"} {
			if got := exchange(t, s.dial(), "GET "+path+" HTTP/1.1\r\nHost: localhost\r\n\r\n"); got != "200 OK" {
				t.Errorf("%s: %q", path, got)
			}
		}
	}
}

// TestSlowRequests: when all connections are serving requests, the health check
// still works, and other requests are asked to retry later.
func TestSlowRequests(t *testing.T) {
	begun := make(chan bool)
	slow := openapi.Raw("POST", "/slow", func(_ http.ResponseWriter, r *http.Request, _ openapi.Nothing) error {
		begun <- true
		_, err := io.ReadAll(r.Body)
		return openapi.BodyError(err)
	}).Says("server", "slow", "a test")
	s := serve(t, func(c *Config) { c.Connections = 4 }, slow)
	for range 4 {
		c := s.dial()
		if _, err := io.WriteString(c, "POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx"); err != nil {
			t.Fatal(err)
		}
		<-begun
	}
	for range 2 * reserve {
		if got := exchange(t, s.dial(), "GET /specs HTTP/1.1\r\nHost: localhost\r\n\r\n"); got != "503 Service Unavailable" {
			t.Errorf("%q", got)
		}
		if got := exchange(t, s.dial(), "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); got != "200 OK" {
			t.Errorf("%q", got)
		}
	}
}

type workInput struct{ Body workBody }

type workBody struct {
	Text string `json:"text" doc:"a test"`
}

// TestBodiesInWork: only a limited number of bytes of bodies is processed at
// once. Larger bodies wait, small ones do not, and a request that waits for too
// long is asked to retry later.
func TestBodiesInWork(t *testing.T) {
	begun, end := make(chan int, 100), make(chan bool)
	work := openapi.Call("POST", "/work", 204, func(_ context.Context, in workInput) (openapi.Nothing, error) {
		begun <- len(in.Body.Text)
		<-end
		return openapi.Nothing{}, nil
	}).Says("server", "work", "a test")
	s := serve(t, func(c *Config) { c.Bodies, c.BodiesWait = 1<<20, time.Hour }, work)
	var all, refused sync.WaitGroup
	send := func(group *sync.WaitGroup, code, size int) {
		group.Go(func() {
			a := s.ask("POST", "/work", `{"text":"`+strings.Repeat("x", size)+`"}`, "Content-Type", "application/json")
			if a.StatusCode != code || (code == 503) != (a.Header.Get("Retry-After") != "") {
				t.Errorf("%d: %s", a.StatusCode, a.body)
			}
		})
	}
	waiting := func(n int) {
		for got := -1; got != n; runtime.Gosched() {
			_, got = s.bodies.queue.Load()
		}
	}
	const large = 300 << 10
	for range 20 {
		send(&all, 204, large)
	}
	waiting(17)
	for range 3 {
		<-begun
	}
	send(&all, 204, 100) // does not wait
	if n := <-begun; n != 100 {
		t.Errorf("a body of %d bytes was read before there was room for it", n)
	}
	if taken, _ := s.bodies.queue.Load(); taken > 1<<20 {
		t.Errorf("%d bytes at once", taken)
	}
	s.bodies.wait = time.Millisecond
	send(&refused, 503, large)
	send(&refused, 503, 3<<19) // more than the limit: it would wait until it is the only one
	refused.Wait()             // before there is room
	close(end)
	all.Wait()
	waiting(0)
	if taken, _ := s.bodies.queue.Load(); taken != 0 {
		t.Errorf("%d bytes were not given back", taken)
	}
}

// TestManyEntries: a request with very many tiny entries is refused before they
// are read, which would take 85 times its bytes.
func TestManyEntries(t *testing.T) {
	s := serve(t, nil)
	body := func(n int) string {
		return `{"entries":[` + strings.TrimSuffix(strings.Repeat(`{"kind":"e","payload":{}},`, n), ",") + `]}`
	}
	a := s.want(400, "POST", "/tapes/main/entries", body(79_000), "Content-Type", "application/json")
	s.detail("entries: want at most 10000 items", a)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s.ask("POST", "/tapes/main/entries", body(79_000), "Content-Type", "application/json")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 60<<20 {
		t.Errorf("%d MB for a request of 2 MB", used>>20)
	}
	s.want(201, "POST", "/tapes/main/entries", body(10_000), "Content-Type", "application/json")
}
