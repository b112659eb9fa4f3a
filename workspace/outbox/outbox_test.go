package outbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/log/engine"
	"handoff/log/receipt"
)

func boxIn(root, store string) *Box {
	return Open(receipt.Place{Root: nofollow.Root(root), Dir: filepath.Join(root, "handoff", "receipts")}, store, time.Second)
}

func box(t *testing.T) *Box {
	t.Helper()
	return boxIn(t.TempDir(), "git:origin")
}

// add adds a step on a.md for each claim.
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

func sender(send func(Request) error) Sender { return Sender{Send: send, Now: time.Now} }

// Requests are sent in order; one that is refused is reported and kept aside; with the
// store away the rest waits.
func TestDrain(t *testing.T) {
	b := box(t)
	add(t, b, "1", "2", "1", "3", "4")
	if got := claims(t, b); !slices.Equal(got, []string{"1", "2", "3", "4"}) {
		t.Fatalf("%v wait: a repeated request is one request", got)
	}
	var seen, refused []string
	s := sender(func(r Request) error {
		seen = append(seen, r.Claim)
		switch r.Claim {
		case "2":
			return fmt.Errorf("stale: %w", receipt.ErrRefused)
		case "3":
			return fmt.Errorf("git:origin: %w", engine.ErrUnavailable)
		}
		return nil
	})
	s.Refused = func(r Refused) { refused = append(refused, r.Request.Claim+" "+r.Why) }
	sent, err := b.Drain(t.Context(), s)
	if sent != 1 || !Away(err) || !slices.Equal(seen, []string{"1", "2", "3"}) || len(refused) != 1 || refused[0] != "2 stale: "+receipt.ErrRefused.Error() {
		t.Errorf("%d sent, %v; seen %q, refused %q", sent, err, seen, refused)
	}
	if got := claims(t, b); !slices.Equal(got, []string{"3", "4"}) {
		t.Errorf("%v wait, want 3 and 4", got)
	}
	if kept, err := b.Refused(); err != nil || len(kept) != 1 || kept[0].Request.Claim != "2" {
		t.Errorf("refused and kept: %+v, %v", kept, err)
	}
	if n, err := b.Forget(); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if sent, err := b.Drain(t.Context(), sender(func(Request) error { return nil })); sent != 2 || err != nil {
		t.Errorf("%d, %v", sent, err)
	}
}

// A request that cannot be sent, for a reason that is not the store, holds back only
// those for the same log. So does a damaged file, which is not changed.
func TestStuck(t *testing.T) {
	b := box(t)
	for _, r := range []Request{{Step: Post, Thread: "a", Key: "1"}, {Step: Post, Thread: "b", Key: "2"}, {Step: Append, Tape: "main", Key: "3"}, {Step: Post, Thread: "a", Key: "4"},
		{Step: Append, Tape: "main", Key: "5"}, {Step: Post, Thread: "b", Key: "6"}} {
		if _, err := b.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	all, err := b.files()
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(b.dir, all[2].name())
	if err := os.WriteFile(damaged, []byte(`{"key": `), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen []string
	drain := func(broken bool) error {
		_, err := b.Drain(t.Context(), sender(func(r Request) error {
			if broken && r.Thread == "a" {
				return errors.New("its file is damaged")
			}
			seen = append(seen, r.Key)
			return nil
		}))
		return err
	}
	if err := drain(true); !errors.Is(err, ErrDamaged) || Away(err) || !slices.Equal(seen, []string{"2", "6"}) {
		t.Errorf("sent %v, %v", seen, err)
	}
	if err := drain(false); !errors.Is(err, ErrDamaged) || !slices.Equal(seen, []string{"2", "6", "1", "4"}) {
		t.Errorf("sent %v, %v", seen, err)
	}
	if text, err := os.ReadFile(damaged); string(text) != `{"key": ` || err != nil {
		t.Errorf("the damaged file is %q, %v", text, err)
	}
	if _, err := b.Requests(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), damaged) {
		t.Errorf("%v, want the path of the damaged file", err)
	}
	if err := os.Remove(damaged); err != nil {
		t.Fatal(err)
	}
	if err := drain(false); err != nil || seen[len(seen)-1] != "5" {
		t.Errorf("sent %v, %v", seen, err)
	}
}

// A request is for one store: with another one in the configuration it waits, unless the
// caller confirms that this store has the logs now.
func TestOtherStore(t *testing.T) {
	root := t.TempDir()
	before, after := boxIn(root, "nats://a:4222/S"), boxIn(root, "nats://b:4222/S")
	add(t, before, "1", "2")
	add(t, after, "3")
	var seen []string
	s := sender(func(r Request) error { seen = append(seen, r.Claim); return nil })
	if sent, err := after.Drain(t.Context(), s); sent != 1 || err != nil || !slices.Equal(seen, []string{"3"}) {
		t.Errorf("%d, %v: %v", sent, err, seen)
	}
	s.AnyStore = true
	if sent, err := after.Drain(t.Context(), s); sent != 2 || err != nil || !slices.Equal(seen, []string{"3", "1", "2"}) {
		t.Errorf("%d, %v: %v", sent, err, seen)
	}
}

// Each request is sent once, also by several drains at once while others are added, and
// nothing is left.
func TestAtOnce(t *testing.T) {
	b := box(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	times := map[string]int{}
	drain := func() {
		_, err := b.Drain(t.Context(), sender(func(r Request) error {
			mu.Lock()
			defer mu.Unlock()
			times[r.Claim]++
			return nil
		}))
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
	if all, err := b.files(); len(all) > 0 || err != nil {
		t.Errorf("%d requests are left, %v", len(all), err)
	}
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
	b.limits = limits{bytes: 4000, request: 2100, refused: MaxRefused}
	add(t, b, "first")
	all, err := b.files()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.room(slices.Repeat(all, MaxRequests), 1); !errors.Is(err, ErrFull) {
		t.Errorf("%v, want ErrFull", err)
	}
	if err := b.room(all, 2101); !errors.Is(err, engine.ErrTooLarge) {
		t.Errorf("%v, want ErrTooLarge", err)
	}
	large := Request{Step: Post, Thread: "a", Content: strings.Repeat("x", 1900)}
	if _, err := b.Add(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	large.By = "another"
	if _, err := b.Add(t.Context(), large); !errors.Is(err, ErrFull) || !strings.Contains(err.Error(), "store drain") {
		t.Errorf("%v, want ErrFull and what to do", err)
	}
	if s, err := b.Size(); err != nil || s.Requests != 2 || s.Bytes < 1900 {
		t.Errorf("%+v, %v", s, err)
	}
}

// Only the last refused requests are kept.
func TestRefusedIsBounded(t *testing.T) {
	b := box(t)
	b.limits.refused = 10
	for round := range 2 {
		for n := range 8 {
			add(t, b, fmt.Sprint(round, " ", n))
		}
		if _, err := b.Drain(t.Context(), sender(func(Request) error { return receipt.ErrRefused })); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := b.Refused()
	if err != nil || len(kept) != 10 || kept[0].Request.Claim != "0 6" || kept[9].Request.Claim != "1 7" {
		t.Errorf("%d are kept, %v", len(kept), err)
	}
}

// TestSettle: what waits for a log is sent before a request that cannot wait, whatever is
// noted about the store. That request is refused while something waits still.
func TestSettle(t *testing.T) {
	b := box(t)
	for _, r := range []Request{{Step: Post, Thread: "a", Key: "1"}, {Step: Append, Tape: "main", Key: "2"}, {Step: Post, Thread: "a", Key: "3"}} {
		if _, err := b.Add(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	b.leaveNote(engine.ErrUnavailable, time.Now())
	var seen []string
	away := true
	s := sender(func(r Request) error {
		if seen = append(seen, r.Key); away {
			return engine.ErrUnavailable
		}
		return nil
	})
	if err := b.Settle(t.Context(), s, ThreadLog("b"), TapeLog("other")); err != nil || len(seen) > 0 {
		t.Errorf("nothing waits: %v, sent %v", err, seen)
	}
	var waits *WaitsError
	if err := b.Settle(t.Context(), s, ThreadLog("a")); !errors.As(err, &waits) || !Away(err) || !slices.Equal(seen, []string{"1"}) {
		t.Errorf("%v, tried %v", err, seen)
	}
	away = false
	if err := b.Settle(t.Context(), s, ThreadLog("a")); err != nil || !slices.Equal(seen, []string{"1", "1", "3"}) {
		t.Errorf("%v, sent %v", err, seen)
	}
	if n, err := b.Waiting(TapeLog("main")); n != 1 || err != nil || b.Silent() != nil {
		t.Errorf("%d requests of another log wait: %v; noted %v", n, err, b.Silent())
	}
	held, err := lockfile.Lock(t.Context(), b.root, filepath.Join(b.dir, "drain.lock"))
	if err != nil {
		t.Fatal(err)
	}
	b.patience = 50 * time.Millisecond
	if err := b.Settle(t.Context(), s, TapeLog("main")); !errors.As(err, &waits) || !Away(err) {
		t.Errorf("another process sends, and does not come to an end: %v", err)
	}
	if err := held(); err != nil {
		t.Fatal(err)
	}
	damaged := must(b.files())[0]
	if err := os.WriteFile(filepath.Join(b.dir, damaged.name()), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := b.Settle(t.Context(), s, TapeLog("main")); !errors.As(err, &waits) || Away(err) || !errors.Is(err, ErrDamaged) {
		t.Errorf("a damaged request waits: %v", err)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestPauses: after a failure nobody asks for a moment, then one process, and the pauses
// grow with the time for which there was no answer. Many failures at once are one. An answer
// ends it.
func TestPauses(t *testing.T) {
	b := box(t)
	fail := func() error { return engine.ErrUnavailable }
	if b.Try(fail); b.Silent() != nil {
		t.Error("a store that refuses at once is noted")
	}
	begin := time.Now()
	for range 60 {
		b.leaveNote(engine.ErrUnavailable, begin)
	}
	const ms = time.Millisecond
	for _, c := range []struct{ longer, least, most time.Duration }{
		{0, 250 * ms, 250 * ms}, {0, 250 * ms, 300 * ms}, {8000 * ms, 1000 * ms, 2000 * ms}, {32000 * ms, 5000 * ms, 8000 * ms}, {time.Hour, 15000 * ms, 15000 * ms},
	} {
		age(t, b, c.longer, true)
		noted, ok := b.note()
		if got := noted.pause(); !ok || got < c.least || got > c.most {
			t.Fatalf("no answer for %v longer: %+v, %v, want a pause of %v to %v", c.longer, noted, got, c.least, c.most)
		}
		if err := b.Try(func() error { t.Error("asked in a pause"); return nil }); !Away(err) {
			t.Error(err)
		}
		age(t, b, noted.pause(), false)
		if err := b.Try(func() error {
			if err := b.Try(func() error { t.Error("two processes ask"); return nil }); !Away(err) {
				t.Error(err)
			}
			time.Sleep(slow + 10*time.Millisecond)
			return engine.ErrUnavailable
		}); !Away(err) {
			t.Error(err)
		}
	}
	asked := false
	if err := b.Ask(func() error { asked = true; return nil }); err != nil || !asked {
		t.Errorf("%v: whoever needs the answer is refused it", err)
	}
	if _, ok := b.note(); ok {
		t.Error("the note is left after an answer")
	}
}

// age makes a note older, or what it says of the first failure.
func age(t *testing.T, b *Box, by time.Duration, first bool) {
	t.Helper()
	n, _ := b.note()
	if n.Since = n.Since.Add(-by); !first {
		n.At = n.At.Add(-by)
	}
	data, err := json.Marshal(n)
	if err == nil {
		err = os.WriteFile(b.noteFile().Path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}
