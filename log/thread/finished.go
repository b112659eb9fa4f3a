package thread

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"

	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/thread/frame"
)

// FinishedFile is the name of the file of finished runs, in the store's folder.
const FinishedFile = names.Finished

// finished is the journal [FinishedFile]: the streams of runs that had ended before
// they were written, one run a line. Concurrent runs share a write and a flush,
// while a file for each would take two flushes and make the folder grow. A run that
// continues has its own file, and so has a long one.
type finished struct{ storeFile }

// maxFinished is the maximum length of a line, in bytes: for a longer stream a file
// of its own costs little more.
const maxFinished = 256 << 10

// finishedFormat is tolerant, because one bad line must not hide all runs, and its
// lines have no numbers, so that git can merge the file line by line. The frames
// are checked when a run is read.
var finishedFormat = journal.Format{Version: 1, Tolerant: true, Plain: true, Read: func(line []byte) (journal.Facts, error) {
	id, err := cutFinished(line)
	return finishedFacts(id), err
}}

func finishedFacts(id string) journal.Facts {
	return journal.Facts{Number: journal.Unnumbered, Keys: []string{id}}
}

func cutFinished(line []byte) (id string, err error) {
	if id, _, err = frame.CutFinished(line); err == nil {
		err = CheckID(id)
	}
	return id, err
}

// keep writes a complete stream; ok is false if it is too long.
func (f *finished) keep(ctx context.Context, id string, frames []journal.Line) (ok bool, err error) {
	texts := make([][]byte, len(frames))
	for i := range frames {
		texts[i] = frames[i].Text
	}
	line := frame.FinishedLine(id, texts)
	if len(line) > f.most {
		return false, nil
	}
	facts := finishedFacts(id)
	return true, f.append(ctx, func(uint64) ([]journal.Line, error) { return []journal.Line{{Text: line, Facts: &facts}}, nil })
}

// frames are the lines of a run's stream, nil if the run is not in the file.
func (f *finished) frames(id string) ([][]byte, error) {
	return onFile(&f.storeFile, func(j *journal.Journal) ([][]byte, error) {
		positions, err := j.Find(id)
		if err != nil || len(positions) == 0 {
			return nil, err
		}
		rec, err := j.Get(positions[0])
		if err != nil {
			return nil, err
		}
		return checkedFrames(j, id, rec)
	})
}

// checkedFrames are the frames in a run's line, or its damage.
func checkedFrames(j *journal.Journal, id string, rec journal.Record) ([][]byte, error) {
	frames, err := framesOf(id, rec.Line)
	if err != nil {
		line, passedErr := lineOf(j, rec)
		return nil, errors.Join(&journal.DamageError{Path: j.Path(), Line: line, Offset: rec.Offset, Err: fmt.Errorf("run %s: %w", id, err)}, passedErr)
	}
	return frames, nil
}

// DamagedRuns reads the file of finished runs once from start to end, and yields a
// *journal.DamageError for each run that cannot be read. That is many times faster
// than reading a million runs one by one. Any other error ends it.
func (s *Store) DamagedRuns(ctx context.Context) iter.Seq[error] {
	return func(yield func(error) bool) {
		j, release, err := s.finished.open(ctx)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(err)
			return
		}
		defer release()
		for rec, err := range j.Since(finishedFormat.First) {
			var id string
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(err)
				return
			}
			if id, err = cutFinished(rec.Line); err == nil {
				_, err = checkedFrames(j, id, rec)
			}
			if err != nil && !s.hasFile(Session, id) && !yield(err) { // a run's own file wins
				return
			}
		}
	}
}

// lineOf is the number of a record's line, from 1.
func lineOf(j *journal.Journal, rec journal.Record) (int64, error) {
	passed, err := j.Passed()
	line := int64(rec.Pos) + 1
	for _, p := range passed {
		if p.Offset < rec.Offset {
			line++
		}
	}
	return line, err
}

// LostRuns lists the lines of the file of finished runs that cannot be read at all,
// so that even the id of the run is unknown.
func (s *Store) LostRuns() ([]journal.Passed, error) {
	return onFile(&s.finished.storeFile, (*journal.Journal).Passed)
}

// framesOf reads the frames and checks them like a file of the run.
func framesOf(id string, line []byte) ([][]byte, error) {
	raw, err := frame.FinishedFrames(line)
	frames, read := make([][]byte, len(raw)), format(Session, id).Read
	for i := 0; i < len(raw) && err == nil; i++ {
		var facts journal.Facts
		if facts, err = read(raw[i]); err == nil && facts.Number != uint64(i) {
			err = fmt.Errorf("frame %d has the number %d", i, facts.Number)
		}
		frames[i] = raw[i]
	}
	return frames, err
}

// ids are the ids of all runs in the file, in its order.
func (f *finished) ids() ([]string, error) {
	return onFile(&f.storeFile, func(j *journal.Journal) (ids []string, err error) {
		for rec, err := range j.Since(f.format.First) {
			if err != nil {
				return nil, err
			}
			id, err := cutFinished(rec.Line)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, nil
	})
}
