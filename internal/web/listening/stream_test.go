package listening_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"handoff/internal/web/listening"
)

// TestStream: the client on a pair of streams gets an answer to each request, and everything
// ends with its input.
func TestStream(t *testing.T) {
	in, ask := io.Pipe()
	answer, out := io.Pipe()
	ended := make(chan struct{})
	l := listening.Stream(in, out, func() { close(ended) })
	served := make(chan error, 1)
	go func() {
		served <- http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			io.Copy(w, r.Body)
			if local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr); local == nil || local.Network() != "unix" {
				t.Errorf("%v: others cannot connect", local)
			}
		}))
	}()
	answers := bufio.NewReader(answer)
	for _, text := range []string{"one", "two"} {
		if _, err := io.WriteString(ask, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\n"+text); err != nil {
			t.Fatal(err)
		}
		r, err := http.ReadResponse(answers, nil)
		if err != nil {
			t.Fatal(err)
		}
		if body, err := io.ReadAll(r.Body); err != nil || string(body) != text {
			t.Errorf("%q, %v, want %q", body, err, text)
		}
	}
	select {
	case <-ended:
		t.Error("it has ended before its input")
	default:
	}
	ask.Close()
	<-ended
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v: there is one connection", err)
	}
}

// TestStreamAsksAndEnds: who writes all requests and ends its output at once gets all answers.
func TestStreamAsksAndEnds(t *testing.T) {
	for range 50 {
		answer, out := io.Pipe()
		in := strings.NewReader(strings.Repeat("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 2))
		l := listening.Stream(in, out, func() { out.Close() })
		go http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(time.Millisecond)
			if r.Context().Err() == nil {
				io.WriteString(w, "answered")
			}
		}))
		all, err := io.ReadAll(answer)
		if n := strings.Count(string(all), "answered"); err != nil || n != 2 {
			t.Fatalf("%d answers, %v: %q", n, err, all)
		}
	}
}
