package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"handoff/internal/file/lockfile"
	"handoff/internal/journal"
	"handoff/measure/bench/internal/bench"
)

// store appends one record and returns when it is fsynced.
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

// openLocked is the floor for a log with several writing processes: each append
// takes a lock between processes, and checks whether another process has
// written since.
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

// openPrepared is the floor for a log with preallocated space: the disk need
// not update the size. Only a program that knows where such a log ends can read
// it. SQLite's write-ahead log works like this once it starts over from its
// beginning.
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
	j, err := journal.Create(context.Background(), filepath.Join(dir, "journal"), frames, journal.Options{}, nil)
	if err != nil {
		return nil, err
	}
	return &store{name: "journal", close: j.Close, append: func(_ uint64, line []byte) error {
		_, err := j.Append(context.Background(), journal.Any(), func(uint64) ([]journal.Line, error) { return journal.Lines([][]byte{line}), nil })
		return err
	}}, nil
}

func durable(dir string, n int) error {
	stores, err := openAll(dir)
	if err != nil {
		return err
	}
	for turn := range max(1, n/bench.TurnOf) {
		err := bench.Turn(turn, stores, func(s *store) error { return s.take(turn) })
		if err != nil {
			return err
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

// take makes the appends of one turn.
func (s *store) take(turn int) error {
	for i := range bench.TurnOf {
		seq := uint64(turn*bench.TurnOf + i)
		line := message(seq)
		start := time.Now()
		if err := s.append(seq, line); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		s.took = append(s.took, time.Since(start))
	}
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
	const others = 4 // after the floors and the journal
	floor, own := bench.At(stores[0].took, 0.5), bench.At(stores[others-1].took, 0.5)
	for _, s := range stores {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.2f |\n", s.name, micro(bench.At(s.took, 0.5)), micro(bench.At(s.took, 0.9)), micro(bench.At(s.took, 0.99)), ratio(bench.At(s.took, 0.5), floor))
	}
	fmt.Println("\n| bar (p50) | measured | |\n|---|---:|---|")
	bar("journal / floor <= 1.3", ratio(own, floor), 1.3)
	for _, s := range stores[others:] {
		bar("journal / "+s.name+" <= 1", ratio(own, bench.At(s.took, 0.5)), 1)
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

func micro(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
