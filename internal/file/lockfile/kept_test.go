package lockfile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
)

// Kept locks exclude each other and locks that are opened each time, also after the
// file was removed.
func TestKeptExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	holders, most := 0, 0
	var mu sync.Mutex
	enter := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		holders += by
		most = max(most, holders)
	}
	var wg sync.WaitGroup
	for i := range 6 {
		kept := Kept{Path: path}
		wg.Go(func() {
			defer kept.Close()
			for n := range 50 {
				lock := kept.Lock
				if i == 0 {
					lock = func(ctx context.Context) (func() error, error) { return Lock(ctx, nofollow.Named, path) }
				}
				unlock, err := lock(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				enter(1)
				time.Sleep(50 * time.Microsecond)
				enter(-1)
				if i == 1 && n%10 == 0 { // as the holder, so that no other process locks it in between
					os.Remove(path)
				}
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if most != 1 {
		t.Errorf("%d held the lock at once", most)
	}
}

func TestKeptIsCalledOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock, err := Lock(context.Background(), nofollow.Named, path)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	kept := Kept{Path: path}
	defer kept.Close()
	if _, err := kept.Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
}

// TestKeptOnceMore: a process that was stopped until its time was up gets a lock that
// is free, unless it was cancelled.
func TestKeptOnceMore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	ctx, cancel := context.WithDeadline(context.Background(), time.Now().Add(-time.Second))
	defer cancel()
	unlock, err := Lock(ctx, nofollow.Named, path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Lock(ctx, nofollow.Named, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held: %v", err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	cancel()
	if _, err := Lock(ctx, nofollow.Named, path); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A locked folder stays locked when everything in it is removed.
func TestTryFolder(t *testing.T) {
	dir := t.TempDir()
	unlock, ok, err := TryFolder(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		needs.Missing(t, "locks of folders", err.Error())
	}
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if _, ok, err := TryFolder(dir); ok || err != nil {
		t.Errorf("held twice: %v, %v", ok, err)
	}
	unlock()
	again, ok, err := TryFolder(dir)
	if err != nil || !ok {
		t.Fatalf("after it was given back: %v, %v", ok, err)
	}
	again()
	if _, ok, err := TryFolder(filepath.Join(dir, "gone")); ok || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v, %v", ok, err)
	}
}
