package outbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"handoff/engine"
	"handoff/internal/file/nofollow"
	"handoff/receipt"
)

func box(t *testing.T) *Box {
	t.Helper()
	root := t.TempDir()
	return Open(receipt.Place{Root: nofollow.Root(root), Dir: filepath.Join(root, "handoff", "receipts")})
}

func add(t *testing.T, b *Box, claims ...string) {
	t.Helper()
	for _, claim := range claims {
		if _, err := b.Add(t.Context(), Request{Step: Done, Handoff: "a.md", Claim: claim, At: time.Now()}); err != nil {
			t.Fatal(err)
		}
	}
}

// claims are the claims of the requests that wait.
func claims(t *testing.T, b *Box) (all []string) {
	t.Helper()
	requests, err := b.Requests()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		all = append(all, r.Claim)
	}
	return all
}

// Requests are sent in order; one that is refused is reported and removed; with the
// store away the rest waits.
func TestDrain(t *testing.T) {
	b := box(t)
	add(t, b, "1", "2", "1", "3", "4")
	if got := claims(t, b); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
		t.Fatalf("%v wait: a repeated request is one request", got)
	}
	var seen, refused []string
	send := func(r Request) error {
		seen = append(seen, r.Claim)
		switch r.Claim {
		case "2":
			return fmt.Errorf("stale: %w", receipt.ErrRefused)
		case "3":
			return fmt.Errorf("git:origin: %w", engine.ErrUnavailable)
		}
		return nil
	}
	report := func(r Request, err error) { refused = append(refused, r.Claim+" "+err.Error()) }
	sent, err := b.Drain(t.Context(), send, report)
	if sent != 1 || !Away(err) || !slices.Equal(seen, []string{"1", "2", "3"}) || len(refused) != 1 || refused[0] != "2 stale: "+receipt.ErrRefused.Error() {
		t.Errorf("%d sent, %v; seen %q, refused %q", sent, err, seen, refused)
	}
	if got := claims(t, b); !slices.Equal(got, []string{"3", "4"}) {
		t.Errorf("%v wait, want 3 and 4", got)
	}
	if sent, err := b.Drain(t.Context(), func(Request) error { return nil }, report); sent != 2 || err != nil {
		t.Errorf("%d, %v", sent, err)
	}
}

// Each request is sent once, also by several drains at once while others are added.
func TestAtOnce(t *testing.T) {
	b := box(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	times := map[string]int{}
	drain := func() {
		_, err := b.Drain(t.Context(), func(r Request) error {
			mu.Lock()
			defer mu.Unlock()
			times[r.Claim]++
			return nil
		}, nil)
		if err != nil {
			t.Error(err)
		}
	}
	for i := range 4 {
		wg.Go(func() {
			for n := range 5 {
				if _, err := b.Add(t.Context(), Request{Step: Done, Claim: fmt.Sprint(i, n)}); err != nil {
					t.Error(err)
				}
				drain()
			}
		})
	}
	wg.Wait()
	drain()
	if len(times) != 20 {
		t.Errorf("%d of 20 requests were sent", len(times))
	}
	for claim, n := range times {
		if n != 1 {
			t.Errorf("%s was sent %d times", claim, n)
		}
	}
}

func TestLimits(t *testing.T) {
	b := box(t)
	add(t, b, "first")
	if err := b.change(t.Context(), func(all []Request) ([]Request, error) {
		return slices.Repeat(all, maxRequests), nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Add(t.Context(), Request{Step: Done, Claim: "more"}); !errors.Is(err, ErrFull) {
		t.Errorf("%v, want ErrFull", err)
	}
	damaged := []byte(`{"requests": [`)
	if err := os.WriteFile(b.file, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Add(t.Context(), Request{Step: Done}); err == nil {
		t.Error("a request was added to a damaged file")
	}
	if src, _ := os.ReadFile(b.file); string(src) != string(damaged) {
		t.Errorf("the damaged file was overwritten: %s", src)
	}
}
