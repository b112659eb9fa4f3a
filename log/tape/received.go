package tape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/tape/view"
)

// envelopesFile lists which tape receives which envelope, in a store. Its log decides
// between machines: the first line of an envelope counts. It is written before the
// tape, so a process that was killed between the two leaves an envelope that only this
// tape can receive, by repeating the request.
const envelopesFile = names.Envelopes

// reception is a line of the file.
type reception struct {
	SHA256 string `json:"sha256"` // of the envelope
	Tape   string `json:"tape"`
	Date   string `json:"date"`
}

var receptions = journal.Format{Version: 1, First: 1, Tolerant: true, Read: func(line []byte) (journal.Facts, error) {
	var r reception
	if err := json.Unmarshal(line, &r); err != nil {
		return journal.Facts{}, err
	}
	if r.SHA256 == "" || r.Tape == "" {
		return journal.Facts{}, errors.New("sha256 or tape is missing")
	}
	return journal.Facts{Number: journal.Unnumbered, Keys: []string{r.SHA256}}, nil
}}

// reserve has the store decide that this tape receives an envelope. The error is
// [ErrReceived] if another tape does. Without a store it does nothing: the lock of
// receipts decides.
func (t *Tape) reserve(ctx context.Context, digest string) error {
	path := filepath.Join(t.store.folder, envelopesFile)
	o := t.store.journalOptions(path)
	if o.Upstream == nil {
		return nil
	}
	line, err := json.Marshal(reception{digest, t.name, t.store.now()})
	if err != nil {
		return err
	}
	for {
		j, release, err := t.store.pool.Take(path, func() (*journal.Journal, error) { return journal.Open(ctx, path, receptions, o) })
		if err == nil {
			_, err = j.Append(ctx, journal.Settled(), func(uint64) ([]journal.Line, error) {
				if known, err := t.reservedIn(j, digest); err != nil || known {
					return nil, err
				}
				return journal.Lines([][]byte{line}), nil
			})
			release()
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		created, err := journal.Create(ctx, path, receptions, o, journal.Lines([][]byte{line}))
		if err == nil {
			return created.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		} // another process was faster
	}
}

// reservedIn reports whether a file has the envelope for this tape.
func (t *Tape) reservedIn(r view.Records, digest string) (known bool, err error) {
	positions, err := r.Find(digest)
	if err != nil || len(positions) == 0 {
		return false, err
	}
	rec, err := r.Get(positions[0])
	if err != nil {
		return false, err
	}
	var first reception
	if err := json.Unmarshal(rec.Line, &first); err != nil {
		return false, err
	}
	if first.Tape != t.name {
		return false, fmt.Errorf("tape %s: %w", first.Tape, ErrReceived)
	}
	return true, nil
}
