//go:build linux

package main

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// besideClients is the number of HTTP clients that run while processes post.
const besideClients = 16

// beside starts processes that post one message each, all at once, to a thread:
// first while the server is idle, then while its clients post to the same
// thread nonstop. Neither side may starve.
func beside(b build, processes int) error {
	s, err := serve(b.handoff, b.folder)
	if err != nil {
		return err
	}
	t, err := s.target("thread", 1)
	if err != nil {
		return errors.Join(err, s.stop())
	}
	err = errors.Join(t.post(b, processes, "server idle", "idle"), t.postBeside(b, processes))
	return errors.Join(err, s.stop())
}

func (t *target) postBeside(b build, processes int) error {
	var ended atomic.Bool
	served := make(chan error, 1)
	var requests []time.Duration
	start := time.Now()
	go func() {
		var err error
		requests, err = t.until(&ended)
		served <- err
	}()
	err := t.post(b, processes, fmt.Sprintf("beside %d clients of the server", besideClients), "beside")
	ended.Store(true)
	if err = errors.Join(err, <-served); err == nil {
		fmt.Printf("| %d | these clients meanwhile | %.0f | %s | – | – | – |\n", besideClients, float64(len(requests))/time.Since(start).Seconds(), spread(requests))
	}
	return err
}

// post starts the processes, and checks that each message is in the thread.
func (t *target) post(b build, n int, how, mark string) error {
	start := time.Now()
	took, err := t.processes(b, n, mark)
	whole := time.Since(start)
	if err != nil {
		return err
	}
	text, err := t.content()
	lost, doubled := 0, 0
	for p := range n {
		switch found := strings.Count(text[0], `"`+processText(mark, p)+`"`); {
		case found == 0:
			lost++
		case found > 1:
			doubled++
		}
	}
	fmt.Printf("| %d | 1 thread, a process each, %s | %.0f | %s | – | %d | %d |\n", n, how, float64(n)/whole.Seconds(), spread(took), lost, doubled)
	if lost+doubled > 0 {
		err = errors.Join(err, fmt.Errorf("processes: %d lost, %d doubled", lost, doubled))
	}
	return err
}

func processText(mark string, p int) string { return fmt.Sprintf("%s-process-%d-end", mark, p) }

func (t *target) processes(b build, n int, mark string) ([]time.Duration, error) {
	id := strings.TrimSuffix(filepath.Base(t.files[0]), ".jsonl")
	took, errs := make([]time.Duration, n), make([]error, n)
	var all sync.WaitGroup
	for p := range n {
		all.Go(func() {
			start := time.Now()
			out, err := exec.Command(b.handoff, "thread", "post-message", "-C", b.folder, id, "--content", processText(mark, p)).CombinedOutput()
			if took[p] = time.Since(start); err != nil {
				errs[p] = fmt.Errorf("%w: %s", err, out)
			}
		})
	}
	all.Wait()
	return took, cmp.Or(errs...)
}

// until lets clients append until ended is set.
func (t *target) until(ended *atomic.Bool) (took []time.Duration, err error) {
	client, closeAll := newClient(besideClients)
	defer closeAll()
	all, errs := make([][]time.Duration, besideClients), make([]error, besideClients)
	var done sync.WaitGroup
	for c := range besideClients {
		done.Go(func() {
			for n := 0; !ended.Load() && errs[c] == nil; n++ {
				start := time.Now()
				errs[c] = t.append(client, c, n)
				all[c] = append(all[c], time.Since(start))
			}
		})
	}
	done.Wait()
	for _, list := range all {
		took = append(took, list...)
	}
	return took, cmp.Or(errs...)
}
