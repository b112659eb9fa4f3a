package thread

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
)

// Segment is a part that a thread inherits, or the thread itself.
type Segment struct {
	ThreadID string
	UpTo     uint64 // its last event, math.MaxUint64 for all
}

// Segments are the parts that a thread inherits by branching, the oldest first, and
// the thread itself. A handoff inherits nothing: the segments start there.
func (s *Store) Segments(id string) ([]Segment, error) {
	segments := []Segment{{id, math.MaxUint64}}
	seen := map[string]bool{id: true}
	for {
		info, err := s.firstEvents(id)
		if n := len(segments); n > 1 && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("thread %s continues from it: %w", segments[n-2].ThreadID, err)
		}
		if err != nil {
			return nil, err
		}
		if info.Parent == nil || info.Parent.Kind != ByBranch {
			slices.Reverse(segments)
			return segments, nil
		}
		if id = info.Parent.ThreadID; seen[id] {
			return nil, fmt.Errorf("thread %s is its own ancestor, by way of %s: its first events were not written by a branch", id, info.ThreadID)
		}
		if err := CheckID(id); err != nil {
			return nil, fmt.Errorf("the parent of thread %s: %w", info.ThreadID, err)
		}
		seen[id] = true
		segments = append(segments, Segment{id, info.Parent.Seq})
	}
}
