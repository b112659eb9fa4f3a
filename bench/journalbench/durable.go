package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"handoff/internal/journal"
	"handoff/internal/lockfile"
)

// store appends one record and returns when it is on the disk.
type store struct {
	name   string
	append func(seq uint64, line []byte) error
	close  func() error
	took   []time.Duration
}

func openFloor(dir string) (*store, error) {
	f, err := os.OpenFile(filepath.Join(dir, "floor"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	return &store{name: "floor: write and fsync", close: f.Close, append: func(_ uint64, line []byte) error {
		if _, err := f.Write(append(line, '\n')); err != nil {
			return err
		}
		return f.Sync()
	}}, err
}

// openLocked is the floor for a log that several processes may append to: each
// append takes a lock among them, and looks whether another has written since.
func openLocked(dir string) (*store, error) {
	path := filepath.Join(dir, "locked")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	lock := &lockfile.Kept{Path: path + ".lock"}
	closeBoth := func() error { return errors.Join(f.Close(), lock.Close()) }
	return &store{name: "floor under a lock", close: closeBoth, append: func(_ uint64, line []byte) error {
		unlock, err := lock.Lock(context.Background())
		if err != nil {
			return err
		}
		defer unlock()
		if _, err := os.Stat(path); err != nil {
			return err
		}
		if _, err := f.Write(append(line, '\n')); err != nil {
			return err
		}
		return f.Sync()
	}}, nil
}

// openPrepared is the floor for a log whose space was written beforehand: the
// disk is spared the new size. Only a program that knows where such a log ends
// can read it. SQLite's write-ahead log is one, once it has begun again.
func openPrepared(dir string) (*store, error) {
	const space = 16 << 20
	f, err := os.OpenFile(filepath.Join(dir, "prepared"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := f.Write(make([]byte, space)); err != nil {
		return nil, err
	}
	var end int64
	return &store{name: "floor in prepared space", close: f.Close, append: func(_ uint64, line []byte) error {
		n, err := f.WriteAt(append(line, '\n'), end%(space-1<<10))
		if err != nil {
			return err
		}
		end += int64(n)
		return syscall.Fdatasync(int(f.Fd()))
	}}, f.Sync()
}

func openJournal(dir string) (*store, error) {
	j, err := journal.Create(filepath.Join(dir, "journal"), frames, journal.Options{}, nil)
	if err != nil {
		return nil, err
	}
	return &store{name: "journal", close: j.Close, append: func(_ uint64, line []byte) error {
		_, err := j.Append(context.Background(), journal.Any(), func(uint64) ([][]byte, error) { return [][]byte{line}, nil })
		return err
	}}, nil
}

// turnOf is how many appends a store makes before the next one's turn comes, so
// that whatever else the disk does falls on all of them alike.
const turnOf = 50

func durable(dir string, n int) error {
	stores, err := openAll(dir)
	if err != nil {
		return err
	}
	for round := range max(1, n/turnOf) {
		order := slices.Clone(stores)
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, s := range order {
			for i := range turnOf {
				seq := uint64(round*turnOf + i)
				line := message(seq)
				start := time.Now()
				if err := s.append(seq, line); err != nil {
					return fmt.Errorf("%s: %w", s.name, err)
				}
				s.took = append(s.took, time.Since(start))
			}
		}
	}
	for _, s := range stores {
		if err := s.close(); err != nil {
			return err
		}
	}
	report(stores)
	return nil
}

func openAll(dir string) (stores []*store, err error) {
	for _, open := range []func(string) (*store, error){openFloor, openPrepared, openLocked, openJournal, openTidwall, openSQLite, openBolt} {
		s, err := open(dir)
		if err != nil {
			return nil, err
		}
		stores = append(stores, s)
	}
	return stores, nil
}

func report(stores []*store) {
	fmt.Println("| durable append, one writer | p50 µs | p90 | p99 | × floor |\n|---|---:|---:|---:|---:|")
	const others = 4 // behind the floors and the journal
	floor, own := at(stores[0].took, 0.5), at(stores[others-1].took, 0.5)
	for _, s := range stores {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.2f |\n", s.name, micro(at(s.took, 0.5)), micro(at(s.took, 0.9)), micro(at(s.took, 0.99)), ratio(at(s.took, 0.5), floor))
	}
	fmt.Println("\n| bar (p50) | measured | |\n|---|---:|---|")
	bar("journal / floor <= 1.3", ratio(own, floor), 1.3)
	for _, s := range stores[others:] {
		bar("journal / "+s.name+" <= 1", ratio(own, at(s.took, 0.5)), 1)
	}
}

func bar(text string, measured, limit float64) {
	fmt.Printf("| %s | %.2f | %s |\n", text, measured, verdict(measured <= limit))
}

func verdict(ok bool) string {
	if ok {
		return "ok"
	}
	return "missed"
}

func at[T cmp.Ordered](list []T, part float64) T {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(part*float64(len(sorted)-1))]
}

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
