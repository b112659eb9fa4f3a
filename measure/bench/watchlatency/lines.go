//go:build linux

package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// line is what a watcher printed, and when.
type line struct {
	text string
	at   time.Time
}

func readLines(r *bufio.Reader) <-chan line {
	told := make(chan line, 10_000)
	go func() {
		defer close(told)
		for {
			text, err := r.ReadString('\n')
			if err != nil {
				return
			}
			told <- line{text, time.Now()}
		}
	}()
	return told
}

// lines measures from the close of a new handoff to the line in which a watcher
// reports it, and waits for each line before it writes the next handoff.
func lines(label, dir string, command []string) error {
	return oneByOne(label, dir, command, func(i int) string {
		path, _ := handoff(dir, i)
		return path
	})
}

// rewrites is lines for existing handoffs that are written again, for watchers
// that do not see new files.
func rewrites(label, dir string, command []string) error {
	return oneByOne(label, dir, command, func(i int) string {
		return task(dir, i / *perTask) + "/handoffs/phase-1-handoff-20260212T143022Z.md"
	})
}

func oneByOne(label, dir string, command []string, file func(i int) string) error {
	cmd, stdout, err := spawn(dir, command)
	if err != nil {
		return err
	}
	defer end(cmd)
	told := readLines(stdout)
	var took []time.Duration
	lost := 0
	for i := range *handoffs {
		path := file(i)
		if err := os.WriteFile(path, []byte(document(i)), 0o644); err != nil {
			return err
		}
		closed, limit := time.Now(), time.After(2*time.Second)
		for waiting := true; waiting; {
			select {
			case l := <-told:
				if strings.Contains(l.text, strings.TrimPrefix(path, dir+"/")) {
					took = append(took, l.at.Sub(closed))
					waiting = false
				}
			case <-limit:
				lost++
				waiting = false
			}
		}
		time.Sleep(*pace)
	}
	report(withLost(label, lost), took)
	return nil
}

// stream writes all handoffs to one folder, at a steady pace that does not
// depend on the watcher, and measures from the close of each to its line.
func stream(label, dir string, command []string) error {
	cmd, stdout, err := spawn(dir, command)
	if err != nil {
		return err
	}
	defer end(cmd)
	*perTask = *handoffs
	var (
		mu     sync.Mutex
		closed = map[string]time.Time{} // by base name
		took   []time.Duration
		all    = make(chan struct{})
	)
	told := readLines(stdout)
	go func() {
		defer close(all)
		seen := map[string]bool{}
		for l := range told {
			base := l.text[strings.LastIndexByte(l.text, '/')+1:]
			base = base[:strings.Index(base+".md", ".md")]
			mu.Lock()
			if at, ok := closed[base]; ok && !seen[base] {
				seen[base] = true
				took = append(took, l.at.Sub(at))
			}
			done := len(took) == *handoffs
			mu.Unlock()
			if done {
				return
			}
		}
	}()
	tick := time.NewTicker(*pace)
	defer tick.Stop()
	for i := range *handoffs {
		<-tick.C
		path, _ := handoff(dir, i)
		mu.Lock() // the line may arrive before the time is recorded
		err := os.WriteFile(path, []byte(document(i)), 0o644)
		closed[strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md")] = time.Now()
		mu.Unlock()
		if err != nil {
			return err
		}
	}
	select {
	case <-all:
	case <-time.After(10 * time.Second):
	}
	mu.Lock()
	defer mu.Unlock()
	if len(took) == 0 {
		return fmt.Errorf("%s: never told of any", label)
	}
	report(withLost(label, *handoffs-len(took)), took)
	return nil
}

func withLost(label string, lost int) string {
	if lost == 0 {
		return label
	}
	return fmt.Sprintf("%s (%d never told)", label, lost)
}
