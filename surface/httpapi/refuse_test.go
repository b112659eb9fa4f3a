package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/internal/web/openapi"
	"handoff/log/artifact"
	"handoff/workspace"
)

// TestHosts: names of loopback and of the server are accepted, others are
// rejected.
func TestHosts(t *testing.T) {
	s := serve(t, func(c *Config) { c.Hosts = []string{"build.example"} })
	for host, want := range map[string]int{
		"localhost": 200, "LOCALHOST:1": 200, "127.0.0.1": 200, "127.9.9.9:80": 200, "[::1]:7341": 200, "build.example:99": 200, "Build.Example": 200,
		"evil.example": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example": 421, "192.0.2.1": 421, "0.0.0.0": 421, "[::]": 421, "xlocalhost": 421,
	} {
		if a := s.want(want, "GET", "/handoffs", "", "Host", host); want == 421 && strings.Contains(a.body, "evil") {
			t.Errorf("echoed: %s", a.body)
		}
	}
}

func TestOrigins(t *testing.T) {
	s := serve(t, nil)
	host := strings.TrimPrefix(s.url, "http://")
	for _, c := range []struct {
		header []string
		want   int
	}{
		{[]string{"Origin", s.url}, 200},
		{[]string{"Sec-Fetch-Site", "same-origin"}, 200},
		{[]string{"Sec-Fetch-Site", "none"}, 200},
		{[]string{"Origin", "http://evil.example"}, 403},
		{[]string{"Origin", "https://" + host}, 403},
		{[]string{"Origin", "null"}, 403},
		{[]string{"Sec-Fetch-Site", "cross-site"}, 403},
		{[]string{"Sec-Fetch-Site", "same-site"}, 403},
	} {
		a := s.want(c.want, "GET", "/specs", "", c.header...)
		if h := a.Header.Get("Access-Control-Allow-Origin"); h != "" {
			t.Errorf("%v: CORS: %s", c.header, h)
		}
	}
	s.want(405, "OPTIONS", "/specs", "", "Origin", s.url, "Access-Control-Request-Method", "GET")
	s.want(403, "POST", "/artifacts", "x", "Origin", "http://evil.example")
	if names, _ := os.ReadDir(s.path(artifact.Blobs)); len(names) != 1 {
		t.Errorf("%d blobs: a page of another origin stored one", len(names))
	}
}

func TestTokens(t *testing.T) {
	const token = "correct-horse-battery"
	s := serve(t, func(c *Config) { c.Token = token })
	for _, bad := range []string{"", "Bearer", "Bearer ", "Bearer x", "Bearer " + token + "x", "Bearer " + token[:len(token)-1], token, "Basic " + token} {
		a := s.want(401, "GET", "/handoffs", "", "Authorization", bad)
		if !strings.HasPrefix(a.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("%q: WWW-Authenticate: %q", bad, a.Header.Get("WWW-Authenticate"))
		}
	}
	s.want(401, "GET", "/nowhere", "")
	s.want(401, "GET", "/openapi.json", "")
	s.want(200, "GET", "/healthz", "")
	s.want(200, "GET", "/handoffs", "", "Authorization", "bearer "+token)
	s.want(421, "GET", "/handoffs", "", "Authorization", "Bearer "+token, "Host", "evil.example")
	if text := s.log.String(); strings.Contains(text, token) {
		t.Errorf("the log has the token: %s", text)
	}
}

// TestBadRequests sends requests that match no route.
func TestBadRequests(t *testing.T) {
	s := serve(t, nil)
	const secret = "hunter2"
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", "/artifacts/" + secret, 400},
		{"GET", "/artifacts/..", 404},
		{"GET", "/artifacts/../../../../etc/passwd", 404},
		{"GET", "/artifacts/%2e%2e%2f%2e%2e%2fetc%2fpasswd", 400},
		{"GET", "/artifacts/" + strings.Repeat("A", 64), 400},
		{"GET", "/artifacts/" + strings.Repeat("a", 64), 404},
		{"GET", "/artifacts/" + strings.Repeat("a", 62) + "%00a", 400},
		{"GET", "/artifacts/%ff%fe", 400},
		{"PUT", "/artifacts/..%2f..%2f" + secret, 400},
		{"GET", "/handoffs/..%2f..%2fetc%2fpasswd.md", 404},
		{"GET", "/handoffs/%2fetc%2fpasswd.md", 404},
		{"GET", "/handoffs/%2fetc%2fpasswd", 404},
		{"GET", "/handoffs/" + secret, 404},
		{"GET", "/handoffs/259%2F3%2F4", 404},
		{"GET", "/handoffs/%ff", 400},
		{"GET", "/handoffs/999", 404},
		{"GET", "/handoffs/999/brief", 404},
		{"GET", "/handoffs/latest/brief?level=9", 400},
		{"GET", "/handoffs/latest/brief?max_bytes=3", 400},
		{"GET", "/handoffs?limit=0", 400},
		{"GET", "/handoffs?limit=1e9", 400},
		{"GET", "/handoffs?since=" + secret, 400},
		{"GET", "/handoffs?all=maybe", 400},
		{"GET", "/handoffs?phase=%ff", 400},
		{"GET", "/specs/" + secret, 400},
		{"GET", "/specs/-1", 400},
		{"GET", "/specs/999", 404},
		{"GET", "/findings?task=999", 404},
		{"GET", "/" + secret, 404},
		{"GET", "/specs/", 404},
		{"GET", "//specs", 404},
		{"POST", "/specs", 405},
		{"DELETE", "/artifacts/" + strings.Repeat("a", 64), 405},
		{"PATCH", "/healthz", 405},
		{"BREW", "/healthz", 405},
	} {
		if a := s.want(c.want, c.method, c.path, ""); strings.Contains(a.body, secret) || strings.Contains(a.body, "passwd") {
			t.Errorf("%s: echoed: %s", c.path, a.body)
		}
	}
	if allow := s.ask("POST", "/specs", "").Header.Get("Allow"); allow != "GET, HEAD" {
		t.Errorf("Allow: %s", allow)
	}
	if text := s.log.String(); strings.Contains(text, secret) {
		t.Errorf("the log has a part of a request: %s", text)
	}
}

// exchange writes to a connection and reads the status line of the answer; ""
// if the connection is closed without one.
func exchange(t *testing.T, c net.Conn, text string) (status string) {
	t.Helper()
	go io.WriteString(c, text) // the server may not read all of it
	c.SetReadDeadline(waittest.Deadline())
	line, err := bufio.NewReader(c).ReadString('\n')
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Fatal("no answer, and not closed")
	}
	_, status, _ = strings.Cut(strings.TrimSpace(line), " ")
	return status
}

// TestRawRequests sends requests that no client library would send.
func TestRawRequests(t *testing.T) {
	s := serve(t, nil)
	for name, c := range map[string]struct{ text, want string }{
		"no host":        {"GET /specs HTTP/1.1\r\n\r\n", "400 Bad Request"},
		"two hosts":      {"GET /specs HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", "400 Bad Request"},
		"no HTTP":        {"\x16\x03\x01\x02\x00\x01\r\n\r\n", "400 Bad Request"},
		"huge header":    {"GET /specs HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2*maxHeader) + "\r\n\r\n", "431 Request Header Fields Too Large"},
		"huge path":      {"GET /" + strings.Repeat("x", 2*maxHeader) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "431 Request Header Fields Too Large"},
		"dots":           {"GET /artifacts/../specs HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 Not Found"},
		"another's URL":  {"GET http://evil.example/specs HTTP/1.1\r\nHost: localhost\r\n\r\n", "421 Misdirected Request"},
		"two lengths":    {"POST /artifacts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "400 Bad Request"},
		"2 GB announced": {"POST /artifacts HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2147483648\r\n\r\nxxx", "413 Request Entity Too Large"},
		"2 GB for a GET": {"GET /specs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2147483648\r\n\r\nxxx", "413 Request Entity Too Large"},
		"2 GB expected":  {"PUT /artifacts/" + strings.Repeat("a", 64) + " HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 2147483648\r\n\r\n", "413 Request Entity Too Large"},
		"bad chunk":      {chunked("/threads", "application/json") + "zz\r\n{}\r\n0\r\n\r\n", "400 Bad Request"},
		"bad chunk end":  {chunked("/tapes/main/entries", "application/json") + "2\r\n{}xx0\r\n\r\n", "400 Bad Request"},
		"long chunk":     {chunked("/threads", "application/json") + strings.Repeat("1", 5000) + "\r\n", "400 Bad Request"},
		"bad blob chunk": {chunked("/artifacts", "application/octet-stream") + "2\r\nab\r\nzz\r\n\r\n", "400 Bad Request"},
		"CONNECT":        {"CONNECT evil.example:80 HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", "421 Misdirected Request"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := exchange(t, s.dial(), c.text); !strings.HasPrefix(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// chunked is the header of a request with a chunked body.
func chunked(path, media string) string {
	return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: " + media + "\r\nTransfer-Encoding: chunked\r\n\r\n"
}

// endless is a body of 2 GB that counts how much of it was read. The client may
// still read from it when the answer has arrived.
type endless struct {
	left  int64
	taken atomic.Int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	e.left -= n
	e.taken.Add(n)
	return int(n), nil
}

func TestStreamedBody(t *testing.T) {
	s := serve(t, nil)
	body := &endless{left: 2 << 30}
	r, err := http.NewRequest("POST", s.url+"/artifacts", body)
	if err != nil {
		t.Fatal(err)
	}
	a := s.send(r)
	if a.StatusCode != 413 {
		t.Errorf("%d: %s", a.StatusCode, a.body)
	}
	if taken := body.taken.Load(); taken > 2*artifact.DefaultMax {
		t.Errorf("%d bytes were taken", taken)
	}
	names, err := os.ReadDir(s.path(artifact.Blobs))
	if err != nil || len(names) != 1 {
		t.Errorf("the store holds %d files: %v", len(names), err)
	}
}

// TestSlowloris: connections whose header never ends are closed and make room for
// others, and idle connections are closed, too.
func TestSlowloris(t *testing.T) {
	s := serve(t, func(c *Config) {
		c.Header = 100 * time.Millisecond
		c.Connections = 2
	})
	for range 3 { // more than the limit
		if got := exchange(t, s.dial(), "GET /specs HTTP/1.1\r\nHost: loc"); got != "" {
			t.Errorf("%q", got)
		}
	}
	s = serve(t, func(c *Config) { c.Idle = 100 * time.Millisecond })
	idle := s.dial()
	if got := exchange(t, idle, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"); got != "200 OK" {
		t.Errorf("%q", got)
	}
	idle.SetReadDeadline(waittest.Deadline())
	if _, err := io.Copy(io.Discard, idle); err != nil {
		t.Errorf("an idle connection stays open: %v", err)
	}
}

func TestDrip(t *testing.T) {
	slow := openapi.Raw("POST", "/slow", func(w http.ResponseWriter, r *http.Request, _ openapi.Nothing) error {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(100 * time.Millisecond)) // shorter than the default
		_, err := io.ReadAll(r.Body)
		return openapi.BodyError(err)
	}).Says("server", "slow", "a test")
	s := serve(t, nil, slow)
	if got := exchange(t, s.dial(), "POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nx"); got != "408 Request Timeout" {
		t.Errorf("%q", got)
	}
}

// TestFailures: errors of the server are in its log, and not in the answer.
func TestFailures(t *testing.T) {
	raw := func(path string, f func(http.ResponseWriter) error) openapi.Operation {
		return openapi.Raw("GET", path, func(w http.ResponseWriter, _ *http.Request, _ openapi.Nothing) error { return f(w) }).
			Says("server", "test"+strings.ReplaceAll(path, "/", "_"), "a test")
	}
	const secret = "hunter2"
	s := serve(t, nil,
		raw("/panic", func(http.ResponseWriter) error { panic(secret) }),
		raw("/error", func(http.ResponseWriter) error { return errors.New(secret) }),
		raw("/late-panic", func(w http.ResponseWriter) error { fmt.Fprint(w, "half"); panic(secret) }),
		raw("/late-error", func(w http.ResponseWriter) error { fmt.Fprint(w, "half"); return errors.New(secret) }),
		raw("/timeout", func(http.ResponseWriter) error { return context.DeadlineExceeded }),
	)
	for _, path := range []string{"/panic", "/error"} {
		if a := s.want(500, "GET", path, ""); strings.Contains(a.body, secret) {
			t.Errorf("%s: %s", path, a.body)
		}
	}
	if a := s.want(503, "GET", "/timeout", ""); a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	for _, path := range []string{"/late-panic", "/late-error"} {
		resp, err := s.client.Get(s.url + path)
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		if err == nil {
			t.Errorf("%s: half an answer passes for a whole one", path)
		}
	}
	if n := strings.Count(s.log.String(), secret); n < 4 {
		t.Errorf("the log says %d of 4 errors: %s", n, s.log)
	}
	s.want(200, "GET", "/healthz", "")
}

func TestBrokenConfiguration(t *testing.T) {
	s := serve(t, func(c *Config) {
		c.Open = func() (*workspace.Workspace, error) { return nil, errors.New("the secret line is wrong") }
	})
	if a := s.want(500, "GET", "/specs", ""); strings.Contains(a.body, "secret") || !strings.Contains(s.log.String(), "secret") {
		t.Errorf("%s; log: %s", a.body, s.log)
	}
}
