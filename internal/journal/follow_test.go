package journal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
)

// follow collects texts until it has n of them or ends.
func follow(ctx context.Context, j *Journal, pos uint64, n int) (list []string, err error) {
	next := max(pos, j.format.First)
	for rec, err := range j.Follow(ctx, pos) {
		if err != nil {
			return list, err
		}
		if rec.Pos != next {
			return list, fmt.Errorf("position %d where %d was due", rec.Pos, next)
		}
		next++
		if list = append(list, string(rec.Line)); len(list) == n {
			break
		}
	}
	return list, nil
}

// Followers from any position get every record once, from any writer.
func TestFollow(t *testing.T) {
	for _, format := range []Format{strict, tolerant} {
		const n = 300
		j := create(t, format, Options{})
		other := reopen(t, j)
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
		defer cancel()
		mustAppend(t, j, "0", "1", "2", "3", "4")
		var wg sync.WaitGroup
		for _, pos := range []uint64{format.First, 3, 5, 100} {
			wg.Go(func() {
				list, err := follow(ctx, j, pos, int(n+format.First-pos))
				for i, line := range list {
					if want := string(text(pos+uint64(i), fmt.Sprint(pos+uint64(i)-format.First))); line != want {
						t.Errorf("from %d: got %q, want %q", pos, line, want)
						return
					}
				}
				if err != nil {
					t.Errorf("from %d: %d records, then %v", pos, len(list), err)
				}
			})
		}
		for i := 5; i < n; i++ {
			mustAppend(t, []*Journal{j, other}[i%2], fmt.Sprint(i))
		}
		wg.Wait()
	}
}

// A follower sees appends of its own process without waiting for the poll.
func TestFollowAtOnce(t *testing.T) {
	j := create(t, strict, Options{poll: 1000 * time.Hour})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen := make(chan error)
	go func() {
		for _, err := range j.Follow(ctx, 0) {
			select {
			case seen <- err:
			case <-ctx.Done():
				return
			}
		}
	}()
	for range 50 {
		mustAppend(t, j, "a")
		if err := waittest.For(t, "the record", seen); err != nil {
			t.Fatal(err)
		}
	}
}

// followers is the number of followers.
func TestFollowEnds(t *testing.T) {
	goroutines := runtime.NumGoroutine()
	end := func(what func(*Journal, context.CancelFunc)) error {
		j := create(t, strict, Options{})
		mustAppend(t, j, "a", "b")
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
		defer cancel()
		_, err := follow(ctx, reopen(t, j), 0, 2) // the existing ones
		if err != nil {
			t.Error(err)
		}
		// The change comes after the follower has read a record: one that begins after
		// the change would wait in the changed file.
		for _, err = range j.Follow(ctx, 1) {
			if err != nil {
				return err
			}
			go what(j, cancel)
		}
		return errors.New("the follower ended without an error")
	}
	if err := end(func(_ *Journal, cancel context.CancelFunc) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := end(func(j *Journal, _ context.CancelFunc) { j.Close() }); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := end(func(j *Journal, _ context.CancelFunc) { os.Remove(j.Path()) }); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removed: %v", err)
	}
	if err := end(func(j *Journal, _ context.CancelFunc) { os.Truncate(j.Path(), 5) }); !errors.Is(err, ErrChanged) {
		t.Errorf("cut: %v", err)
	}
	if err := end(func(j *Journal, _ context.CancelFunc) {
		os.Rename(j.Path(), j.Path()+".old")
		os.WriteFile(j.Path(), []byte("{\"n\":0}\n{\"n\":1}\n{\"n\":2}\n"), 0o644)
	}); !errors.Is(err, ErrChanged) && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("replaced: %v", err)
	}
	if err := end(func(j *Journal, _ context.CancelFunc) {
		appendBytes(t, j.Path(), "damage\n"+string(text(3, "x"))+"\n")
	}); !errors.As(err, new(*DamageError)) {
		t.Errorf("damaged: %v", err)
	}
	waittest.Until(t, "the goroutines of followers to end", func() bool { return runtime.NumGoroutine() <= goroutines })
}

// A torn record is not yielded; the one that replaces it is.
func TestFollowPastTorn(t *testing.T) {
	j := create(t, strict, Options{})
	mustAppend(t, j, "a")
	appendBytes(t, j.Path(), `{"n":1,"text":"torn`)
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	time.AfterFunc(10*time.Millisecond, func() { reopen(t, j).Append(ctx, Any(), add("b")) })
	list, err := follow(ctx, j, 0, 2)
	if err != nil || list[1] != string(text(1, "b")) {
		t.Errorf("%q, %v", list, err)
	}
}

// A slow reader does not block writers.
func TestSlowFollower(t *testing.T) {
	j := create(t, strict, Options{})
	mustAppend(t, j, "a")
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	got := 0
	for range j.Follow(ctx, 0) {
		if got++; got == 1 {
			for range 200 {
				mustAppend(t, j, "b")
			}
		}
		if got == 201 {
			break
		}
	}
	if ctx.Err() != nil {
		t.Errorf("%d records", got)
	}
}

// FollowAfter continues after a record only if that is still in its place.
func TestFollowAfter(t *testing.T) {
	for _, format := range []Format{strict, tolerant} {
		j := create(t, format, Options{})
		mustAppend(t, j, "0", "1", "2")
		known, err := j.Get(format.First + 1)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
		defer cancel()
		mustAppend(t, reopen(t, j), "3")
		next := known.Pos + 1
		for rec, err := range j.FollowAfter(ctx, known) {
			if err != nil || rec.Pos != next {
				t.Fatalf("%d, %v, want %d", rec.Pos, err, next)
			}
			if next++; next == format.First+4 {
				break
			}
		}
		for _, content := range []string{"short", string(known.Line) + "\n" + string(known.Line) + "\n" + string(known.Line) + "\n"} {
			if err := os.WriteFile(j.Path()+".new", []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(j.Path()+".new", j.Path()); err != nil {
				t.Fatal(err)
			}
			wrong := known
			wrong.Offset++
			for _, err := range j.FollowAfter(ctx, wrong) {
				if !errors.Is(err, ErrChanged) {
					t.Errorf("%v", err)
				}
			}
		}
	}
}

// A line without a newline is yielded when it has one, and only once.
func TestFollowAfterFragment(t *testing.T) {
	j := create(t, tolerant, Options{})
	mustAppend(t, j, "0")
	f, err := os.OpenFile(j.Path(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(text(tolerant.First+1, "1")); err != nil {
		t.Fatal(err)
	}
	known, err := j.Get(tolerant.First + 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	time.AfterFunc(20*time.Millisecond, func() { f.Write([]byte("\n" + string(text(tolerant.First+2, "2")) + "\n")) })
	for rec, err := range j.FollowAfter(ctx, known) {
		if err != nil || rec.Pos != tolerant.First+2 {
			t.Errorf("%d, %v", rec.Pos, err)
		}
		break
	}
}
