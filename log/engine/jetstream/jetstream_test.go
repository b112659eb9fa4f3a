package jetstream

import (
	"fmt"
	"sync/atomic"
	"testing"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
)

// open opens a stream and creates it if it does not exist.
func open(t *testing.T, c *natstest.Cluster, stream string) *Engine {
	t.Helper()
	ctx := waittest.Context(t)
	e, err := eventually(ctx, func() (*Engine, error) {
		return Open(ctx, Options{Servers: c.Addresses(), Stream: stream, Create: true})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// conforms runs the tests of engines, each case on a stream of its own.
func conforms(t *testing.T, c *natstest.Cluster, has enginetest.Supports) {
	var streams atomic.Int64
	has.Batches, has.Blobs = true, true
	has.Another = func(t *testing.T, first engine.Engine) engine.Engine { return open(t, c, first.(*Engine).o.Stream) }
	enginetest.Run(t, func(t *testing.T) engine.Engine { return open(t, c, fmt.Sprint("case-", streams.Add(1))) }, has)
}

// A single server writes each atomic batch to a folder of its own first, which makes
// them slow, so there are fewer rounds than usual.
func TestEngine(t *testing.T) {
	conforms(t, natstest.Start(t, natstest.Options{Nodes: 1}), enginetest.Supports{Rounds: 8})
}

func TestEngineOnCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("TestEngine is short")
	}
	conforms(t, natstest.Start(t, natstest.Options{Nodes: 3}), enginetest.Supports{Rounds: 8})
}
