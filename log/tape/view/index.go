package view

import (
	"math"
	"slices"
	"strconv"

	"handoff/internal/journal"
	"handoff/log/tape/entry"
)

// The lists of lines in the index of a file.
const (
	Anchors = "anchor"
	Runs    = "run"    // events of model calls
	Forks   = "fork"   // what tape this is a fork of: the last one counts
	Closed  = "closed" // the fork was merged or discarded
	Titles  = "title"
	Owners  = "owner" // events that name the tape's owner
	joined  = "glued" // lines with several entries
)

// The keys by which the index of a file finds lines.
func IDKey(id int64) string         { return "i/" + strconv.FormatInt(id, 10) }
func AnchorKey(name string) string  { return "a/" + name }
func MergeKey(fork string) string   { return "m/" + fork }
func ReceiveKey(hash string) string { return "r/" + hash }
func SendKey(hash string) string    { return "s/" + hash }
func RequestKey(key string) string  { return "q/" + key }

// Format is how a journal reads the lines of a tape.
var Format = journal.Format{Version: 3, First: 1, Tolerant: true, AnyBytes: true, Read: facts}

// MaxID is the largest id that the next one is counted from. A larger one is a
// label only: one line of another program must not use up the numbers.
const MaxID = math.MaxInt64 / 2

func facts(line []byte) (journal.Facts, error) {
	entries, err := entry.Parse(line)
	if err != nil {
		return journal.Facts{}, err
	}
	f := journal.Facts{Keys: make([]string, 0, 2*len(entries))}
	for i := range entries {
		e := &entries[i]
		if e.ID > 0 && e.ID <= MaxID {
			f.Number = max(f.Number, uint64(e.ID))
		}
		f.Keys = append(f.Keys, IDKey(e.ID))
		if r, ok := e.Request(); ok {
			f.Keys = append(f.Keys, RequestKey(r.Key))
		}
		add(&f, e)
	}
	if len(entries) > 1 {
		list(&f, joined)
	}
	return f, nil
}

// add adds the special facts of an anchor or event.
func add(f *journal.Facts, e *entry.Entry) {
	name := e.Name()
	if e.Kind == entry.KindAnchor {
		list(f, Anchors)
		f.Keys = append(f.Keys, AnchorKey(name))
	}
	if e.Kind != entry.KindEvent {
		return
	}
	switch name {
	case entry.EventRun:
		list(f, Runs)
	case entry.EventFork:
		list(f, Forks)
	case entry.EventClosed:
		list(f, Closed)
	case entry.EventTitle:
		list(f, Titles)
	case entry.EventMerge, entry.EventDiscard:
		fork, _ := entry.Text(e.Data(), "fork")
		f.Keys = append(f.Keys, MergeKey(fork))
	case entry.EventReceived, entry.EventSent:
		key := SendKey
		if name == entry.EventReceived {
			key = ReceiveKey
		}
		hash, _ := entry.Text(e.Data(), "sha256")
		f.Keys = append(f.Keys, key(hash))
		list(f, Owners)
	}
}

// list puts the line on a list, once.
func list(f *journal.Facts, name string) {
	if !slices.Contains(f.Lists, name) {
		f.Lists = append(f.Lists, name)
	}
}
