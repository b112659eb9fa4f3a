package httpapi

import (
	"bufio"
	"context"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
	"handoff/log/thread"
)

// counting is a stream of numbers that starts where the client requests, sends
// at most that many, and then waits.
func counting(s func() *Server, most uint64) openapi.Operation {
	return openapi.Raw("GET", "/count", func(w http.ResponseWriter, r *http.Request, in resumeInput) error {
		return s().stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] {
			return func(yield func(sse.Event, error) bool) {
				for n := in.from(); n < most; n++ {
					if !yield(sse.Event{ID: strconv.FormatUint(n, 10), Data: []byte("{}")}, nil) {
						return
					}
				}
				<-ctx.Done()
			}
		})
	}).Says("server", "count", "a test", eventStream(thread.ThreadFrame))
}

func countingServer(t *testing.T, most uint64, change func(*Config)) *server {
	var s *server
	s = serve(t, change, counting(func() *Server { return s.Server }, most))
	return s
}

// open starts to read the stream.
func (s *server) open(ctx context.Context, path string, header ...string) (*http.Response, *bufio.Scanner) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { resp.Body.Close() })
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 4<<20)
	return resp, lines
}

// ids reads the next n ids.
func ids(t *testing.T, lines *bufio.Scanner, n int) (list []string) {
	t.Helper()
	for len(list) < n && lines.Scan() {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			list = append(list, id)
		}
	}
	if len(list) < n {
		t.Fatalf("%d of %d events: %v", len(list), n, lines.Err())
	}
	return list
}

func TestResume(t *testing.T) {
	s := countingServer(t, 10, nil)
	for _, c := range []struct {
		path   string
		header []string
		first  string
	}{
		{"/count", nil, "0"},
		{"/count?from_seq=4", nil, "4"},
		{"/count", []string{"Last-Event-ID", "4"}, "5"},
		{"/count?from_seq=2", []string{"Last-Event-ID", "4"}, "5"},
	} {
		resp, lines := s.open(t.Context(), c.path, c.header...)
		if ct := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || ct != "text/event-stream" {
			t.Errorf("%d, %s", resp.StatusCode, ct)
		}
		if got := ids(t, lines, 1)[0]; got != c.first {
			t.Errorf("%s %v: begins with %s, want %s", c.path, c.header, got, c.first)
		}
		resp.Body.Close()
	}
	s.want(400, "GET", "/count?from_seq=-1", "")
	s.want(400, "GET", "/count", "", "Last-Event-ID", "x")
}

// TestReconnects: a client that disconnects after every few events and
// reconnects gets each event exactly once.
func TestReconnects(t *testing.T) {
	const all = 2000
	s := countingServer(t, all, nil)
	next := 0
	for next < all {
		ctx, cancel := context.WithCancel(t.Context())
		var header []string
		if next > 0 {
			header = []string{"Last-Event-ID", strconv.Itoa(next - 1)}
		}
		_, lines := s.open(ctx, "/count", header...)
		for _, id := range ids(t, lines, min(1+next%7, all-next)) {
			if id != strconv.Itoa(next) {
				t.Fatalf("event %s, want %d", id, next)
			}
			next++
		}
		cancel()
	}
}

func TestKeepAlive(t *testing.T) {
	s := countingServer(t, 0, func(c *Config) { c.KeepAlive = 20 * time.Millisecond })
	_, lines := s.open(t.Context(), "/count")
	if !lines.Scan() || lines.Text() != ": ping" {
		t.Errorf("%q", lines.Text())
	}
}

// TestLongStream: a stream may last longer than the timeouts of a write, a
// header or an idle connection.
func TestLongStream(t *testing.T) {
	const short = 2 * time.Second // long enough for a busy machine
	s := countingServer(t, 0, func(c *Config) {
		c.KeepAlive, c.Header, c.Idle, c.Write = 20*time.Millisecond, short, short, short
	})
	_, lines := s.open(t.Context(), "/count")
	for start := time.Now(); time.Since(start) < short+short/4; {
		if !lines.Scan() {
			t.Fatalf("it ended after %v: %v", time.Since(start), lines.Err())
		}
	}
}

// TestDrain stops a server with an open stream and an open request: the stream
// is ended, the request may finish.
func TestDrain(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	var s *server
	s = serve(t, nil, counting(func() *Server { return s.Server }, 1),
		openapi.Call("GET", "/wait", 200, func(context.Context, openapi.Nothing) (health, error) {
			close(begun)
			<-finish
			return health{"done"}, nil
		}).Says("server", "wait", "a test"))
	_, lines := s.open(t.Context(), "/count")
	ids(t, lines, 1)
	answered := make(chan answer, 1)
	go func() { answered <- s.ask("GET", "/wait", "") }()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- s.stop() }()
	last := ""
	for lines.Scan() {
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	if err := lines.Err(); err != nil || last != ": the server ends" {
		t.Errorf("the stream: %q, %v", last, err)
	}
	if _, err := http.Get(s.url + "/healthz"); err == nil {
		t.Error("it still takes requests")
	}
	close(finish)
	if a := <-answered; a.StatusCode != 200 {
		t.Errorf("%d", a.StatusCode)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestDrainEnds: a stopping server does not wait forever for a request.
func TestDrainEnds(t *testing.T) {
	begun := make(chan struct{})
	s := serve(t, func(c *Config) { c.Drain = 50 * time.Millisecond },
		openapi.Call("GET", "/wait", 200, func(ctx context.Context, _ openapi.Nothing) (openapi.Nothing, error) {
			close(begun)
			<-ctx.Done()
			return openapi.Nothing{}, ctx.Err()
		}).Says("server", "wait", "a test"))
	go func() {
		if resp, err := s.client.Get(s.url + "/wait"); err == nil {
			resp.Body.Close()
		}
	}()
	<-begun
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	if !strings.Contains(s.log.String(), "did not end in time") {
		t.Errorf("log: %s", s.log)
	}
}

// TestManyStreams: streams do not use up the connections of other requests.
func TestManyStreams(t *testing.T) {
	s := countingServer(t, 1, func(c *Config) { c.Streams = 2 })
	ctx, cancel := context.WithCancel(t.Context())
	for range 2 {
		_, lines := s.open(ctx, "/count")
		ids(t, lines, 1)
	}
	s.want(503, "GET", "/count", "")
	s.want(200, "GET", "/specs", "")
	cancel()
	waittest.Until(t, "the streams of clients that went away to end", func() bool { return s.streams.Load() == 0 })
	_, lines := s.open(t.Context(), "/count")
	ids(t, lines, 1)
}
