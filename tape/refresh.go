package tape

import (
	"context"
	"maps"
	"slices"
	"time"

	"handoff/internal/file/lockfile"
)

// manifestDelay is how long the manifest may be behind a handoff. To write it
// takes longer than the handoff itself, so that many of them share it; a store
// that is closed has it written.
const manifestDelay = time.Second

// stale is what the manifest has yet to be told.
type stale struct {
	tapes map[string]bool
	timer *time.Timer // nil while there is nothing
}

// outdated says that the manifest lacks something of a tape.
func (s *Store) outdated(t *Tape) {
	if t.bare {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale.tapes[t.name] = true
	if s.stale.timer == nil {
		s.stale.timer = time.AfterFunc(manifestDelay, func() { s.refresh() })
	}
}

// takeStale are the names that are to be told, with those given.
func (s *Store) takeStale(names []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		s.stale.tapes[name] = true
	}
	names = slices.Sorted(maps.Keys(s.stale.tapes))
	clear(s.stale.tapes)
	if s.stale.timer != nil {
		s.stale.timer.Stop()
		s.stale.timer = nil
	}
	return names
}

// refresh brings the manifest up to date, for the tapes named and those that
// are outdated. It is derived: that it could not be written is no failure of
// what was done.
func (s *Store) refresh(names ...string) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	if names = s.takeStale(names); len(names) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), manifestDelay)
	defer cancel()
	// Or one process undoes what another has told. The lock is that of the
	// other derived file, which nobody holds here.
	unlock, err := lockfile.Lock(ctx, s.root(), s.graphPath()+".lock")
	if err != nil {
		return
	}
	defer unlock()
	m, ok := s.readManifest()
	if !ok {
		_, _ = s.Manifest()
		return
	}
	for _, name := range names {
		delete(m.Tapes, name)
	}
	if s.describe(&m, names) == nil {
		_ = s.writeManifest(m)
	}
}
