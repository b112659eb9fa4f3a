package thread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"handoff/internal/journal"
)

// framesOfRun are the lines of a run in the file of finished runs, nil for all other
// streams.
func (s *Store) framesOfRun(kind StreamKind, id string) ([][]byte, error) {
	if kind != Session || CheckID(id) != nil {
		return nil, nil
	}
	return s.finished.frames(id)
}

// opened is open, or the frames of a finished run.
func (s *Store) opened(kind StreamKind, id string) (j *journal.Journal, release func(), frames [][]byte, err error) {
	j, release, err = s.open(context.Background(), kind, id)
	if !errors.Is(err, fs.ErrNotExist) {
		return j, release, nil, err
	}
	if frames, framesErr := s.framesOfRun(kind, id); frames != nil || framesErr != nil {
		return nil, func() {}, frames, framesErr
	}
	return nil, nil, nil, err
}

// records are the records of a stream from a number on, up to the last one that
// exists now.
func (s *Store) records(kind StreamKind, id string, from uint64) iter.Seq2[journal.Record, error] {
	return s.walk(kind, id, from, func(j *journal.Journal) iter.Seq2[journal.Record, error] { return j.Since(from) }, nil)
}

// followed is records that waits for more. A finished run gets no more records, but
// following it ends in the same ways.
func (s *Store) followed(ctx context.Context, kind StreamKind, id string, from uint64) iter.Seq2[journal.Record, error] {
	follow := func(j *journal.Journal) iter.Seq2[journal.Record, error] { return j.Follow(ctx, from) }
	return s.walk(kind, id, from, follow, func() error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.closed:
			return fmt.Errorf("run %s: %w", id, fs.ErrClosed)
		}
	})
}

func (s *Store) walk(kind StreamKind, id string, from uint64, of func(*journal.Journal) iter.Seq2[journal.Record, error], end func() error) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		j, release, frames, err := s.opened(kind, id)
		if err != nil {
			yield(journal.Record{}, err)
			return
		}
		defer release()
		if j != nil {
			of(j)(yield)
			return
		}
		for n := from; n < uint64(len(frames)); n++ {
			if !yield(journal.Record{Pos: n, Number: n, Line: frames[n]}, nil) {
				return
			}
		}
		if end != nil {
			yield(journal.Record{}, end())
		}
	}
}

// unpack writes a finished run to a file of its own, so that it can be appended to.
func (s *Store) unpack(ctx context.Context, kind StreamKind, id string) error {
	frames, err := s.framesOfRun(kind, id)
	if err != nil || frames == nil || s.hasFile(kind, id) {
		return err
	}
	if err = s.createLines(ctx, kind, id, journal.Lines(frames)); errors.Is(err, fs.ErrExist) { // another was faster
		return nil
	}
	return err
}

// asFile is the content of a file with these frames.
func asFile(frames [][]byte) []byte { return append(bytes.Join(frames, []byte{'\n'}), '\n') }
