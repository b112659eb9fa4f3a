package enginetest

import (
	"context"
	"errors"
	"fmt"

	"handoff/internal/testing/waittest"
	"handoff/log/engine"
)

func batchCases(has Supports) []testCase {
	if !has.Batches {
		return []testCase{{"are not supported", func(r *run) {
			if err := r.Append(r.ctx, batch("a.jsonl", 0, "1"), batch("b.jsonl", 0, "1")); !errors.Is(err, engine.ErrUnsupported) {
				r.Errorf("an append to two logs: %v, want ErrUnsupported", err)
			}
			r.lists("")
		}}}
	}
	return []testCase{
		{"several logs in one append", func(r *run) {
			r.must(batch("threads/parent.jsonl", 0, "p0"))
			r.must(batch("threads/child.jsonl", 0, "c0", "c1"), batch("threads/parent.jsonl", 1, "p1"), batch("threads.jsonl", 0, "t0"))
			r.holds(r, "threads/child.jsonl", "c0", "c1")
			r.holds(r, "threads/parent.jsonl", "p0", "p1")
			r.holds(r, "threads.jsonl", "t0")
		}},
		{"a conflict of one log writes to none", func(r *run) {
			r.must(batch("a.jsonl", 0, "a0"))
			r.must(batch("b.jsonl", 0, "b0", "b1"))
			r.conflicts(engine.ConflictError{Log: "b.jsonl", Expected: 1, Len: 2}, batch("a.jsonl", 1, "no"), batch("b.jsonl", 1, "no"))
			r.conflicts(engine.ConflictError{Log: "a.jsonl", Expected: 0, Len: 1}, batch("a.jsonl", 0, "no"), batch("b.jsonl", 2, "no"), batch("c.jsonl", 0, "no"))
			r.holds(r, "a.jsonl", "a0")
			r.holds(r, "b.jsonl", "b0", "b1")
			r.holds(r, "c.jsonl")
			r.lists("", "a.jsonl", "b.jsonl")
		}},
		{"an invalid batch writes to no log", func(r *run) {
			if err := r.Append(r.ctx, batch("a.jsonl", 0, "no"), batch("b.jsonl", 0, "")); !errors.Is(err, engine.ErrInvalid) {
				r.Errorf("%v, want ErrInvalid", err)
			}
			r.lists("")
		}},
		{"racing batches", func(r *run) {
			r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
				for {
					n, err := e.Len(ctx, "a.jsonl")
					if err != nil {
						return err
					}
					record := fmt.Sprintf("%d %d", who, round)
					// in any order, so that an engine that locks logs one by one hangs
					pair := []engine.Batch{batch("a.jsonl", n, record), batch("b.jsonl", n, record)}
					pair[0], pair[1] = pair[who%2], pair[1-who%2]
					if err := engine.Append(ctx, e, waittest.Limit, pair...); !errors.Is(err, engine.ErrConflict) {
						return err
					}
				}
			})
			r.holdsEach("a.jsonl", 1)
			r.holds(r, "b.jsonl", r.read(r, "a.jsonl", 0)...)
		}},
	}
}
