package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/thread"
	"handoff/workspace/threads"
)

// view opens a page's stream on a connection of its own, reads the beginning of its first
// event, and disconnects.
func (s *site) view(ctx context.Context, path string) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	r, err := http.NewRequestWithContext(ctx, "GET", s.url+Prefix+"live?"+url.Values{"at": {path}}.Encode(), nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = answer.Body.Read(make([]byte, 1))
	return err
}

// TestViewersLeave: viewers that disconnect leave no goroutine and no descriptor.
func TestViewersLeave(t *testing.T) {
	needs.Linux(t, "counts descriptors in /proc")
	s := populated(t, nil)
	ctx := waittest.Context(t)
	if err := s.view(ctx, "/"); err != nil { // starts what runs until Close
		t.Fatal(err)
	}
	waittest.Until(t, "everything is watched", func() bool { return s.changes.number() > 0 })
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Error(err)
		}
		return len(list)
	}
	const viewers, slack = 100, 20 // what the runtime and the server start by themselves
	goroutines, descriptors := runtime.NumGoroutine()+slack, open()+slack
	paths := []string{"/", "/view/waiting", "/view/task?n=31", threadsPath, tapesPath}
	for range viewers / 20 {
		var batch sync.WaitGroup
		for n := range 20 {
			batch.Go(func() {
				if err := s.view(ctx, paths[n%len(paths)]); err != nil {
					t.Error(err)
				}
			})
		}
		batch.Wait()
	}
	waittest.Until(t, "the viewers leave no goroutine", func() bool { return runtime.NumGoroutine() <= goroutines })
	waittest.Until(t, "the viewers leave no descriptor", func() bool { return open() <= descriptors })
}

// TestManyThreads measures the pages of many threads. HANDOFF_THREADS is how many.
func TestManyThreads(t *testing.T) {
	n := 30
	if text := os.Getenv("HANDOFF_THREADS"); text != "" {
		n, _ = strconv.Atoi(text)
	}
	s := newSite(t, func(c *Config) { c.PageSize = min(n/3, 100) })
	s.threads(func(all *threads.Threads) {
		for i := range n {
			title := fmt.Sprintf("subject-%d", i)
			if _, _, err := all.Create(t.Context(), thread.CreateRequest{Title: &title}); err != nil {
				t.Fatal(err)
			}
		}
	})
	for _, page := range []int{1, 1, 2, 3} {
		began := time.Now()
		r, _ := s.get(fmt.Sprintf("%s?page=%d", threadsPath, page))
		if r.StatusCode != http.StatusOK {
			t.Errorf("page %d: %s", page, r.Status)
		}
		t.Logf("%d threads, page %d after %d ms", n, page, time.Since(began).Milliseconds())
	}
}
