package thread

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"handoff/document/handoff"
	"handoff/internal/journal"
)

// Streams are the ids of all streams of a kind, sorted.
func (s *Store) Streams(kind StreamKind) ([]string, error) {
	ids, err := s.names(kind)
	if kind != Session || err != nil {
		return ids, err
	}
	finished, err := s.finished.ids()
	ids = append(ids, finished...)
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// StreamFiles are the ids of the streams that have a file of their own, sorted.
func (s *Store) StreamFiles(kind StreamKind) ([]string, error) { return s.names(kind) }

// StreamEvents is [Store.Events] for a stream of any kind.
func (s *Store) StreamEvents(kind StreamKind, id string, from uint64) iter.Seq2[Event, error] {
	return parsed(s.records(kind, id, from))
}

// Chunk reads at most max bytes of a stream's lines from an offset on, as they are
// in its file, or would be if it had one. Fewer bytes mean the end.
func (s *Store) Chunk(kind StreamKind, id string, offset int64, max int) ([]byte, error) {
	if err := CheckID(id); err != nil {
		return nil, err
	}
	path := s.path(kind, id)
	if !s.hasFile(kind, id) { // a FIFO would never open
		frames, err := s.framesOfRun(kind, id)
		if frames == nil {
			return nil, cmp.Or(err, notFound(kind, id))
		}
		text := asFile(frames)
		text = text[min(offset, int64(len(text))):]
		return text[:min(max, len(text))], nil
	}
	f, err := s.root().OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	text := make([]byte, min(int64(max), st.Size()-min(offset, st.Size())))
	n, err := f.ReadAt(text, offset)
	if err == io.EOF {
		err = nil
	}
	return text[:n], err
}

// Import adds consecutive events of a stream that was written elsewhere, line by
// line and unchanged, and returns how many were new. If the stream here has other
// events it is [*DivergedError]. Lines that RIP could not read are
// handoff.ErrInvalid, because an export would make RIP's store unreadable.
func (s *Store) Import(ctx context.Context, kind StreamKind, id string, lines [][]byte) (added int, err error) {
	if err := CheckID(id); err != nil || len(lines) == 0 {
		return 0, err
	}
	first, err := checkLines(kind, id, lines)
	if err != nil {
		return 0, err
	}
	if err := s.unpack(ctx, kind, id); err != nil {
		return 0, err
	}
	j, release, err := s.open(ctx, kind, id)
	if errors.Is(err, fs.ErrNotExist) && first == 0 {
		if err = s.createLines(ctx, kind, id, journal.Lines(lines)); err == nil {
			return len(lines), nil
		}
		if errors.Is(err, fs.ErrExist) { // created in the meantime
			j, release, err = s.open(ctx, kind, id)
		}
	}
	if err != nil {
		return 0, err
	}
	defer release()
	here, err := sameLines(j, kind, id, first, lines)
	if err != nil || here == len(lines) {
		return 0, err
	}
	lines = lines[here:]
	_, err = j.Append(ctx, journal.At(first+uint64(here)), func(uint64) ([]journal.Line, error) { return journal.Lines(lines), nil })
	return len(lines), err
}

// DivergedError: a stream has other events here than in the import. It is an
// fs.ErrExist.
type DivergedError struct {
	Kind StreamKind
	ID   string
	Seq  uint64 // the first event that is different
}

func (e *DivergedError) Error() string {
	return fmt.Sprintf("%s %s: event %d here is a different one", nameOf(e.Kind), e.ID, e.Seq)
}

// Is makes it an fs.ErrExist: a conflict.
func (e *DivergedError) Is(target error) bool { return target == fs.ErrExist }

// checkLines checks the lines and returns the number of the first.
func checkLines(kind StreamKind, id string, lines [][]byte) (first uint64, err error) {
	for i, line := range lines {
		e, err := Parse(line)
		switch {
		case err != nil:
		case !e.Known():
			err = fmt.Errorf("%s is not an event type of RIP", foreign(e.Payload.Type()))
		case e.Kind() != kind || e.StreamID != id:
			err = fmt.Errorf("an event of %s %s", nameOf(e.Kind()), foreign(e.StreamID))
		case i > 0 && e.Seq != first+uint64(i):
			err = fmt.Errorf("event %d does not come after event %d", e.Seq, first+uint64(i)-1)
		case len(line) > maxEvent:
			err = fmt.Errorf("event %d has %d bytes, at most %d are stored", e.Seq, len(line), maxEvent)
		}
		if err != nil {
			return 0, fmt.Errorf("%s %s: %w: %w", nameOf(kind), id, err, handoff.ErrInvalid)
		}
		if i == 0 {
			first = e.Seq
		}
	}
	return first, nil
}

// sameLines is how many of the lines the stream already has.
func sameLines(j *journal.Journal, kind StreamKind, id string, first uint64, lines [][]byte) (n int, err error) {
	have, err := j.Len()
	if err != nil {
		return 0, err
	}
	if first > have {
		return 0, fmt.Errorf("%s %s: event %d would come after event %d: %w", nameOf(kind), id, first, int64(have)-1, handoff.ErrInvalid)
	}
	for rec, err := range j.Since(first) {
		if err != nil {
			return n, err
		}
		if n == len(lines) {
			break
		}
		if !bytes.Equal(rec.Line, lines[n]) {
			return n, &DivergedError{kind, id, rec.Pos}
		}
		n++
	}
	return n, nil
}

// SetDefault sets the default thread of a workspace.
func (s *Store) SetDefault(ctx context.Context, workspace, id string) error {
	if err := s.Exists(id); err != nil {
		return err
	}
	if is, err := s.catalogue.defaultOf(workspace); err != nil || is == id {
		return err
	}
	return s.catalogue.add(ctx, entry{Type: entryDefault, ThreadID: id, Workspace: workspace})
}

// Default is the default thread of a workspace, "" for none.
func (s *Store) Default(workspace string) (id string, err error) {
	return s.catalogue.defaultOf(workspace)
}
