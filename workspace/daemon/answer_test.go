package daemon

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/workspace"
	"handoff/workspace/config"
)

// holding is a watch that answers, without a first scan.
func holding(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{Workspace: workspace.New(t.TempDir(), config.Default(), workspace.Options{})}
	leave, err := d.hold()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(leave)
	return d
}

// TestAnswerTakesLong: a status that takes longer to collect than callers need to read it
// is answered, and callers do not wait for one that does not read.
func TestAnswerTakesLong(t *testing.T) {
	d := holding(t)
	silent, err := net.Dial("unix", d.self.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	d.status.mu.Lock()
	time.AfterFunc(1200*time.Millisecond, d.status.mu.Unlock)
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			if s, err := Ask(t.Context(), d.Workspace); err != nil || s.PID != os.Getpid() {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	wg.Wait()
}

// TestAskAgain asks again if the connection ends without an answer: the watch may be
// opening its socket again.
func TestAskAgain(t *testing.T) {
	needs.Unix(t, "the file of a socket cannot be replaced there")
	d := holding(t)
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for n := 0; ; n++ {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if n == 2 {
				json.NewEncoder(c).Encode(Status{Looks: 7})
			}
			c.Close()
		}
	}()
	h := d.self
	h.Socket = path
	src, err := json.Marshal(h)
	if err == nil {
		err = os.WriteFile(holderFile(d.Workspace).Path, src, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if s, err := Ask(t.Context(), d.Workspace); err != nil || s.Looks != 7 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestQueueAtOnce: a status that is asked for right after a write counts the write, however
// soon and whether there are events or not.
func TestQueueAtOnce(t *testing.T) {
	for _, poll := range []bool{false, true} {
		x := newWatching(t, func(r *Request) { r.Poll, r.Debounce = poll, 200*time.Millisecond })
		for i := range 5 {
			path := x.write("specs/1_a", i+1)
			for {
				s, err := Ask(t.Context(), x.w)
				if err != nil {
					t.Fatal(err)
				}
				left := unlinked(x.w.Root, []string{path})
				if s.Queue == 0 && len(left) > 0 {
					t.Fatalf("poll %v: the queue is empty, and %v is not linked", poll, left)
				}
				if s.Queue == 0 {
					break
				}
			}
		}
	}
}
