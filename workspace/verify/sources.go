package verify

import (
	"hash/maphash"
	"maps"
	"slices"

	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/reconcile/rules"
)

// sources are the threads that threads continue, and the ids of the events of the thread that is read.
type sources struct {
	of   map[string]string // thread by the one that continues it
	seed maphash.Seed
	ids  map[uint64]uint64 // number of the event by the hash of its id: a thread may have a million
}

func newSources() sources {
	return sources{of: map[string]string{}, seed: maphash.MakeSeed()}
}

// source notes what an event says about the sources of its thread, and reports an id that an earlier event has: the
// cut of a message would be at either.
func (c *threadChecker) source(path string, e thread.Event) {
	if e.Seq == 0 {
		c.sources.ids = map[uint64]uint64{}
	}
	h := maphash.String(c.sources.seed, e.ID)
	if at, ok := c.sources.ids[h]; ok {
		if earlier, err := c.store.Event(e.StreamID, at); err == nil && earlier.ID == e.ID {
			c.at(&rules.DamagedThread, path, e.Seq, "has the id %q of event %d: an id names one event", e.ID, at)
		}
	} else {
		c.sources.ids[h] = e.Seq
	}
	switch p := e.Payload.(type) {
	case *thread.Branched:
		c.sources.of[e.StreamID] = p.ParentThreadID
	case *thread.HandedOff:
		c.sources.of[e.StreamID] = p.FromThreadID
	}
}

// cycles reports each thread that is its own ancestor. A walk ends at a thread that an earlier one has passed, so each is
// passed once.
func (c *threadChecker) cycles() {
	passed := map[string]int{} // the walk that did
	for walk, id := range slices.Sorted(maps.Keys(c.sources.of)) {
		ok := true
		for ; ok && passed[id] == 0; id, ok = c.sources.of[id] {
			passed[id] = walk + 1
		}
		if !ok || passed[id] != walk+1 {
			continue
		}
		for at, more := id, true; more; more = at != id {
			c.at(&rules.DamagedThread, workspace.StateDir+"/threads/"+at+".jsonl", 1, "thread %s is its own ancestor, by way of %s", at, c.sources.of[at])
			at = c.sources.of[at]
		}
	}
}
