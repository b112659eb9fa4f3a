package httpapi

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/memtest"
	"handoff/internal/web/openapi"
	"handoff/log/tape"
)

// longTape creates a tape with messages of 16 KiB, and returns its size in
// bytes.
func (s *server) longTape(name string, messages int) (bytes int64) {
	s.t.Helper()
	t, err := s.Tapes.Store.Tape(name)
	if err != nil {
		s.t.Fatal(err)
	}
	e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": strings.Repeat("0123456789abcdef", 1<<10)}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	for ; messages > 0; messages -= 64 {
		part := make([]tape.Entry, min(messages, 64))
		for i := range part {
			part[i] = e
			bytes += 16 << 10
		}
		if _, err := t.Append(s.t.Context(), part...); err != nil {
			s.t.Fatal(err)
		}
	}
	return bytes
}

// drain sends a request, discards the body and returns its status and size.
func (s *server) drain(path string) (status int, bytes int64) {
	resp, err := s.client.Get(s.url + path)
	if err != nil {
		s.t.Error(err)
		return 0, 0
	}
	defer resp.Body.Close()
	bytes, err = io.Copy(io.Discard, resp.Body)
	if err != nil {
		s.t.Error(err)
	}
	return resp.StatusCode, bytes
}

// TestWholeTape: the memory for a long tape does not depend on its length.
// Entries are sent while they are read, and answers that would need all of it
// in memory are refused.
func TestWholeTape(t *testing.T) {
	if !memtest.Alone(t) {
		return
	}
	s := serve(t, func(c *Config) { c.Whole = 1 << 20 })
	size := s.longTape("main", 1024)
	for path, want := range map[string]int{
		"entries":                 200,
		"entries?limit=-1000":     200,
		"context?all=true":        413,
		"context":                 413,
		"recover":                 413,
		"context?after_anchor=":   413,
		"context?after_anchor=no": 404,
	} {
		var status int
		var got int64
		peak := memtest.Peak(func() { status, got = s.drain("/tapes/main/" + path) })
		if status != want || path == "entries" && got < size {
			t.Errorf("%s: %d with %d bytes, want %d", path, status, got, want)
		}
		if peak > size/2 {
			t.Errorf("%s: %d bytes of memory for a tape of %d bytes", path, peak, size)
		}
	}
	a := s.want(413, "GET", "/tapes/main/recover", "")
	if !strings.Contains(a.body, "from_id and limit") {
		t.Errorf("it does not say how to page: %s", a.body)
	}
	s.want(201, "POST", "/tapes/main/handoff", `{"name":"p"}`, "Content-Type", "application/json")
	s.want(200, "GET", "/tapes/main/context", "")
	s.want(200, "GET", "/tapes/main/recover", "")
}

// TestWholesAtOnce: however many contexts are requested, only a limited number
// of bytes of entries is processed at once.
func TestWholesAtOnce(t *testing.T) {
	if !memtest.Alone(t) {
		return
	}
	s := serve(t, func(c *Config) { c.Whole, c.BodiesWait = 4<<20, time.Hour })
	size := s.longTape("main", 200)
	peak := memtest.Peak(func() {
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				if status, got := s.drain("/tapes/main/context?all=true"); status != 200 || got < size {
					t.Errorf("%d with %d bytes", status, got)
				}
			})
		}
		all.Wait()
	})
	if peak > 20*size {
		t.Errorf("16 contexts of %d bytes need %d bytes of memory", size, peak)
	}
	if taken, _ := s.wholes.queue.Load(); taken != 0 {
		t.Errorf("%d bytes were not given back", taken)
	}
}

type listed struct {
	Name string `json:"name" doc:"<a test>"`
}

// TestListMemory: a list is encoded while it is sent, with the same bytes.
func TestListMemory(t *testing.T) {
	if !memtest.Alone(t) {
		return
	}
	one := listed{strings.Repeat("x", 4000) + "<&>\u2028"}
	long := make([]listed, 4096)
	for i := range long {
		long[i] = one // they share the text
	}
	list := openapi.Call("GET", "/list/{n}", 200, func(_ context.Context, in struct {
		N int `path:"n" doc:"how many"`
	}) ([]listed, error) {
		return long[:in.N], nil
	}).Says("server", "list", "a test")
	s := serve(t, nil, list)
	item := fmt.Sprintf(`{"name":"%s<&>\u2028"}`, strings.Repeat("x", 4000))
	for n, want := range map[int]string{0: "[]", 1: "[" + item + "]", 2: "[" + item + "," + item + "]"} {
		a := s.want(http.StatusOK, "GET", fmt.Sprint("/list/", n), "")
		if a.body != want || a.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%d: %.100s", n, a.body)
		}
	}
	peak := memtest.Peak(func() { s.drain("/list/4096") })
	if peak > 8<<20 {
		t.Errorf("%d bytes of memory for an answer of %d bytes", peak, 4096*len(item))
	}
}
