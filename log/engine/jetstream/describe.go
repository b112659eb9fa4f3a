package jetstream

import (
	"context"
	"fmt"
	"strconv"

	"handoff/log/engine"
)

var _ engine.Describer = (*Engine)(nil)

// Describe is [Engine.Status] for people.
func (e *Engine) Describe(ctx context.Context) ([]engine.Fact, error) {
	s, err := e.Status(ctx)
	if err != nil {
		return nil, err
	}
	return s.facts(), nil
}

func (s Status) facts() []engine.Fact {
	server := engine.Fact{Name: "server", Value: fmt.Sprintf("%s, version %s", s.Server, s.Version)}
	if s.Cluster != "" {
		server.Value += fmt.Sprintf(", cluster %s, leader %s", s.Cluster, s.Leader)
	}
	copies := engine.Fact{Name: "replicas", Value: strconv.Itoa(s.Replicas)}
	switch {
	case s.Current < s.Replicas:
		copies.Warning = fmt.Sprintf("%d of %d are up to date: start the other nodes", s.Current, s.Replicas)
	case s.Replicas < 3:
		copies.Value += ": the store is gone while that server is, and lost with its disk; 3 survive the loss of a server"
	}
	return []engine.Fact{server, copies,
		{Name: "payload", Value: fmt.Sprintf("at most %d bytes in a message; longer records are split", s.MaxPayload)},
		{Name: "sync", Value: "not visible to clients: set sync_interval: always on each server, or a power failure can lose records (/jsz on its monitoring port shows config.sync_always)"}}
}
