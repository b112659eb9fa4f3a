package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

// counting counts what an engine answers to appends.
type counting struct {
	engine.Engine
	ok, conflict, unknown, unavailable *atomic.Int64
}

func (c counting) Append(ctx context.Context, batches ...engine.Batch) error {
	err := c.Engine.Append(ctx, batches...)
	for _, outcome := range []struct {
		is    bool
		count *atomic.Int64
	}{{err == nil, c.ok}, {errors.Is(err, engine.ErrConflict), c.conflict}, {errors.Is(err, engine.ErrUnknown), c.unknown}, {errors.Is(err, engine.ErrUnavailable), c.unavailable}} {
		if outcome.is {
			outcome.count.Add(1)
		}
	}
	return err
}

// storm is several writers of a cluster whose leader is killed.
type storm struct {
	t       *testing.T
	c       *natstest.Cluster
	stream  string
	confirm atomic.Int64 // appends that were confirmed
	stall   atomic.Int64 // the longest append, in nanoseconds
	counts  counting

	mu    sync.Mutex
	acked map[string]map[uint64]string // by log and number
}

// writers is the number of writers, each with a connection of its own.
const writers = 8

// TestLeaderKilled has 8 writers append while the leader is killed and started again
// several times. HANDOFF_JETSTREAM_APPENDS is the number of appends; 100,000 take
// minutes.
func TestLeaderKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take many seconds")
	}
	t.Parallel()
	total := 4_000
	if text := os.Getenv("HANDOFF_JETSTREAM_APPENDS"); text != "" {
		var err error
		if total, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	s := &storm{t: t, c: natstest.Start(t, natstest.Options{Nodes: 3, SyncAlways: true}), stream: "storm", acked: map[string]map[uint64]string{}}
	s.counts = counting{ok: new(atomic.Int64), conflict: new(atomic.Int64), unknown: new(atomic.Int64), unavailable: new(atomic.Int64)}
	open(t, s.c, s.stream)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began := time.Now()
	var all sync.WaitGroup
	for who := range writers {
		e := open(t, s.c, s.stream)
		all.Go(func() {
			if err := s.write(ctx, e, who, total/writers); err != nil && ctx.Err() == nil {
				t.Errorf("writer %d: %v", who, err)
			}
			if t.Failed() {
				cancel()
			}
		})
	}
	kills := s.kill(ctx, total)
	all.Wait()
	took := time.Since(began)
	s.check(total)
	t.Logf("%d appends by %d writers in %.1f s, leader killed %d times: %d conflicts, %d unknown, %d unavailable; longest append %.1f s; nothing lost, doubled or out of order",
		s.confirm.Load(), writers, took.Seconds(), kills, s.counts.conflict.Load(), s.counts.unknown.Load(), s.counts.unavailable.Load(), time.Duration(s.stall.Load()).Seconds())
}

// kill kills the leader each time another part of the appends is done, and starts it
// again later.
func (s *storm) kill(ctx context.Context, total int) (kills int) {
	times := max(2, total/20_000)
	reached := func(part int) {
		waittest.Until(s.t, fmt.Sprintf("%d appends", total*part/(2*times+1)), func() bool { return ctx.Err() != nil || s.confirm.Load() >= int64(total*part/(2*times+1)) })
	}
	for i := range times {
		reached(2*i + 1)
		if ctx.Err() != nil {
			return kills
		}
		leader := s.c.WaitLeader(s.stream)
		s.c.Kill(leader)
		kills++
		reached(2*i + 2) // without that node
		s.c.Restart(leader)
		s.c.WaitHealthy()
	}
	return kills
}

// write appends to a log of its own, and each tenth time to one of all writers.
func (s *storm) write(ctx context.Context, e engine.Engine, who, n int) error {
	e = counting{e, s.counts.ok, s.counts.conflict, s.counts.unknown, s.counts.unavailable}
	own, next := fmt.Sprintf("tape/%d.jsonl", who), uint64(0)
	for i := range n {
		record := fmt.Sprintf(`{"writer":%d,"n":%d,"text":%q}`, who, i, strings.Repeat("x", 900))
		began := time.Now()
		var err error
		log, at := own, next
		if i%10 == 9 {
			log = "shared.jsonl"
			at, err = atEnd(ctx, e, log, record)
		} else {
			next++
			err = engine.Append(ctx, e, waittest.Limit, engine.Batch{Log: log, Expected: at, Records: [][]byte{[]byte(record)}})
		}
		if err != nil {
			return fmt.Errorf("append %d to %s: %w", at, log, err)
		}
		s.done(log, at, record, time.Since(began))
		if i%16 != 0 {
			continue
		}
		if length, err := eventually(ctx, func() (uint64, error) { return e.Len(ctx, log) }); err != nil || length <= at {
			return fmt.Errorf("%s has %d records after record %d was confirmed, %v", log, length, at, err)
		}
	}
	return nil
}

// atEnd appends a record to whatever a log has.
func atEnd(ctx context.Context, e engine.Engine, log, record string) (uint64, error) {
	for {
		at, err := eventually(ctx, func() (uint64, error) { return e.Len(ctx, log) })
		if err != nil {
			return 0, err
		}
		err = engine.Append(ctx, e, waittest.Limit, engine.Batch{Log: log, Expected: at, Records: [][]byte{[]byte(record)}})
		if !errors.Is(err, engine.ErrConflict) {
			return at, err
		}
	}
}

// eventually repeats a question while the store cannot be reached.
func eventually[T any](ctx context.Context, ask func() (T, error)) (answer T, err error) {
	waittest.Within(waittest.Limit, func() bool {
		answer, err = ask()
		return !errors.Is(err, engine.ErrUnavailable) || ctx.Err() != nil
	})
	return answer, err
}

func (s *storm) done(log string, at uint64, record string, took time.Duration) {
	s.confirm.Add(1)
	for old := s.stall.Load(); old < int64(took) && !s.stall.CompareAndSwap(old, int64(took)); old = s.stall.Load() {
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.acked[log] == nil {
		s.acked[log] = map[uint64]string{}
	}
	if other, taken := s.acked[log][at]; taken {
		s.t.Errorf("record %d of %s was confirmed for two writers: %.40s and %.40s", at, log, other, record)
	}
	s.acked[log][at] = record
}

// check reads all logs, as a new process does, and compares them with the results of
// the writers.
func (s *storm) check(total int) {
	s.t.Helper()
	e := open(s.t, s.c, s.stream)
	ctx := waittest.Context(s.t)
	records := 0
	for log, acked := range s.acked {
		n, err := eventually(ctx, func() (uint64, error) {
			n := uint64(0)
			for record, err := range e.Read(ctx, log, 0) {
				if err != nil {
					return 0, err
				}
				if record.Number != n || string(record.Data) != acked[n] {
					return 0, fmt.Errorf("record %d has the number %d and is %.40s, but %.40q was confirmed", n, record.Number, record.Data, acked[n])
				}
				n++
			}
			return n, nil
		})
		if err != nil || n != uint64(len(acked)) {
			s.t.Errorf("%s has %d records, %d were confirmed, %v", log, n, len(acked), err)
		}
		records += len(acked)
	}
	if records != total/writers*writers && !s.t.Failed() {
		s.t.Errorf("%d records were confirmed, want %d", records, total)
	}
}

// TestMinority kills two of three nodes. The third one must neither confirm an append
// nor hang, and nothing may be lost after they restart.
func TestMinority(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take many seconds")
	}
	t.Parallel()
	c := natstest.Start(t, natstest.Options{Nodes: 3})
	e, ctx := open(t, c, "minority"), waittest.Context(t)
	batch := func(at uint64) engine.Batch {
		return engine.Batch{Log: "a.jsonl", Expected: at, Records: [][]byte{fmt.Appendf(nil, "record %d", at)}}
	}
	if err := engine.Append(ctx, e, waittest.Limit, batch(0)); err != nil {
		t.Fatal(err)
	}
	leader := c.WaitLeader("minority")
	for i := range 3 {
		if i != leader { // the leader is left alone, and does not know it yet
			c.Kill(i)
		}
	}
	waittest.Until(t, "ErrUnavailable", func() bool {
		err := e.Append(ctx, batch(1))
		if err == nil || !errors.Is(err, engine.ErrUnknown) && !errors.Is(err, engine.ErrUnavailable) {
			t.Fatalf("a minority answers an append with %v", err)
		}
		return errors.Is(err, engine.ErrUnavailable)
	})
	waittest.Until(t, "reads that fail", func() bool {
		_, err := e.Len(ctx, "a.jsonl")
		if err != nil && !errors.Is(err, engine.ErrUnavailable) {
			t.Fatalf("a minority answers a read with %v", err)
		}
		return err != nil
	})
	for i := range 3 {
		if i != leader {
			c.Restart(i)
		}
	}
	for at := uint64(1); at < 4; at++ {
		// The first of them may be there: it was unknown whether it was written.
		if err := engine.Append(ctx, e, waittest.Limit, batch(at)); err != nil && !(at == 1 && errors.Is(err, engine.ErrConflict)) {
			t.Fatal(err)
		}
	}
	n := uint64(0)
	waittest.Until(t, "all records", func() bool { // the nodes that came back may elect again meanwhile
		n = 0
		for record, err := range e.Read(ctx, "a.jsonl", 0) {
			if errors.Is(err, engine.ErrUnavailable) {
				return false
			}
			if want := fmt.Sprint("record ", n); err != nil || string(record.Data) != want {
				t.Fatalf("%q, %v, want %q", record.Data, err, want)
			}
			n++
		}
		return true
	})
	if n != 4 {
		t.Errorf("%d records, want 4", n)
	}
}
