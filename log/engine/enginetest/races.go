package enginetest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

var raceCases = []testCase{
	{"writers of one log", func(r *run) {
		r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
			return appendAtEnd(ctx, e, "a.jsonl", fmt.Sprintf("%d %d", who, round))
		})
		r.holdsEach("a.jsonl", 1)
	}},
	{"writers of several records of one log", func(r *run) {
		r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
			record := fmt.Sprintf("%d %d", who, round)
			return appendAtEnd(ctx, e, "a.jsonl", record, record, record)
		})
		r.holdsEach("a.jsonl", 3)
	}},
	{"writers of different logs", func(r *run) {
		r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
			return engine.Append(ctx, e, waittest.Limit, batch(fmt.Sprintf("tape/%d.jsonl", who), uint64(round), fmt.Sprintf("%d %d", who, round)))
		})
		for who := range r.has.Racers {
			var want []string
			for round := range r.has.Rounds {
				want = append(want, fmt.Sprintf("%d %d", who, round))
			}
			r.holds(r, fmt.Sprintf("tape/%d.jsonl", who), want...)
		}
	}},
	{"one of several creates a log", func(r *run) {
		var mu sync.Mutex
		created := map[string]int{}
		r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
			log := fmt.Sprintf("threads/%d.jsonl", round)
			err := engine.Append(ctx, e, waittest.Limit, batch(log, 0, fmt.Sprint(who)))
			if errors.Is(err, engine.ErrConflict) {
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			created[log]++
			return err
		})
		for round := range r.has.Rounds {
			log := fmt.Sprintf("threads/%d.jsonl", round)
			if n, err := r.Len(r.ctx, log); err != nil || n != 1 || created[log] != 1 {
				r.Errorf("%s: %d writers created it, it has %d records, %v", log, created[log], n, err)
			}
		}
	}},
	{"readers of a log that grows", func(r *run) {
		r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
			if who%2 == 0 {
				return appendAtEnd(ctx, e, "a.jsonl", fmt.Sprintf("%d %d", who, round))
			}
			least, err := e.Len(ctx, "a.jsonl")
			if err != nil {
				return err
			}
			n := uint64(0)
			for record, err := range e.Read(ctx, "a.jsonl", 0) {
				if err != nil {
					return err
				}
				if record.Number != n {
					return fmt.Errorf("record %d has the number %d", n, record.Number)
				}
				n++
			}
			if n < least {
				return fmt.Errorf("%d records were read, but there had been %d", n, least)
			}
			return nil
		})
	}},
}

// race runs a step of each racer in each round, on as many handles of the store as
// there can be, and reports all errors.
func (r *run) race(step func(ctx context.Context, e engine.Engine, who, round int) error) {
	r.Helper()
	var racers sync.WaitGroup
	for who, e := range r.handles(r.has.Racers) {
		racers.Go(func() {
			for round := range r.has.Rounds {
				if err := step(r.ctx, e, who, round); err != nil {
					r.Errorf("racer %d, round %d: %v", who, round, err)
					return
				}
			}
		})
	}
	racers.Wait()
	if r.Failed() {
		r.FailNow()
	}
}

// appendAtEnd appends records to whatever a log has.
func appendAtEnd(ctx context.Context, e engine.Logs, log string, records ...string) error {
	for {
		n, err := e.Len(ctx, log)
		if err != nil {
			return err
		}
		err = engine.Append(ctx, e, waittest.Limit, batch(log, n, records...))
		if !errors.Is(err, engine.ErrConflict) {
			return err
		}
	}
}

// holdsEach ends the case unless a log has the records of all racers, each as many
// times in a row as given, and those of one racer in order.
func (r *run) holdsEach(log string, times int) {
	r.Helper()
	got := r.read(r, log, 0)
	if want := times * r.has.Racers * r.has.Rounds; len(got) != want {
		r.Fatalf("%s has %d records, want %d", log, len(got), want)
	}
	next := map[int]int{}
	for i := 0; i < len(got); i += times {
		var who, round int
		if _, err := fmt.Sscanf(got[i], "%d %d", &who, &round); err != nil {
			r.Fatal(got[i], err)
		}
		if round != next[who] {
			r.Fatalf("record %d is of round %d of racer %d, want round %d", i, round, who, next[who])
		}
		next[who]++
		for j := range times {
			if got[i+j] != got[i] {
				r.Fatalf("record %d is %q: an append was torn apart", i+j, got[i+j])
			}
		}
	}
}
