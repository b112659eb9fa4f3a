// Package killtest kills processes at random moments, for tests of what is on the
// disk afterwards.
package killtest

import (
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
)

// Plan describes processes that work until they are killed and report on standard
// output what they have done.
type Plan struct {
	Processes int                     // running at once
	Kills     int                     // after each kill another process starts
	Pause     time.Duration           // between two kills, at most
	Start     func(i int) *exec.Cmd   // returns the i-th process, not started
	Collect   func(stdout io.Reader)  // reads the output of one process to its end; called concurrently
	Seen      func() (something bool) // whether the output shows the thing under test
}

// Run executes the plan. It returns when all processes have ended and all of their
// output is collected. The test fails if Seen stays false.
func (p Plan) Run(t testing.TB) {
	t.Helper()
	var wg sync.WaitGroup
	var running []*exec.Cmd
	defer func() { // also when one cannot be started
		for _, cmd := range running {
			cmd.Process.Kill()
		}
		wg.Wait()
	}()
	start := func(i int) {
		cmd := p.Start(i)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() { p.Collect(out); cmd.Wait() })
		running = append(running, cmd)
	}
	for i := range p.Processes {
		start(i)
	}
	for i := range p.Kills {
		time.Sleep(rand.N(p.Pause))
		victim := rand.IntN(len(running))
		running[victim].Process.Kill()
		running = slices.Delete(running, victim, victim+1)
		start(p.Processes + i)
	}
	// On a machine that stalls for some seconds, all kills may come before any
	// process has done anything.
	if !waittest.Within(waittest.Limit, p.Seen) {
		t.Error("every kill came too early: the test saw nothing")
	}
}
