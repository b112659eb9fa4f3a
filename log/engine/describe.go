package engine

import "context"

// Describer is an engine that can describe its store, for `handoff store check`.
type Describer interface {
	// Describe returns facts about the store, the most important first. It queries
	// the store, so an error means that the store does not work.
	Describe(ctx context.Context) ([]Fact, error)
}

// Fact is something that is known of a store.
type Fact struct {
	Name  string `json:"name"`  // "replicas"
	Value string `json:"value"` // "3"
	// Warning explains what is wrong with the value, and what to do; "" for nothing.
	Warning string `json:"warning,omitempty"`
}
