package drain_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"handoff/internal/testing/natstest"
)

// aServer is how many histories use one server: each has a stream of its own.
const aServer = 100

// totals are the results of all histories.
type totals struct {
	mu  sync.Mutex
	did map[string]int
}

// histories runs those of some seeds, several at once: they wait most of the time.
func (all *totals) histories(t *testing.T, kind string, from, to uint64) {
	server := ""
	if kind == "nats" {
		server = natstest.Start(t, natstest.Options{Nodes: 1}).Addresses()[0]
	}
	for seed := from; seed < to; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			h := &history{t: t}
			defer func() {
				if failed := recover(); failed != nil {
					t.Errorf("%v", failed)
				}
				if t.Failed() {
					t.Log("\n" + strings.Join(h.steps, "\n"))
				}
			}()
			h.begin(kind, server, seed)
			h.run()
			all.mu.Lock()
			defer all.mu.Unlock()
			for what, n := range h.did {
				all.did[what] += n
			}
		})
	}
}
