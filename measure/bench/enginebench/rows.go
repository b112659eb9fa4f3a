package main

import (
	"context"
	"fmt"
	"time"

	"handoff/measure/bench/internal/bench"
)

// row is one kind of work. do does it for the i-th time and returns the time of the part
// that is measured.
type row struct {
	name  string
	times int
	do    func(c client, i int) (time.Duration, error)
}

// rows are ordered so that each finds the records that earlier ones have written.
func rows(ctx context.Context, n int) []row {
	length := uint64(n)
	put := func(size, salt int) func(c client, i int) (time.Duration, error) {
		return func(c client, i int) (time.Duration, error) {
			id, data := blob(salt+i, size)
			return clock(func() error { return c.put(ctx, id, data) })
		}
	}
	get := func(size, salt int) func(c client, i int) (time.Duration, error) {
		return func(c client, i int) (took time.Duration, err error) {
			id, data := blob(salt+i, size)
			var got []byte
			took, err = clock(func() error { got, err = c.get(ctx, id, size); return err })
			return took, check(got, data, err)
		}
	}
	const small, large = 4 << 10, 4 << 20
	few, fewer := max(n/5, 10), max(n/25, 10)
	return []row{
		{"append 1 KB", n, func(c client, i int) (time.Duration, error) {
			return clock(func() error { return c.append(ctx, uint64(i), event(uint64(i))) })
		}},
		{"tail read", n, func(c client, i int) (took time.Duration, err error) {
			var got []byte
			took, err = clock(func() error { got, err = c.tail(ctx, length); return err })
			return took, check(got, event(length-1), err)
		}},
		{fmt.Sprintf("read %d records", n), fewer, func(c client, i int) (time.Duration, error) {
			return clock(func() error {
				got, err := c.all(ctx)
				if err == nil && got != n {
					err = fmt.Errorf("read %d records, want %d", got, n)
				}
				return err
			})
		}},
		{"blob put 4 KiB", few, put(small, 1)},
		{"blob get 4 KiB", few, get(small, 1)},
		{"blob put 4 MiB", fewer, put(large, 1<<20)},
		{"blob get 4 MiB", fewer, get(large, 1<<20)},
	}
}

// bar is how many times the median of the first contender the last may take.
const bar = 1.2

// measure prints a table. The contenders take turns, because other load on the machine
// must affect both alike.
func measure(ctx context.Context, n int, all ...contender) error {
	head, line := "| p50 µs (p99) |", "|---|"
	for _, c := range all {
		head, line = head+" "+c.name+" |", line+"---:|"
	}
	if len(all) > 1 {
		head, line = head+" ratio | |", line+"---:|---|"
	}
	fmt.Printf("%s\n%s\n", head, line)
	list := rows(ctx, n)
	if len(all) > 1 {
		list = append(list, compileRows(ctx, max(n*3/10, 20), max(n/50, 10))...)
	}
	for _, r := range list {
		took := map[string][]time.Duration{}
		for i := range r.times {
			err := bench.Turn(i, all, func(c contender) error {
				t, err := r.do(c.client, i)
				took[c.name] = append(took[c.name], t)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", c.name, r.name, err)
				}
				return nil
			})
			if err != nil {
				return err
			}
		}
		text := "| " + r.name + " |"
		for _, c := range all {
			text += fmt.Sprintf(" %d (%d) |", bench.At(took[c.name], 0.5).Microseconds(), bench.At(took[c.name], 0.99).Microseconds())
		}
		if len(all) > 1 {
			ratio := float64(bench.At(took[all[1].name], 0.5)) / float64(bench.At(took[all[0].name], 0.5))
			verdict := "ok"
			if ratio > bar {
				verdict = "missed"
			}
			text += fmt.Sprintf(" %.2f | %s |", ratio, verdict)
		}
		fmt.Println(text)
	}
	return nil
}
