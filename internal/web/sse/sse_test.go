package sse

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"handoff/internal/testing/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// these yields the given events and ends.
func these(list ...Event) func(context.Context) iter.Seq2[Event, error] {
	return func(context.Context) iter.Seq2[Event, error] {
		return func(yield func(Event, error) bool) {
			for _, e := range list {
				if !yield(e, nil) {
					return
				}
			}
		}
	}
}

const keepAlive, write = 15 * time.Second, 30 * time.Second

// never yields nothing until its context ends.
func never(ctx context.Context) iter.Seq2[Event, error] {
	return func(func(Event, error) bool) { <-ctx.Done() }
}

func TestForm(t *testing.T) {
	w := httptest.NewRecorder()
	sent := 0
	opt := Options{KeepAlive: keepAlive, Write: write, Sent: func(n int) { sent += n }}
	err := Serve(w, httptest.NewRequest("GET", "/", nil), opt, these(Event{"0", []byte(`{"a":1}`)}, Event{"", []byte("x\ny\rz")}))
	const want = "id: 0\ndata: {\"a\":1}\n\ndata: x\ndata: y\ndata: z\n\n"
	if err != nil || w.Body.String() != want || sent != 2 {
		t.Errorf("%q, %v, %d sent", w.Body, err, sent)
	}
	if ct := w.Header().Get("Content-Type"); ct != "text/event-stream" {
		t.Error(ct)
	}
	w = httptest.NewRecorder()
	if err := Serve(w, httptest.NewRequest("HEAD", "/", nil), Options{KeepAlive: keepAlive, Write: write}, never); err != nil || w.Body.Len() > 0 {
		t.Errorf("HEAD: %q, %v", w.Body, err)
	}
}

// TestTogether: events that are available at once are sent in one write.
func TestTogether(t *testing.T) {
	w := httptest.NewRecorder()
	var flushed []int
	s := sender{out: bufio.NewWriter(w), rc: http.NewResponseController(w), write: time.Hour, sent: func(n int) { flushed = append(flushed, n) }}
	if err := errors.Join(s.send(Event{"1", []byte("a")}, false), s.send(Event{"2", []byte("b")}, false)); err != nil || w.Body.Len() > 0 {
		t.Errorf("before the last: %q, %v", w.Body, err)
	}
	if err := s.send(Event{"3", []byte("c")}, true); err != nil || fmt.Sprint(flushed) != "[3]" || strings.Count(w.Body.String(), "id: ") != 3 {
		t.Errorf("%q, %v, %v events a time", w.Body, err, flushed)
	}
}

func TestErrorOfEvents(t *testing.T) {
	broken := errors.New("broken")
	w := httptest.NewRecorder()
	err := Serve(w, httptest.NewRequest("GET", "/", nil), Options{KeepAlive: keepAlive, Write: write}, func(context.Context) iter.Seq2[Event, error] {
		return func(yield func(Event, error) bool) {
			if yield(Event{"7", []byte("x")}, nil) {
				yield(Event{}, broken)
			}
		}
	})
	if !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestKeepAlive counts comments in virtual time.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		go func() {
			time.Sleep(49 * time.Second)
			close(end)
		}()
		w := httptest.NewRecorder()
		err := Serve(w, httptest.NewRequest("GET", "/", nil), Options{KeepAlive: keepAlive, Write: write, End: end}, func(ctx context.Context) iter.Seq2[Event, error] {
			return func(yield func(Event, error) bool) {
				time.Sleep(20 * time.Second) // after one comment; the next is due at 35
				yield(Event{"1", []byte("x")}, nil)
				<-ctx.Done()
			}
		})
		const want = ": ping\n\nid: 1\ndata: x\n\n: ping\n\n: the server ends\n\n"
		if err != nil || w.Body.String() != want {
			t.Errorf("%q, %v", w.Body, err)
		}
	})
}

// TestClientGoes: a client that disconnects ends the events without an error.
func TestClientGoes(t *testing.T) {
	result := make(chan error, 1)
	ended := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		result <- Serve(w, r, Options{KeepAlive: keepAlive, Write: write}, func(ctx context.Context) iter.Seq2[Event, error] {
			return func(yield func(Event, error) bool) {
				defer close(ended)
				if yield(Event{"1", []byte("x")}, nil) {
					<-ctx.Done()
				}
			}
		})
	}))
	defer s.Close()
	resp, err := s.Client().Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(resp.Body).ReadString('\n'); line != "id: 1\n" {
		t.Errorf("%q, %v", line, err)
	}
	resp.Body.Close()
	<-ended
	if err := <-result; err != nil {
		t.Error(err)
	}
}

// TestSlowReader has a client that reads nothing, and one that reads everything.
func TestSlowReader(t *testing.T) {
	const events = 20_000
	data := []byte(strings.Repeat("x", 1000))
	slow, sent := make(chan error, 1), atomic.Int64{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		opt := Options{KeepAlive: keepAlive, Write: waittest.Limit}
		if r.URL.Path == "/slow" {
			opt.Write = 2 * time.Second // time enough to send something
			opt.Sent = func(n int) { sent.Add(int64(n)) }
		}
		err := Serve(w, r, opt, func(ctx context.Context) iter.Seq2[Event, error] {
			return func(yield func(Event, error) bool) {
				for i := range events {
					if !yield(Event{fmt.Sprint(i), data}, nil) {
						return
					}
				}
			}
		})
		if r.URL.Path == "/slow" {
			slow <- err
		} else if err != nil {
			t.Error(err)
		}
	}))
	defer s.Close()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")

	resp, err := s.Client().Get(s.URL + "/fast")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	next := 0
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
			if id != fmt.Sprint(next) {
				t.Fatalf("event %s, want %d", id, next)
			}
			next++
		}
	}
	if next != events {
		t.Errorf("%d of %d events", next, events)
	}
	if err := waittest.For(t, "the end of the slow one", slow); !errors.Is(err, ErrSlow) {
		t.Errorf("the slow one: %v", err)
	}
	if n := sent.Load(); n == 0 || n >= events {
		t.Errorf("%d events were sent to the slow one", n)
	}
}
