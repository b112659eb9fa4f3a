//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/tape"
)

// durable compares appends of one entry, to copies of the same tape: ours on
// the disk before the next, and without that wait; a bare write and fsync; and
// Bub's, which never waits. They take turns.
func (b bench) durable(path string) error {
	const turns = 4
	took := map[string][]float64{}
	for turn := range turns {
		order := appenders
		if turn%2 == 1 {
			order = slices.Clone(appenders)
			slices.Reverse(order)
		}
		for _, a := range order {
			copied := fmt.Sprintf("%s-%s__x.jsonl", strings.TrimSuffix(path, ".jsonl"), a.name)
			if err := copyOnce(path, copied); err != nil {
				return err
			}
			list, err := a.run(b, copied, max(1, b.appends/turns))
			if err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
			took[a.name] = append(took[a.name], list...)
		}
	}
	fmt.Println("| append of one entry | p50 µs | p90 | p99 | × floor |\n|---|---:|---:|---:|---:|")
	floor := at(took["floor"], 0.5)
	for _, a := range appenders {
		l := took[a.name]
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.2f |\n", a.text, at(l, 0.5), at(l, 0.9), at(l, 0.99), at(l, 0.5)/floor)
	}
	return nil
}

// appender appends n entries and says what each took, in microseconds.
type appender struct {
	name, text string
	run        func(b bench, path string, n int) ([]float64, error)
}

var appenders = []appender{
	{"floor", "floor: write and fsync", func(_ bench, path string, n int) ([]float64, error) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		line := []byte(strings.Repeat("x", 200) + "\n")
		return each(n, func(int) error {
			if _, err := f.Write(line); err != nil {
				return err
			}
			return f.Sync()
		})
	}},
	{"durable", "ours, on the disk", func(_ bench, path string, n int) ([]float64, error) { return appendOurs(path, n, 0) }},
	{"batch", "ours, on the disk within 50 ms", func(_ bench, path string, n int) ([]float64, error) {
		return appendOurs(path, n, 50*time.Millisecond)
	}},
	{"bub", "Bub, never flushed", func(b bench, path string, n int) (list []float64, err error) {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		cmd := exec.Command(b.python, b.script, "append", filepath.Dir(path), name, strconv.Itoa(n))
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, &list)
		}
		return list, err
	}},
}

func appendOurs(path string, n int, batch time.Duration) ([]float64, error) {
	s, err := tape.Open(filepath.Dir(path), tape.Options{Batch: batch})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	t, err := s.File(path)
	if err != nil {
		return nil, err
	}
	if _, err := t.Info(); err != nil { // makes the index, as Bub reads the file
		return nil, err
	}
	return each(n, func(i int) error {
		_, err := t.Append(context.Background(), message(i))
		return err
	})
}

func message(i int) tape.Entry {
	e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": fmt.Sprintf("Look at the next file, mend it, then run the tests (%d)", i)}, nil)
	if err != nil {
		panic(err)
	}
	return e
}

func each(n int, do func(i int) error) (took []float64, err error) {
	for i := range n {
		start := time.Now()
		if err := do(i); err != nil {
			return nil, err
		}
		took = append(took, float64(time.Since(start))/1e3)
	}
	return took, nil
}

func at(list []float64, part float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(part*float64(len(sorted)-1))]
}

// copyOnce copies a file, unless the copy is there.
func copyOnce(from, to string) error {
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o644)
}
