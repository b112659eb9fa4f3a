package thread

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"handoff/internal/journal"
)

// onThread answers a query with the journal of a thread.
func onThread[T any](ctx context.Context, s *Store, id string, query func(*journal.Journal) (T, error)) (answer T, err error) {
	j, release, err := s.open(ctx, Continuity, id)
	if err != nil {
		return answer, err
	}
	defer release()
	return query(j)
}

// onThreadUpTo is onThread for a query about the events up to a number: damage after it
// does not matter.
func onThreadUpTo[T any](s *Store, id string, upTo uint64, query func(*journal.Journal) (T, error)) (T, error) {
	return onThread(context.Background(), s, id, func(j *journal.Journal) (T, error) {
		answer, err := query(j)
		if damage := (*journal.DamageError)(nil); !errors.As(err, &damage) || upTo >= uint64(damage.Line)-1 {
			return answer, err
		}
		sound, openErr := j.Sound()
		if openErr != nil {
			return answer, errors.Join(err, openErr)
		}
		defer sound.Close()
		return query(sound)
	})
}

// found is an event with its payload.
type found[P Payload] struct {
	Event
	payload P
}

// Positions on a list are read in blocks, small ones first, since many queries
// need only one.
const (
	firstBlock = 4
	maxBlock   = 256
)

// since yields the events on a list from number k on.
func since[P Payload](j *journal.Journal, list string, k uint64) iter.Seq2[found[P], error] {
	return func(yield func(found[P], error) bool) {
		for n := uint64(firstBlock); ; n = min(4*n, maxBlock) {
			positions, err := j.Some(list, k, n)
			for _, pos := range positions {
				if e, err := foundAt[P](j, pos); !yield(e, err) || err != nil {
					return
				}
			}
			if err != nil {
				yield(found[P]{}, err)
			}
			if k += uint64(len(positions)); len(positions) == 0 {
				return
			}
		}
	}
}

// newest yields the last events on a list, at most so many, the newest first.
func newest[P Payload](j *journal.Journal, list string, most int) iter.Seq2[found[P], error] {
	return func(yield func(found[P], error) bool) {
		k, err := j.Count(list)
		if err != nil {
			yield(found[P]{}, err)
			return
		}
		until := k - min(k, uint64(most))
		before[P](j, list, k, until)(yield)
	}
}

// before yields the events on a list with a number in [until, k), the newest
// first.
func before[P Payload](j *journal.Journal, list string, k, until uint64) iter.Seq2[found[P], error] {
	return func(yield func(found[P], error) bool) {
		for n := uint64(firstBlock); k > until; n = min(4*n, maxBlock) {
			from := k - min(n, k-until)
			positions, err := j.Some(list, from, k-from)
			if err != nil {
				yield(found[P]{}, err)
				return
			}
			for _, pos := range slices.Backward(positions) {
				if e, err := foundAt[P](j, pos); !yield(e, err) || err != nil {
					return
				}
			}
			k = from
		}
	}
}

// foundAt reads an event of a type that a list promises.
func foundAt[P Payload](j *journal.Journal, seq uint64) (found[P], error) {
	rec, err := j.Get(seq)
	if err != nil {
		return found[P]{}, err
	}
	return foundIn[P](j, rec)
}

func foundIn[P Payload](j *journal.Journal, rec journal.Record) (found[P], error) {
	e, err := Parse(rec.Line)
	p, ok := e.Payload.(P)
	if err == nil && !ok {
		err = fmt.Errorf("%s: event %d is a %T, which contradicts the index: delete %s.idx", j.Path(), rec.Pos, e.Payload, j.Path())
	}
	return found[P]{e, p}, err
}

// withKey are the events with a key, in the order of the thread.
func withKey(j *journal.Journal, key string) ([]Event, error) {
	positions, err := j.Find(key)
	events := make([]Event, 0, len(positions))
	for _, pos := range positions {
		e, err := eventAt(j, pos)
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
	return events, err
}
