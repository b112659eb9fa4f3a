// Package lineage handles the events that record where a tape comes from and how it
// ends: forks, merges, discards and resets. It keeps session_graph.jsonl, the list of
// forks in the format of Bub, and draws it as trees; and envelopes.jsonl, the list of
// envelopes that tapes have received.
//
// The first file is derived: every fork's own tape names its parent. This package finds its
// events in the records passed to it, and opens no tape; the caller adds the forks that
// the file lacks.
package lineage

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// The states of a fork.
const (
	Active    = "active"
	Merged    = "merged"
	Discarded = "discarded"
)

// Fork is a line of the file, with the members that Bub writes and some more.
// The last line of a session counts.
type Fork struct {
	SessionID       string  `json:"session_id"`
	ParentSessionID *string `json:"parent_session_id"` // the parent's session, or its tape if it is not a fork
	FromAnchor      *string `json:"from_anchor"`
	CreatedAt       string  `json:"created_at"`
	Status          string  `json:"status"`
	Tape            string  `json:"tape,omitempty"`
	ParentTape      string  `json:"parent_tape,omitempty"`
	FromEntry       *int64  `json:"from_entry,omitempty"` // the first entry that was copied or linked
	Linked          bool    `json:"linked,omitempty"`
}

// Over reports whether the fork was merged or discarded.
func (f Fork) Over() bool { return f.Status == Merged || f.Status == Discarded }

func sessionKey(id string) string { return "s/" + id }
func tapeKey(name string) string  { return "t/" + name }

// format is tolerant: one invalid line must not hide all forks.
var format = journal.Format{Version: 1, First: 1, Tolerant: true, Read: func(line []byte) (journal.Facts, error) {
	var f Fork
	if err := json.Unmarshal(line, &f); err != nil {
		return journal.Facts{}, err
	}
	if f.SessionID == "" {
		return journal.Facts{}, errors.New("session_id is missing")
	}
	return journal.Facts{Number: journal.Unnumbered, Keys: []string{sessionKey(f.SessionID), tapeKey(f.Tape)}}, nil
}}

// Graph is the file, which may not exist yet.
type Graph struct {
	Path    string
	Pool    *journal.Pool
	Options journal.Options
}

// read calls ask with the file's journal, unless there is none.
func (g Graph) read(ctx context.Context, ask func(*journal.Journal) error) error {
	return file{g, format}.read(ctx, ask)
}

// Add appends forks, and creates the file if it does not exist.
func (g Graph) Add(ctx context.Context, forks ...Fork) error {
	lines := make([][]byte, len(forks))
	for i, f := range forks {
		compact, err := json.Marshal(f)
		if err != nil {
			return err
		}
		lines[i] = jsontext.Python.AppendValue(nil, string(compact))
	}
	return file{g, format}.add(ctx, journal.Any(), lines, func(*journal.Journal) (bool, error) { return false, nil })
}

// file is one of the files beside the tapes. It may not exist yet.
type file struct {
	Graph
	format journal.Format
}

// read calls ask with the file's journal, unless there is none.
func (f file) read(ctx context.Context, ask func(*journal.Journal) error) error {
	j, release, err := f.Pool.Take(f.Path, func() (*journal.Journal, error) {
		return journal.Open(ctx, f.Path, f.format, f.Options)
	})
	if err == nil {
		defer release()
		_, err = j.Len() // the file may have been removed since it was opened
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return ask(j)
}

// add appends lines, unless has reports that the file has them. It creates a missing file.
func (f file) add(ctx context.Context, expect journal.Expect, lines [][]byte, has func(*journal.Journal) (bool, error)) error {
	for {
		exists := false
		err := f.read(ctx, func(j *journal.Journal) error {
			exists = true
			_, err := j.Append(ctx, expect, func(uint64) ([]journal.Line, error) {
				if known, err := has(j); err != nil || known {
					return nil, err
				}
				return journal.Lines(lines), nil
			})
			return err
		})
		if err != nil || exists {
			return err
		}
		if err := f.Options.Root.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		created, err := journal.Create(ctx, f.Path, f.format, f.Options, journal.Lines(lines))
		if err == nil {
			return created.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		} // another process was faster
	}
}

// Session is the last line of a session.
func (g Graph) Session(id string) (f Fork, ok bool, err error) { return g.last(sessionKey(id)) }

// Tape is the last line of a fork's tape.
func (g Graph) Tape(name string) (f Fork, ok bool, err error) { return g.last(tapeKey(name)) }

func (g Graph) last(key string) (f Fork, ok bool, err error) {
	err = g.read(context.Background(), func(j *journal.Journal) error {
		positions, err := j.Find(key)
		if err != nil || len(positions) == 0 {
			return err
		}
		rec, err := j.Get(positions[len(positions)-1])
		if err == nil {
			err = json.Unmarshal(rec.Line, &f)
		}
		ok = err == nil
		return err
	})
	return f, ok, err
}

// Forks are all forks, in the order in which they were added.
func (g Graph) Forks() (forks []Fork, err error) {
	at := map[string]int{}
	err = g.read(context.Background(), func(j *journal.Journal) error {
		for rec, err := range j.Since(format.First) {
			var f Fork
			if err == nil {
				err = json.Unmarshal(rec.Line, &f)
			}
			if err != nil {
				return err
			}
			if i, again := at[f.SessionID]; again {
				forks[i] = f
				continue
			}
			at[f.SessionID] = len(forks)
			forks = append(forks, f)
		}
		return nil
	})
	return forks, err
}
