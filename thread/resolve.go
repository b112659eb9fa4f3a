package thread

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
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

// Resolve yields all events that a thread inherits by branching, and then its own;
// [Event.StreamID] is the thread of each. Memory does not grow with the number of
// events. A missing part is an error, never a gap.
func (s *Store) Resolve(id string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		segments, err := s.Segments(id)
		if err != nil {
			yield(Event{}, err)
			return
		}
		for _, segment := range segments {
			if !s.segment(segment, yield) {
				return
			}
		}
	}
}

func (s *Store) segment(segment Segment, yield func(Event, error) bool) (more bool) {
	next := uint64(0)
	for e, err := range s.events(Continuity, segment.ThreadID, 0, segment.UpTo) {
		if !yield(e, err) || err != nil {
			return false
		}
		next = e.Seq + 1
	}
	if segment.UpTo != math.MaxUint64 && next <= segment.UpTo {
		yield(Event{}, fmt.Errorf("thread %s has %d events, but was branched off after event %d: the inherited events are lost", segment.ThreadID, next, segment.UpTo))
		return false
	}
	return true
}
