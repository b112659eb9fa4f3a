package thread

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"handoff/internal/journal"
)

// FinishedFile is the name of the file of finished runs, in the store's folder.
const FinishedFile = "sessions.jsonl"

// finished is the journal [FinishedFile]: the streams of runs that had ended
// before they were written, one run a line. Runs that come at once share a
// write and a flush here, while a file for each takes two flushes and a folder
// that grows. A run that is still to say something has a file of its own, and so
// has a long one.
type finished struct{ storeFile }

// maxFinished is the longest line, in bytes: a file of its own costs a longer
// stream little more.
const maxFinished = 256 << 10

// A line is {"session_id":ID,"frames":[FRAME,…]}, in just this form: the frames
// are the bytes that a file of the run would have as lines.
const (
	finishedStart = `{"session_id":"`
	finishedMid   = `","frames":`
	finishedEnd   = `]}`
)

// finishedFormat is tolerant, because one bad line must not hide all runs, and
// its lines bear no numbers, so that git may merge the file line by line. The
// frames are checked when a run is read.
var finishedFormat = journal.Format{Version: 1, Tolerant: true, Plain: true, Read: func(line []byte) (journal.Facts, error) {
	id, _, err := cutFinished(line)
	return finishedFacts(id), err
}}

func finishedFacts(id string) journal.Facts {
	return journal.Facts{Number: journal.Unnumbered, Keys: []string{id}}
}

func cutFinished(line []byte) (id string, frames []byte, err error) {
	rest, begins := bytes.CutPrefix(line, []byte(finishedStart))
	name, frames, has := bytes.Cut(rest, []byte(finishedMid))
	if !begins || !has || !bytes.HasSuffix(frames, []byte(finishedEnd)) {
		return "", nil, fmt.Errorf("want %s…%s…%s", finishedStart, finishedMid, finishedEnd)
	}
	return string(name), frames[:len(frames)-1], CheckID(string(name))
}

// keep writes a whole stream; ok is false for one that is too long.
func (f *finished) keep(ctx context.Context, id string, frames []journal.Line) (ok bool, err error) {
	texts := make([][]byte, len(frames))
	for i := range frames {
		texts[i] = frames[i].Text
	}
	list := bytes.Join(texts, []byte{','})
	line := slices.Concat([]byte(finishedStart), []byte(id), []byte(finishedMid+"["), list, []byte(finishedEnd))
	if len(line) > f.most {
		return false, nil
	}
	facts := finishedFacts(id)
	return true, f.append(ctx, func(uint64) ([]journal.Line, error) { return []journal.Line{{Text: line, Facts: &facts}}, nil })
}

// frames are the lines of a run's stream, nil for a run that is not here.
func (f *finished) frames(id string) (frames [][]byte, err error) {
	j, err := f.journal()
	if err != nil || j == nil {
		return nil, err
	}
	positions, err := j.Find(id)
	if err != nil || len(positions) == 0 {
		return nil, err
	}
	rec, err := j.Get(positions[0])
	if err != nil {
		return nil, err
	}
	return checkedFrames(j, id, rec)
}

// checkedFrames are those of a run's line, or the damage that it has.
func checkedFrames(j *journal.Journal, id string, rec journal.Record) ([][]byte, error) {
	frames, err := framesOf(id, rec.Line)
	if err != nil {
		line, passedErr := lineOf(j, rec)
		return nil, errors.Join(&journal.DamageError{Path: j.Path(), Line: line, Offset: rec.Offset, Err: fmt.Errorf("run %s: %w", id, err)}, passedErr)
	}
	return frames, nil
}

// DamagedRuns reads the file of finished runs once, from its beginning to its end,
// and gives a *journal.DamageError for each run in it that cannot be read. To read
// a million runs one by one takes many times as long. Any other error ends it.
func (s *Store) DamagedRuns(ctx context.Context) iter.Seq[error] {
	return func(yield func(error) bool) {
		j, err := s.finished.journal()
		if j == nil {
			if err != nil {
				yield(err)
			}
			return
		}
		for rec, err := range j.Since(finishedFormat.First) {
			var id string
			if err = cmp.Or(err, ctx.Err()); err != nil {
				yield(err)
				return
			}
			if id, _, err = cutFinished(rec.Line); err == nil {
				_, err = checkedFrames(j, id, rec)
			}
			if err != nil && !s.hasFile(Session, id) && !yield(err) { // else that is read
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

// LostRuns are the lines of the file of finished runs from which nothing can be
// read, not even whose they are.
func (s *Store) LostRuns() ([]journal.Passed, error) {
	j, err := s.finished.journal()
	if err != nil || j == nil {
		return nil, err
	}
	return j.Passed()
}

// framesOf checks what a file of the run would be checked for.
func framesOf(id string, line []byte) ([][]byte, error) {
	_, list, err := cutFinished(line)
	var raw []json.RawMessage
	if err == nil {
		err = json.Unmarshal(list, &raw)
	}
	if err == nil && len(raw) == 0 {
		err = fmt.Errorf("has no frames")
	}
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

// ids are those of all runs that are here, in the order of the file.
func (f *finished) ids() (ids []string, err error) {
	j, err := f.journal()
	if err != nil || j == nil {
		return nil, err
	}
	for rec, err := range j.Since(f.format.First) {
		if err != nil {
			return nil, err
		}
		id, _, err := cutFinished(rec.Line)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
