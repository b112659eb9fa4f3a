package thread

import (
	"context"
	"errors"

	"handoff/internal/journal"
)

// repairAdvice is what to type against damage.
const repairAdvice = "`handoff thread repair` keeps what is before it, and saves the rest in another file"

// Repaired is a stream that was damaged.
type Repaired struct {
	Kind   StreamKind `json:"kind"`
	ID     string     `json:"id"`
	Path   string     `json:"path"`   // its file
	Events uint64     `json:"events"` // that are left; 0: the whole file was renamed
	Aside  string     `json:"aside"`  // the file that has the rest
	Bytes  int64      `json:"bytes"`  // of the rest
}

// Repair saves the first event of a stream that cannot be read, and all that follows, in
// another file, so that the stream ends before it and can be continued. Nothing is deleted.
// If the file is a copy of a store's, it is fetched again. ok is false if nothing is
// damaged. A stream whose first event is damaged does not exist any longer.
func (s *Store) Repair(ctx context.Context, kind StreamKind, id string) (r Repaired, ok bool, err error) {
	j, release, err := s.open(ctx, kind, id)
	if err != nil {
		return r, false, err
	}
	defer release()
	rest, err := j.SetAside(ctx)
	if err != nil || rest.Aside == "" {
		return r, false, err
	}
	r = Repaired{Kind: kind, ID: id, Path: j.Path(), Aside: rest.Aside, Bytes: rest.Bytes}
	if rest.Offset > 0 {
		r.Events, err = j.Len()
	} else if s.options.Upstream != nil {
		r.Events, err = s.fetched(ctx, kind, id)
	}
	return r, true, err
}

// fetched is the number of events of a stream that is fetched again.
func (s *Store) fetched(ctx context.Context, kind StreamKind, id string) (uint64, error) {
	path := s.path(kind, id)
	j, err := journal.Open(ctx, path, format(kind, id), s.streamOptions(kind, path))
	if err != nil {
		return 0, err
	}
	n, err := j.Len()
	return n, errors.Join(err, j.Close())
}

// Damaged reports whether err means that a stream cannot be read to its end.
func Damaged(err error) bool { return errors.As(err, new(*journal.DamageError)) }
