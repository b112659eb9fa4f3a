package tape

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// The states of a fork.
const (
	Active    = "active"
	Merged    = "merged"
	Discarded = "discarded"
)

// Lineage is what session_graph.jsonl says of a fork: in the members that Bub
// gives it, and some more. The last line of a session counts.
type Lineage struct {
	SessionID       string  `json:"session_id"`
	ParentSessionID *string `json:"parent_session_id"` // the parent's session, or else its tape
	FromAnchor      *string `json:"from_anchor"`
	CreatedAt       string  `json:"created_at"`
	Status          string  `json:"status"`
	Tape            string  `json:"tape,omitempty"`
	ParentTape      string  `json:"parent_tape,omitempty"`
	FromEntry       *int64  `json:"from_entry,omitempty"` // the first that was taken over
	Linked          bool    `json:"linked,omitempty"`
}

func graphSession(id string) string { return "s/" + id }
func graphTape(name string) string  { return "t/" + name }

// graphFormat is tolerant: one bad line must not hide all forks.
var graphFormat = journal.Format{Version: 1, First: 1, Tolerant: true, Read: func(line []byte) (journal.Facts, error) {
	var l Lineage
	if err := json.Unmarshal(line, &l); err != nil {
		return journal.Facts{}, err
	}
	if l.SessionID == "" {
		return journal.Facts{}, errors.New("session_id is missing")
	}
	return journal.Facts{Number: journal.Unnumbered, Keys: []string{graphSession(l.SessionID), graphTape(l.Tape)}}, nil
}}

func (s *Store) graphPath() string { return filepath.Join(s.folder, "session_graph.jsonl") }

// graph is nil where there is none yet.
func (s *Store) graph() (j *journal.Journal, release func(), err error) {
	j, release, err = s.pool.Take(s.graphPath(), func() (*journal.Journal, error) {
		return journal.Open(s.graphPath(), graphFormat, s.journalOptions(s.graphPath()))
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, func() {}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if _, err = j.Len(); err != nil {
		release()
		if errors.Is(err, fs.ErrNotExist) {
			return nil, func() {}, nil
		}
		return nil, nil, err
	}
	return j, release, nil
}

// note adds to the graph. The tapes are the truth: what is not noted here is
// found again by [Store.Graph].
func (s *Store) note(ctx context.Context, lines ...Lineage) error {
	text := make([][]byte, len(lines))
	for i, l := range lines {
		compact, err := json.Marshal(l)
		if err != nil {
			return err
		}
		text[i] = jsontext.Python.AppendValue(nil, string(compact))
	}
	for {
		j, release, err := s.graph()
		if err != nil {
			return err
		}
		if j != nil {
			_, err = j.Append(ctx, journal.Any(), func(uint64) ([]journal.Line, error) { return journal.Lines(text), nil })
			release()
			return err
		}
		if err := s.root().MkdirAll(s.folder, 0o755); err != nil {
			return err
		}
		made, err := journal.Create(s.graphPath(), graphFormat, s.journalOptions(s.graphPath()), journal.Lines(text))
		if err == nil {
			return made.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		} // another was faster
	}
}

// lastNoted is what was noted last of a session, or of a tape's name.
func (s *Store) lastNoted(key string) (l Lineage, ok bool, err error) {
	j, release, err := s.graph()
	if err != nil || j == nil {
		return Lineage{}, false, err
	}
	defer release()
	positions, err := j.Find(key)
	if err != nil || len(positions) == 0 {
		return Lineage{}, false, err
	}
	rec, err := j.Get(positions[len(positions)-1])
	if err == nil {
		err = json.Unmarshal(rec.Line, &l)
	}
	return l, err == nil, err
}

// mayBegin keeps an append from beginning a tape anew whose fork is over: who
// writes there has missed that.
func (s *Store) mayBegin(name string) error {
	l, ok, err := s.lastNoted(graphTape(name))
	if err != nil || !ok || l.Status != Merged && l.Status != Discarded {
		return err
	}
	return fmt.Errorf("tape %s was forked from %s and is %s: create a new fork to continue: %w", name, l.ParentTape, l.Status, fs.ErrNotExist)
}

// Graph tells of all forks, in the order in which they were noted. What the
// file lacks is taken from the tapes, and noted.
func (s *Store) Graph(ctx context.Context) ([]Lineage, error) {
	forks, err := s.readGraph()
	if err != nil {
		return nil, err
	}
	lost, err := s.notNoted(forks)
	if err != nil || len(lost) == 0 {
		return forks, err
	}
	return append(forks, lost...), s.note(ctx, lost...)
}

func (s *Store) readGraph() (forks []Lineage, err error) {
	j, release, err := s.graph()
	if err != nil || j == nil {
		return nil, err
	}
	defer release()
	at := map[string]int{}
	for rec, err := range j.Since(graphFormat.First) {
		var l Lineage
		if err == nil {
			err = json.Unmarshal(rec.Line, &l)
		}
		if err != nil {
			return nil, err
		}
		if i, again := at[l.SessionID]; again {
			forks[i] = l
			continue
		}
		at[l.SessionID] = len(forks)
		forks = append(forks, l)
	}
	return forks, nil
}

// notNoted are the forks among the tapes, and those archived, that are not in
// the graph.
func (s *Store) notNoted(forks []Lineage) (lost []Lineage, err error) {
	folder := filepath.Join(s.folder, tapeFolder)
	paths, err := filepath.Glob(filepath.Join(folder, "*"+suffix))
	if err != nil {
		return nil, err
	}
	if len(forks) == 0 { // else the archived ones were noted before
		put, err := filepath.Glob(filepath.Join(folder, archived, "*"+suffix))
		if err != nil {
			return nil, err
		}
		paths = append(put, paths...)
	}
	for _, path := range paths {
		if s.noLink(path) != nil { // it is no tape, and hides none
			continue
		}
		l, ok, err := s.lineageOf(path)
		if err != nil {
			return nil, err
		}
		known := func(f Lineage) bool { return f.SessionID == l.SessionID }
		if ok && !slices.ContainsFunc(forks, known) && !slices.ContainsFunc(lost, known) {
			lost = append(lost, l)
		}
	}
	return lost, nil
}

// lineageOf reads a file's own fork event.
func (s *Store) lineageOf(path string) (l Lineage, ok bool, err error) {
	j, release, err := s.snapshot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Lineage{}, false, nil
	}
	if err != nil {
		return Lineage{}, false, err
	}
	defer release()
	f, ok, err := forkOf(j)
	if err != nil || !ok {
		return Lineage{}, false, err
	}
	l = f.lineage()
	closed, ok, err := closingOf(j)
	if ok {
		l.Status = closed.As
	}
	return l, true, err
}
