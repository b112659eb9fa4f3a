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

	"handoff/thread"
	"handoff/workspace"
)

// reconnects is how often the test of that goes away and comes back.
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

// TestReconnectsToThread lets clients go away and come back while the thread
// grows, by the server's hand and by another process's: each gets each frame
// once, in the order of the thread. HANDOFF_RECONNECTS says how often, 500 by
// default.
func TestReconnectsToThread(t *testing.T) {
	const clients = 8
	s := serve(t, nil)
	id := s.ensure()
	stop := make(chan struct{})
	var furthest atomic.Int64
	var writing, reading sync.WaitGroup
	writing.Go(func() { s.write(id, &furthest, stop) })
	var left atomic.Int64
	left.Store(reconnects(t))
	got := make([][]string, clients)
	for i := range got {
		reading.Go(func() {
			for left.Add(-1) >= 0 && !t.Failed() {
				got[i] = append(got[i], s.readSome(id, len(got[i]))...)
				if n := int64(len(got[i])); n > furthest.Load() {
					furthest.Store(n)
				}
			}
		})
	}
	reading.Wait()
	close(stop)
	writing.Wait()
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

// write posts until it is to stop: now and then as another process would,
// which the server has to notice. It stays close to the foremost reader, who so
// has to wait for more now and then.
func (s *server) write(id string, furthest *atomic.Int64, stop <-chan struct{}) {
	w, err := workspace.Open(s.root, nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	other, err := w.Threads(context.Background(), workspace.Edge{Writes: true})
	if err != nil {
		s.t.Error(err)
		return
	}
	defer other.Close()
	for n := 0; ; n++ {
		for int64(n) > furthest.Load()+20 {
			time.Sleep(time.Millisecond)
			select {
			case <-stop:
				return
			default:
			}
		}
		by := s.Threads
		if n%20 < 2 {
			by = other
		}
		if _, err := by.Store.PostMessage(context.Background(), id, thread.MessageRequest{Content: strings.Repeat("x", rand.IntN(2000))}); err != nil {
			s.t.Error(err)
			return
		}
	}
}

// readSome reads a few frames, the next of which has that number, and goes away
// in the midst of what comes after them.
func (s *server) readSome(id string, next int) (frames []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+"/threads/"+id+"/events?from_seq=0", nil)
	if err != nil {
		s.t.Error(err)
		return nil
	}
	if next > 0 {
		r.Header.Set("Last-Event-ID", fmt.Sprint(next-1))
	}
	resp, err := s.client.Do(r)
	if err != nil {
		s.t.Error(err)
		return nil
	}
	defer resp.Body.Close()
	lines := bufio.NewReaderSize(resp.Body, 16+rand.IntN(4096))
	for want := 1 + rand.IntN(4); len(frames) < want; {
		line, err := lines.ReadString('\n')
		if err != nil {
			s.t.Errorf("frame %d: %v", next, err)
			return frames
		}
		if number, ok := strings.CutPrefix(line, "id: "); ok && number != fmt.Sprintln(next) {
			s.t.Errorf("frame %s, want %d", number, next)
			return frames
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			frames = append(frames, strings.TrimSuffix(data, "\n"))
			next++
		}
	}
	return frames
}

// TestSlowReaderOfThread takes nothing of its stream for a while, which the
// server would put up with for an hour. Those who write, and those who read, do
// not wait for it; then it gets all there is.
func TestSlowReaderOfThread(t *testing.T) {
	const messages = 20
	s := serve(t, func(c *Config) { c.Write = time.Hour })
	id := s.ensure()
	slow := s.dial()
	fmt.Fprintf(slow, "GET /threads/%s/events HTTP/1.1\r\nHost: localhost\r\n\r\n", id)
	content := strings.Repeat("x", 1<<20)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for range messages { // more than buffers hold
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
	slow.SetReadDeadline(time.Now().Add(time.Minute))
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
