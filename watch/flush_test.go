package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
)

// flush is Flush with a file of its own.
func flush(t *testing.T, w *Watcher) error {
	t.Helper()
	f, err := os.CreateTemp(t.TempDir(), "flush")
	if err != nil {
		t.Error(err)
		return nil
	}
	defer f.Close()
	ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
	defer cancel()
	return w.Flush(ctx, f.Name(), func() error { _, err := f.WriteString("x"); return err })
}

// TestFlush: what was written before a flush is waiting after it, until the reader is done
// with it.
func TestFlush(t *testing.T) {
	for _, poll := range []bool{false, true} {
		root := t.TempDir()
		put(t, root, "specs/1_a"+doc, "x")
		w := Open(Options{Root: root, Poll: poll, PollEvery: time.Hour, Quiet: 5 * time.Millisecond})
		defer w.Close()
		for range w.First {
		}
		for i := range 50 {
			task := fmt.Sprintf("specs/%d_a", 1+i%7)
			put(t, root, task+doc, fmt.Sprint(i))
			if err := flush(t, w); err != nil || w.Waiting() == 0 {
				t.Fatalf("poll %v: nothing waits after a write (%v)", poll, err)
			}
			for w.Waiting() > 0 {
				select {
				case <-w.Dirty:
					if w.Waiting() == 0 {
						t.Fatalf("poll %v: nothing waits before the reader is done", poll)
					}
					w.Done()
				case <-time.After(time.Millisecond):
				}
			}
		}
	}
}

// TestFlushDuringScans: a flush ends while everything is watched again, and nothing that
// was written before it is forgotten.
func TestFlushDuringScans(t *testing.T) {
	root := t.TempDir()
	for i := range 50 {
		put(t, root, fmt.Sprintf("specs/%d_a", i)+doc, "x")
	}
	w := Open(Options{Root: root})
	defer w.Close()
	for range w.First {
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				w.Rescan()
				if w.Waiting() == 0 {
					t.Error("a scan was requested, and nothing waits")
				}
				if err := flush(t, w); err != nil {
					t.Error(err)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { wg.Wait(); close(ended) }()
	for open := true; open; {
		select {
		case <-w.Dirty:
			w.Done()
		case <-ended:
			open = false
		}
	}
	waittest.Until(t, "nothing to wait", func() bool {
		select {
		case <-w.Dirty:
			w.Done()
		default:
		}
		return w.Waiting() == 0
	})
}

// TestFlushEnds returns when the watch has ended, and when the file cannot be watched.
func TestFlushEnds(t *testing.T) {
	root := t.TempDir()
	w := Open(Options{Root: root})
	for range w.First {
	}
	if err := w.Flush(t.Context(), filepath.Join(root, "missing"), func() error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that does not exist: %v", err)
	}
	w.Close()
	for range w.Dirty {
	}
	if err := flush(t, w); !errors.Is(err, errEnded) {
		t.Errorf("after the end: %v", err)
	}
}
