package tape

import (
	"cmp"
	"slices"
	"time"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// written is how much of an ending a file has. A crash within the write may have
// kept its beginning only.
type written struct {
	begun, all bool
	n          int    // how many of the entries
	first      int64  // the id of the first of them
	last       string // the origin of the last of them
}

// in looks for the ending in a file. Entries are known by their origins, as
// each has another, whether anchors are kept or not.
func (e ending) in(j records, session string) (w written, err error) {
	positions, err := j.Find(mergeKey(session))
	if err != nil || len(positions) == 0 {
		return w, err
	}
	w.begun = true
	numbers, total := map[string][]int{}, 0
	for more, err := range e.more {
		if err != nil {
			return w, err
		}
		total++
		numbers[origin(&more)] = append(numbers[origin(&more)], total) // more than one where another program gave an id twice
	}
	for rec, err := range j.Since(positions[0] + 1) {
		if w.n == total {
			break
		}
		if err == nil {
			err = w.find(rec, numbers)
		}
		if err != nil {
			return w, err
		}
	}
	w.all = w.n == total
	return w, nil
}

// find looks for entries with the next numbers of their origins.
func (w *written) find(rec journal.Record, numbers map[string][]int) error {
	entries, err := entriesOf(rec)
	for i := range entries {
		from := origin(&entries[i])
		of := numbers[from]
		if k, _ := slices.BinarySearch(of, w.n+1); from != "" && k < len(of) {
			w.n, w.first, w.last = of[k], cmp.Or(w.first, entries[i].ID), from
		}
	}
	return err
}

// origin is what an entry says that it is a copy of, in one spelling, "" for nothing.
func origin(e *Entry) string {
	value := jsontext.Get(e.Meta, "origin")
	if value == "" {
		return ""
	}
	return string(jsontext.Python.AppendValue(nil, value))
}

// archivedEnding is whether a file of the tape that was archived since then has
// all of an ending. What a crash has cut off there is written anew, with all
// that belongs to it: no archive is appended to.
func (t *Tape) archivedEnding(e ending, session string, since time.Time) (w written, err error) {
	paths, _, err := t.store.archivesOf(t)
	if err != nil {
		return w, err
	}
	for _, path := range paths {
		if archivedAt(t, path).Before(since.Truncate(time.Second)) {
			continue
		}
		j, release, err := t.store.journal(path)
		if err != nil {
			return w, err
		}
		w, err := e.in(j, session)
		release()
		if err != nil || w.all {
			return w, err
		}
	}
	return written{}, nil
}
