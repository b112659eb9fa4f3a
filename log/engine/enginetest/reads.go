package enginetest

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

var readCases = []testCase{
	{"reading from a number", func(r *run) {
		r.must(batch("a.jsonl", 0, "0", "1", "2", "3"))
		for from, want := range [][]string{{"0", "1", "2", "3"}, {"1", "2", "3"}, {"2", "3"}, {"3"}, nil, nil} {
			if got := r.read(r, "a.jsonl", uint64(from)); !slices.Equal(got, want) {
				r.Errorf("from %d: %q, want %q", from, got, want)
			}
		}
		if got := r.read(r, "a.jsonl", 1<<40); got != nil {
			r.Errorf("from far beyond the end: %q", got)
		}
	}},
	{"reading ends at the last record that there was", func(r *run) {
		r.must(batch("a.jsonl", 0, "0", "1", "2"))
		n := uint64(3)
		for record, err := range r.Read(r.ctx, "a.jsonl", 0) {
			if err != nil {
				r.Fatal(err)
			}
			if record.Number > 2 {
				r.Fatalf("it returned record %d, which was appended while it read", record.Number)
			}
			r.must(batch("a.jsonl", n, fmt.Sprint(n)))
			n++
		}
		r.holds(r, "a.jsonl", "0", "1", "2", "3", "4", "5")
	}},
	{"reading can stop early", func(r *run) {
		for i := range uint64(50) {
			r.must(batch("a.jsonl", 2*i, fmt.Sprint(2*i), fmt.Sprint(2*i+1)))
		}
		for range 20 {
			for record, err := range r.Read(r.ctx, "a.jsonl", 10) {
				if err != nil || record.Number != 10 {
					r.Fatal(record.Number, err)
				}
				break
			}
			for range r.List(r.ctx, "") {
				break
			}
		}
		if got := r.read(r, "a.jsonl", 98); !slices.Equal(got, []string{"98", "99"}) {
			r.Error(got)
		}
	}},
	{"a read after the end of its context is an error", func(r *run) {
		r.must(batch("a.jsonl", 0, "0"))
		ctx, cancel := context.WithCancel(r.ctx)
		cancel()
		for _, err := range r.Read(ctx, "a.jsonl", 0) {
			if err != nil {
				return
			}
		}
		r.Error("it returned no error, so its caller takes the log for complete")
	}},
	{"an invalid name is not a missing log", func(r *run) {
		if n, err := r.Len(r.ctx, "../a.jsonl"); err == nil {
			r.Errorf("Len = %d", n)
		}
		for _, err := range r.Read(r.ctx, "../a.jsonl", 0) {
			if err != nil {
				return
			}
		}
		r.Error("Read returned no error")
	}},
	{"listing by prefix", func(r *run) {
		for _, name := range []string{"threads/b.jsonl", "threads.jsonl", "tape/x.jsonl", "threads/a.jsonl", "receipts/1.jsonl", "threads/ab.jsonl", "sessions/a.jsonl"} {
			r.must(batch(name, 0, "1", "2"))
		}
		r.lists("", "receipts/1.jsonl", "sessions/a.jsonl", "tape/x.jsonl", "threads.jsonl", "threads/a.jsonl", "threads/ab.jsonl", "threads/b.jsonl")
		r.lists("threads/", "threads/a.jsonl", "threads/ab.jsonl", "threads/b.jsonl")
		r.lists("threads", "threads.jsonl", "threads/a.jsonl", "threads/ab.jsonl", "threads/b.jsonl")
		r.lists("threads/a", "threads/a.jsonl", "threads/ab.jsonl")
		r.lists("threads/a.jsonl", "threads/a.jsonl")
		r.lists("none")
	}},
}

var watchCases = []testCase{
	{"a watch that stops while its context ends returns nothing more", func(r *run) {
		r.must(batch("a.jsonl", 0, "0", "1"))
		ctx, cancel := context.WithCancel(r.ctx)
		defer cancel()
		for range r.Watch(ctx, "a.jsonl", 0) { // a record more would be a panic
			cancel()
			break
		}
	}},
	{"a watch continues after the end", func(r *run) {
		other := r.handles(2)[1]
		r.must(batch("a.jsonl", 0, "0", "1"))
		whole, late := r.watch("a.jsonl", 0), r.watch("a.jsonl", 3)
		whole.gets("0", "1")
		for i := uint64(2); i < 8; i++ {
			if err := engine.Append(r.ctx, other, engine.Budget, batch("a.jsonl", i, fmt.Sprint(i))); err != nil {
				r.Fatal(err)
			}
			whole.gets(fmt.Sprint(i))
		}
		late.gets("3", "4", "5", "6", "7")
	}},
	{"a watch waits for a log that is created later", func(r *run) {
		w := r.watch("later.jsonl", 0)
		r.must(batch("other.jsonl", 0, "no"))
		r.must(batch("later.jsonl", 0, "0", "1"))
		r.must(batch("later.jsonl", 2, "2"))
		w.gets("0", "1", "2")
	}},
	{"a watch ends with its context", func(r *run) {
		r.must(batch("a.jsonl", 0, "0"))
		w := r.watch("a.jsonl", 0)
		w.gets("0")
		w.cancel()
		waittest.Until(r, "the watch to end", w.ended.Load)
	}},
	{"a watch returns records that were appended while it began", func(r *run) {
		for round := range uint64(r.has.Rounds) {
			log := fmt.Sprintf("tape/%d.jsonl", round)
			w := r.watch(log, 0)
			r.must(batch(log, 0, "0"))
			w.gets("0")
			w.cancel()
		}
	}},
}

// watching is a watch in its own goroutine.
type watching struct {
	r       *run
	log     string
	next    uint64
	records chan engine.Record
	cancel  func()
	ended   atomic.Bool
}

func (r *run) watch(log string, from uint64) *watching {
	ctx, cancel := context.WithCancel(r.ctx)
	w := &watching{r: r, log: log, next: from, records: make(chan engine.Record, 1_000), cancel: cancel}
	r.Cleanup(func() {
		cancel()
		waittest.Until(r, "the watch of "+log+" to end", w.ended.Load)
	})
	go func() {
		defer w.ended.Store(true)
		for record, err := range r.Engine.Watch(ctx, log, from) {
			if err != nil {
				if ctx.Err() == nil {
					r.Errorf("watch %s: %v", log, err)
				}
				return
			}
			w.records <- record
		}
	}()
	return w
}

// gets waits for the next records.
func (w *watching) gets(want ...string) {
	w.r.Helper()
	for _, text := range want {
		got := waittest.For(w.r, fmt.Sprintf("record %d of %s", w.next, w.log), w.records)
		if got.Number != w.next || string(got.Data) != text {
			w.r.Fatalf("watch %s: record %d %.80q, want %d %.80q", w.log, got.Number, got.Data, w.next, text)
		}
		w.next++
	}
}
