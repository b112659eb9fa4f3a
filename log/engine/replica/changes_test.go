package replica_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
)

// changer knows the order of appends. Its revision is their number.
type changer struct {
	*enginetest.Memory
	appended []string
	listed   int // logs that it returned
	broken   string
	tails    bool // it returns the last two records of the changes
	mu       sync.Mutex
	read     []string // logs that were read
}

func (c *changer) Append(ctx context.Context, batches ...engine.Batch) error {
	for _, b := range batches {
		c.appended = append(c.appended, b.Log)
	}
	return c.Memory.Append(ctx, batches...)
}

func (c *changer) Changes(ctx context.Context, prefix, since string) (changed []engine.Info, now string, err error) {
	n, _ := strconv.Atoi(since)
	for info, err := range c.List(ctx, prefix) {
		if err != nil {
			return nil, "", err
		}
		if slices.Contains(c.appended[n:], info.Log) {
			if from := info.Len - min(info.Len, 2); c.tails {
				for record := range c.Memory.Read(ctx, info.Log, from) {
					info.Tail = append(info.Tail, record)
				}
			}
			changed = append(changed, info)
			c.listed++
		}
	}
	return changed, strconv.Itoa(len(c.appended)), nil
}

func (c *changer) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	c.mu.Lock()
	c.read = append(c.read, log)
	c.mu.Unlock()
	if log == c.broken {
		return func(yield func(engine.Record, error) bool) { yield(engine.Record{}, errors.New("unreadable")) }
	}
	return c.Memory.Read(ctx, log, from)
}

// A sync looks only at what changed since the last one, by whatever process, and at files
// that are not as they were left.
func TestSyncOfChanges(t *testing.T) {
	store := &changer{Memory: &enginetest.Memory{}}
	add := func(log string, at uint64) {
		t.Helper()
		must(t, store.Append(t.Context(), engine.Batch{Log: log, Expected: at, Records: [][]byte{fmt.Appendf(nil, "%d", at)}}))
	}
	for i := range 100 {
		add(fmt.Sprintf("threads/%03d.jsonl", i), 0)
	}
	dir := t.TempDir()
	path := func(i int) string { return filepath.Join(dir, "threads", fmt.Sprintf("%03d.jsonl", i)) }
	sync := func(listed int) {
		t.Helper()
		store.listed = 0
		if must(t, open(t, store, dir).r.Sync(t.Context())); store.listed != listed {
			t.Errorf("%d logs were listed, want %d", store.listed, listed)
		}
	}
	holds := func(path, text string) {
		t.Helper()
		src, err := os.ReadFile(path)
		must(t, err)
		want(t, string(src), text)
	}
	sync(100)
	sync(0)
	add("threads/007.jsonl", 1)
	must(t, os.Remove(path(8)))
	sync(1)
	holds(path(7), "0\n1\n")
	holds(path(8), "0\n")
	must(t, os.WriteFile(path(9), []byte("0\nnot in the store\n"), 0o644))
	if err := open(t, store, dir).r.Sync(t.Context()); err == nil {
		t.Error("a file that is ahead of its log was not reported")
	}
	must(t, os.Remove(path(9)))

	// What could not be fetched is fetched by the next sync.
	r := open(t, store, dir).r
	must(t, r.Sync(t.Context()))
	add("threads/050.jsonl", 1)
	add("threads/051.jsonl", 1)
	store.broken = "threads/050.jsonl"
	if err := r.Sync(t.Context()); err == nil {
		t.Error("an unreadable log was not reported")
	}
	holds(path(51), "0\n1\n")
	store.broken = ""
	must(t, r.Sync(t.Context()))
	holds(path(50), "0\n1\n")
}

// A sync asks for no records that it has: those that came with the changes, and those
// that another process of the machine has appended to the file.
func TestSyncReadsNothingTwice(t *testing.T) {
	store := &changer{Memory: &enginetest.Memory{}, tails: true}
	dir := t.TempDir()
	add := func(log string, at uint64) {
		t.Helper()
		must(t, store.Append(t.Context(), engine.Batch{Log: log, Expected: at, Records: [][]byte{fmt.Appendf(nil, "%d", at)}}))
	}
	sync := func(read ...string) {
		t.Helper()
		store.read = nil
		if must(t, open(t, store, dir).r.Sync(t.Context())); !slices.Equal(store.read, read) {
			t.Errorf("%q were read, want %q", store.read, read)
		}
	}
	holds := func(log, text string) {
		t.Helper()
		src, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(log)))
		must(t, err)
		want(t, string(src), text)
	}
	const a, b, c = "threads/a.jsonl", "threads/b.jsonl", "threads/c.jsonl"
	add(a, 0)
	add(b, 0)
	add(b, 1)
	add(b, 2)
	sync(b) // its first record did not come with the changes
	sync()  // and the lengths are kept
	add(a, 1)
	sync()
	holds(a, "0\n1\n")
	add(a, 2)
	add(a, 3)
	sync(a) // the last line is compared with a record that did not come
	add(c, 0)
	add(c, 1)
	sync()
	holds(c, "0\n1\n")

	// Another process fetched it meanwhile; this one has an older count.
	add(a, 4)
	must(t, os.WriteFile(filepath.Join(dir, a), []byte("0\n1\n2\n3\n4\n"), 0o644))
	sync()
	holds(a, "0\n1\n2\n3\n4\n")

	// A file with another last line is set aside.
	must(t, os.WriteFile(filepath.Join(dir, a), []byte("0\n1\n2\n3\nX\n"), 0o644))
	add(a, 5)
	sync(a, a) // to compare it, and to fetch it
	holds(a, "0\n1\n2\n3\n4\n5\n")
	holds(a+".aside-1", "0\n1\n2\n3\nX\n")
}
