// Package killtest kills processes at any moment, for tests of what they
// leave behind.
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

// Plan is a crowd of processes that work until they are killed, and say on
// standard output what they have done.
type Plan struct {
	Processes int                     // at work at once
	Kills     int                     // each makes place for another process
	Pause     time.Duration           // between two kills, at most
	Start     func(i int) *exec.Cmd   // is the i-th process, to be started
	Collect   func(stdout io.Reader)  // takes what one says until it ends; several are called at once
	Seen      func() (something bool) // whether what the test is about was said
}

// Run carries out the plan, and returns when all processes have ended and all
// that they said was taken. The test fails if nothing was seen.
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
	// A machine that stands still for some seconds would have all kills come
	// before anything is done.
	if !waittest.Within(waittest.Limit, p.Seen) {
		t.Error("every kill came too early: the test saw nothing")
	}
}
