package lineage

import (
	"context"
	"encoding/json"
	"errors"

	"handoff/internal/journal"
)

// Receptions is the file that lists which tape has received which envelope: the first line
// of an envelope counts. It outlives the tapes, which may be reset and deleted. In a store
// its log decides between machines: it is written before the tape, so a process that was
// killed between the two leaves an envelope that only this tape can receive, by repeating
// the request. In files a lock decides, and it is written after the tape.
type Receptions Graph

// Reception is a line of the file.
type Reception struct {
	SHA256 string `json:"sha256"` // of the envelope
	Tape   string `json:"tape"`
	Date   string `json:"date"`
}

var receptions = journal.Format{Version: 1, First: 1, Tolerant: true, Read: func(line []byte) (journal.Facts, error) {
	var r Reception
	if err := json.Unmarshal(line, &r); err != nil {
		return journal.Facts{}, err
	}
	if r.SHA256 == "" || r.Tape == "" {
		return journal.Facts{}, errors.New("sha256 or tape is missing")
	}
	return journal.Facts{Number: journal.Unnumbered, Keys: []string{r.SHA256}}, nil
}}

// By is the tape that has received an envelope, "" if none has.
func (f Receptions) By(ctx context.Context, digest string) (tape string, err error) {
	err = file{Graph(f), receptions}.read(ctx, func(j *journal.Journal) (err error) {
		tape, err = receiver(j, digest)
		return err
	})
	return tape, err
}

// Note writes a line, unless the file has one for the envelope: then it returns its tape.
func (f Receptions) Note(ctx context.Context, r Reception) (tape string, err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	err = file{Graph(f), receptions}.add(ctx, journal.Settled(), [][]byte{line}, func(j *journal.Journal) (bool, error) {
		tape, err = receiver(j, r.SHA256)
		return tape != "", err
	})
	return tape, err
}

func receiver(j *journal.Journal, digest string) (tape string, err error) {
	positions, err := j.Find(digest)
	if err != nil || len(positions) == 0 {
		return "", err
	}
	rec, err := j.Get(positions[0])
	if err != nil {
		return "", err
	}
	var first Reception
	err = json.Unmarshal(rec.Line, &first)
	return first.Tape, err
}
