package drain_test

import (
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
)

// natsOf is a server, or three, for all histories of a test.
func natsOf(t *testing.T, kind string) *natstest.Cluster {
	if servers[t.Name()] == nil {
		nodes := 1
		if kind == "cluster" {
			nodes = 3
		}
		servers[t.Name()] = natstest.Start(t, natstest.Options{Nodes: nodes})
	}
	return servers[t.Name()]
}

var servers = map[string]*natstest.Cluster{}

// addressOf is the address of a stream on servers.
func addressOf(c *natstest.Cluster, stream string) string {
	return strings.ReplaceAll(strings.Join(c.Addresses(), ","), ",nats://", ",") + "/" + stream
}

// stepsOf is how long a history is. A stream with three copies costs its servers more than one.
func stepsOf(kind string) int {
	if kind == "cluster" {
		return 1000
	}
	return 60
}

// killLeader kills the node that leads the stream. done measures how long the operation took
// that was next, and starts the node again.
func (c *claims) killLeader() (done func()) {
	c.cluster.WaitHealthy()
	leader := c.cluster.WaitLeader(c.stream)
	c.cluster.Kill(leader)
	begin := time.Now()
	return func() {
		c.waited = append(c.waited, time.Since(begin).Round(10*time.Millisecond))
		c.cluster.Restart(leader)
	}
}
