//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"handoff/log/tape"
)

// sample is the cost of one question: CPU and wall time in milliseconds, and
// the number of entries in the answer.
type sample [3]float64

// questions are asked of a newly opened tape, except for "again".
var questions = []struct {
	name, text string
	bar        bool
}{
	{"last", "open, and all behind the last anchor", true},
	{"between", "open, and all between two anchors in the middle", true},
	{"anchors", "open, and the last 20 anchors", true},
	{"first", "the first of these, without an index yet", false},
	{"whole", "open, and the whole tape", false},
	{"again", "all behind the last anchor, once more", false},
}

// peer measures Bub and package tape in turn, each in a process of its own.
func (b measured) peer(path string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder, name := filepath.Dir(path), strings.TrimSuffix(filepath.Base(path), ".jsonl")
	took := map[string][]map[string]sample{}
	for range b.rounds {
		for who, cmd := range map[string]*exec.Cmd{
			"bub":  exec.Command(b.python, b.script, "slices", folder, name),
			"ours": exec.Command(self, "ours", path),
		} {
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			var answer map[string]sample
			if err == nil {
				err = json.Unmarshal(out, &answer)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", who, err)
			}
			took[who] = append(took[who], answer)
		}
	}
	// Bub has no index: its first question costs the same as any other.
	for _, answer := range took["bub"] {
		answer["first"] = answer["last"]
	}
	return compare(took["ours"], took["bub"])
}

func compare(ours, bub []map[string]sample) error {
	fmt.Println("| the same file, in one process each | entries | Bub CPU ms (wall) | ours CPU ms (wall) | times faster |\n|---|---:|---:|---:|---:|")
	var bars []string
	for _, q := range questions {
		o, b := middle(ours, q.name), middle(bub, q.name)
		if o[2] != b[2] {
			return fmt.Errorf("%s: Bub finds %.0f entries, we find %.0f", q.name, b[2], o[2])
		}
		times := b[0] / o[0]
		fmt.Printf("| %s | %.0f | %s (%s) | %s (%s) | %s |\n", q.text, o[2], number(b[0]), number(b[1]), number(o[0]), number(o[1]), number(times))
		if q.bar {
			verdict := "ok"
			if times < 20 {
				verdict = "missed"
			}
			bars = append(bars, fmt.Sprintf("| %s: at least 20 times faster | %s | %s |", q.text, number(times), verdict))
		}
	}
	fmt.Printf("\n| bar (CPU) | measured | |\n|---|---:|---|\n%s\n", strings.Join(bars, "\n"))
	return nil
}

// number formats three significant digits, or more before the decimal point.
func number(x float64) string {
	if x >= 100 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.3g", x)
}

// middle is the median of each number.
func middle(rounds []map[string]sample, name string) (m sample) {
	for i := range m {
		var all []float64
		for _, r := range rounds {
			all = append(all, r[name][i])
		}
		slices.Sort(all)
		m[i] = all[len(all)/2]
	}
	return m
}

// ours asks the questions of a tape in a file, each with a newly opened store.
func ours(path string) error {
	if err := os.RemoveAll(path + ".idx"); err != nil {
		return err
	}
	answers := map[string]sample{}
	for _, q := range []string{"first", "last", "between", "anchors", "whole"} {
		names, err := between(path) // also makes the index, but for "first"
		if q == "first" {
			err = os.RemoveAll(path + ".idx")
		}
		if err != nil {
			return err
		}
		if answers[q], err = timed(func() (int, error) { return opened(path, q, names) }); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	var err error
	answers["again"], err = again(path)
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(answers)
	}
	return err
}

func timed(ask func() (int, error)) (s sample, err error) {
	cpu, start := cpuTime(), time.Now()
	n, err := ask()
	wall := time.Since(start)
	return sample{float64(cpuTime()-cpu) / 1e6, float64(wall) / 1e6, float64(n)}, err
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func opened(path, question string, middle [2]string) (n int, err error) {
	s, err := tape.Open(filepath.Dir(path), tape.Options{})
	if err != nil {
		return 0, err
	}
	defer s.Close()
	t, err := s.File(path)
	if err != nil {
		return 0, err
	}
	switch question {
	case "anchors":
		anchors, err := t.Anchors(20)
		return len(anchors), err
	case "between":
		return count(t, tape.Query{Window: tape.BetweenAnchors(middle[0], middle[1])})
	case "whole":
		return count(t, tape.Query{})
	default:
		return count(t, tape.Query{Window: tape.FromLastAnchor()})
	}
}

func count(t *tape.Tape, q tape.Query) (int, error) {
	entries, err := t.All(q)
	return len(entries), err
}

// between names two consecutive anchors in the middle of the tape.
func between(path string) (names [2]string, err error) {
	s, err := tape.Open(filepath.Dir(path), tape.Options{})
	if err != nil {
		return names, err
	}
	defer s.Close()
	t, err := s.File(path)
	if err != nil {
		return names, err
	}
	anchors, err := t.Anchors(0)
	if err == nil && len(anchors) < 2 {
		err = fmt.Errorf("%s has %d anchors", path, len(anchors))
	}
	if err == nil {
		names = [2]string{anchors[len(anchors)/2].Name, anchors[len(anchors)/2+1].Name}
	}
	return names, err
}

// again asks a store that has already answered a question.
func again(path string) (sample, error) {
	s, err := tape.Open(filepath.Dir(path), tape.Options{})
	if err != nil {
		return sample{}, err
	}
	defer s.Close()
	t, err := s.File(path)
	if err != nil {
		return sample{}, err
	}
	if _, err := count(t, tape.Query{}); err != nil {
		return sample{}, err
	}
	return timed(func() (int, error) { return count(t, tape.Query{Window: tape.FromLastAnchor()}) })
}
