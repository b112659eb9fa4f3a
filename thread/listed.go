package thread

import (
	"iter"
	"slices"

	"handoff/internal/journal"
)

// Positions on a list are read some at a time: few at first, since many who
// look are content with one.
const (
	fewListed  = 4
	mostListed = 256
)

// listed goes through the positions on a list, from number k on.
func listed(j *journal.Journal, list string, k uint64) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for n := uint64(fewListed); ; n = min(4*n, mostListed) {
			positions, err := j.Some(list, k, n)
			if err != nil {
				yield(0, err)
				return
			}
			for _, pos := range positions {
				if !yield(pos, nil) {
					return
				}
			}
			if k += uint64(len(positions)); len(positions) == 0 {
				return
			}
		}
	}
}

// backwards goes back over the first k positions on a list.
func backwards(j *journal.Journal, list string, k uint64) iter.Seq2[uint64, error] {
	return func(yield func(uint64, error) bool) {
		for n := uint64(fewListed); k > 0; n = min(4*n, mostListed) {
			from := k - min(n, k)
			positions, err := j.Some(list, from, k-from)
			if err != nil {
				yield(0, err)
				return
			}
			for _, pos := range slices.Backward(positions) {
				if !yield(pos, nil) {
					return
				}
			}
			k = from
		}
	}
}

// newest goes back over the events of a list, from its end, until each has had
// enough.
func newest[P Payload](j *journal.Journal, list string, each func(Event, P) bool) error {
	n, err := j.Count(list)
	if err != nil {
		return err
	}
	for pos, err := range backwards(j, list, n) {
		if err != nil {
			return err
		}
		e, p, err := payloadAt[P](j, pos)
		if err != nil || !each(e, p) {
			return err
		}
	}
	return nil
}
