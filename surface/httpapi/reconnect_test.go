package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/threads"
)

// reconnects is the number of reconnects in each test.
func reconnects(t *testing.T) int64 {
	text := os.Getenv("HANDOFF_RECONNECTS")
	if text == "" {
		return 500
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// clients is the number of clients that reconnect.
const clients = 8

// reconnect lets clients disconnect from a stream and reconnect while it grows,
// HANDOFF_RECONNECTS times or else 500 times. add adds the nth event, counted
// from first; if other is true, as another process would, which the server has
// to notice. It stays only a little ahead of the fastest client, so that this
// client sometimes waits for events. visit lets a client read a little, and
// returns the number of events that the client has received in all.
func (s *server) reconnect(first int64, add func(n int64, other bool) error, visit func(client int) int64) (furthest int64) {
	var foremost, left atomic.Int64
	left.Store(reconnects(s.t))
	stop := make(chan struct{})
	var writing, reading sync.WaitGroup
	writing.Go(func() {
		for n := first; ; n++ {
			for n > foremost.Load()+20 {
				time.Sleep(time.Millisecond)
				select {
				case <-stop:
					return
				default:
				}
			}
			if err := add(n, n%20 < 2); err != nil {
				s.t.Error(err)
				return
			}
		}
	})
	for client := range clients {
		reading.Go(func() {
			for left.Add(-1) >= 0 && !s.t.Failed() {
				had := visit(client)
				for seen := foremost.Load(); had > seen && !foremost.CompareAndSwap(seen, had); seen = foremost.Load() {
				}
			}
		})
	}
	reading.Wait()
	close(stop)
	writing.Wait()
	return foremost.Load()
}

// visit reads some events after a place, "" for the beginning, and disconnects
// in the middle of the next one. An error of take ends it.
func (s *server) visit(path, place string, some int, take func(id, data string) error) {
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	if place != "" {
		r.Header.Set("Last-Event-ID", place)
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer resp.Body.Close()
	lines, id := bufio.NewReaderSize(resp.Body, 16+rand.IntN(4096)), ""
	for some > 0 {
		line, err := lines.ReadString('\n')
		if err != nil {
			s.t.Errorf("%s behind %q: %d, %v", path, place, resp.StatusCode, err)
			return
		}
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "id: "); ok {
			id = text
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := take(id, data); err != nil {
				s.t.Error(err)
				return
			}
			some--
		}
	}
}

// another opens the workspace as another process would.
func (s *server) another() *workspace.Workspace {
	s.t.Helper()
	w, err := workspace.Open(s.root, workspace.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	return w
}

// TestReconnectsToThread: clients disconnect and reconnect while the thread
// grows. Each must get each frame once, in the order of the thread.
func TestReconnectsToThread(t *testing.T) {
	s := serve(t, nil)
	id := s.ensure()
	other, err := threads.In(t.Context(), s.another(), true)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	add := func(_ int64, byOther bool) error {
		by := s.Threads
		if byOther {
			by = other
		}
		_, err := by.Store.PostMessage(context.Background(), id, thread.MessageRequest{Content: strings.Repeat("x", rand.IntN(2000))})
		return err
	}
	got := make([][]string, clients)
	s.reconnect(0, add, func(client int) int64 {
		list := &got[client]
		place := ""
		if len(*list) > 0 {
			place = fmt.Sprint(len(*list) - 1)
		}
		s.visit("/threads/"+id+"/events?from_seq=0", place, 1+rand.IntN(4), func(number, data string) error {
			if number != fmt.Sprint(len(*list)) {
				return fmt.Errorf("frame %s, want %d", number, len(*list))
			}
			*list = append(*list, data)
			return nil
		})
		return int64(len(*list))
	})
	src, err := os.ReadFile(s.path(".handoff/threads/" + id + ".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
	frames := 0
	for i, list := range got {
		for n, line := range list {
			if n >= len(want) || line != want[n] {
				t.Fatalf("client %d: frame %d is %.200s", i, n, line)
			}
		}
		frames += len(list)
	}
	t.Logf("%d reconnects, %d events, %d frames sent", reconnects(t), len(want), frames)
	if len(want) < 20 || frames < int(reconnects(t)) {
		t.Errorf("the test saw little: %d events, %d frames", len(want), frames)
	}
}

// TestSlowReaderOfThread: a client does not read its stream for a while, with a
// write timeout of an hour. Writers and other readers must not wait for it, and
// it must then get all frames.
func TestSlowReaderOfThread(t *testing.T) {
	const messages = 20
	s := serve(t, func(c *Config) { c.Write = time.Hour })
	id := s.ensure()
	slow := s.dial()
	fmt.Fprintf(slow, "GET /threads/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n", id)
	content := strings.Repeat("x", 1<<20)
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit)
	defer cancel()
	for range messages { // more than buffers can take
		if _, err := s.Threads.Store.PostMessage(ctx, id, thread.MessageRequest{Content: content}); err != nil {
			t.Fatal(err)
		}
	}
	s.post(202, "/threads/"+id+"/messages", `{"content":"x"}`)
	head, err := s.Threads.Store.Head(id)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.read("/threads/"+id+"/events", int(head), ""); got[head-1].Seq != head-1 {
		t.Errorf("%d", got[head-1].Seq)
	}
	slow.SetReadDeadline(waittest.Deadline())
	lines, next := bufio.NewReaderSize(slow, 1<<20), uint64(0)
	for next < head {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) || errors.Is(err, io.EOF) {
			t.Fatalf("frame %d: %v", next, err)
		}
		if number, ok := strings.CutPrefix(string(line), "id: "); ok {
			if number != fmt.Sprintln(next) {
				t.Fatalf("frame %s, want %d", number, next)
			}
			next++
		}
	}
}
