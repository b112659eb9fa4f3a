//go:build unix

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"handoff/log/tape"
	"handoff/measure/bench/internal/bench"
)

// bubTurns is the number of Bub's turns. Bub is another process, which first
// reads the whole tape, so its turns are fewer and longer.
const bubTurns = 4

// durable compares appends of one entry to copies of the same tape: package
// tape with and without an fsync before the next append, a bare write and
// fsync, and Bub, which never fsyncs.
func (b measured) durable(path string) error {
	appenders, err := openAll(path)
	if err != nil {
		return err
	}
	bub := &appender{text: "Bub, never flushed"}
	turns := max(bubTurns, b.appends/bench.TurnOf)
	for turn := range turns {
		if err := bench.Turn(turn, appenders, (*appender).take); err != nil {
			return err
		}
		if turn%(turns/bubTurns) == 0 {
			if err := b.bubAppends(bub, path, b.appends/bubTurns); err != nil {
				return err
			}
		}
	}
	for _, a := range appenders {
		if err := a.close(); err != nil {
			return err
		}
	}
	fmt.Println("| append of one entry | p50 µs | p90 | p99 | × floor |\n|---|---:|---:|---:|---:|")
	floor := bench.At(appenders[0].took, 0.5)
	for _, a := range append(appenders, bub) {
		fmt.Printf("| %s | %.0f | %.0f | %.0f | %.2f |\n", a.text, bench.At(a.took, 0.5), bench.At(a.took, 0.9), bench.At(a.took, 0.99), bench.At(a.took, 0.5)/floor)
	}
	return nil
}

// appender appends an entry, and records how long that took, in microseconds.
type appender struct {
	text   string
	append func(i int) error
	close  func() error
	took   []float64
}

// take makes the appends of one turn.
func (a *appender) take() error {
	for range bench.TurnOf {
		start := time.Now()
		if err := a.append(len(a.took)); err != nil {
			return fmt.Errorf("%s: %w", a.text, err)
		}
		a.took = append(a.took, float64(time.Since(start))/1e3)
	}
	return nil
}

func openAll(path string) (all []*appender, err error) {
	for _, open := range []func(path string) (*appender, error){
		openFloor,
		func(path string) (*appender, error) { return openOurs(path, "ours, on the disk", 0) },
		func(path string) (*appender, error) {
			return openOurs(path, "ours, on the disk within 50 ms", 50*time.Millisecond)
		},
	} {
		copied := fmt.Sprintf("%s-%d__x.jsonl", strings.TrimSuffix(path, ".jsonl"), len(all))
		data, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(copied, data, 0o644)
		}
		if err != nil {
			return nil, err
		}
		a, err := open(copied)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

func openFloor(path string) (*appender, error) {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	line := []byte(strings.Repeat("x", 220) + "\n") // as long as an entry
	return &appender{text: "floor: write and fsync", close: f.Close, append: func(int) error {
		if _, err := f.Write(line); err != nil {
			return err
		}
		return f.Sync()
	}}, err
}

func openOurs(path, text string, batch time.Duration) (*appender, error) {
	s, err := tape.Open(filepath.Dir(path), tape.Options{Batch: batch})
	if err != nil {
		return nil, err
	}
	t, err := s.File(path)
	if err == nil {
		_, err = t.Info() // builds the index; Bub reads the file at this point
	}
	return &appender{text: text, close: s.Close, append: func(i int) error {
		_, err := t.Append(context.Background(), message(i))
		return err
	}}, err
}

func (b measured) bubAppends(a *appender, path string, n int) error {
	cmd := exec.Command(b.python, b.script, "append", filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".jsonl"), strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var took []float64
	if err == nil {
		err = json.Unmarshal(out, &took)
	}
	a.took = append(a.took, took...)
	return err
}

func message(i int) tape.Entry {
	e, err := tape.NewEntry(tape.KindMessage, map[string]string{"role": "user", "content": fmt.Sprintf("Look at the next file, mend it, then run the tests (%d)", i)}, nil)
	if err != nil {
		panic(err)
	}
	return e
}
