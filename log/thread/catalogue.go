package thread

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"sync"

	"handoff/internal/journal"
)

// catalogue is the journal threads.jsonl: what RIP's frames have no place for
// (renamed, archived, the default), and what saves opening each thread (created,
// with its parent). The threads are authoritative: an entry of a creation that was
// lost in a crash is written again from the first two frames of the thread.
type catalogue struct {
	storeFile
	mu   sync.Mutex
	fold fold
}

// entry is a record of the catalogue.
type entry struct {
	Seq       uint64  `json:"seq"`
	AtMS      uint64  `json:"at_ms"`
	Type      string  `json:"type"`
	ThreadID  string  `json:"thread_id"`
	CreatedMS uint64  `json:"created_at_ms,omitempty"`
	Title     *string `json:"title,omitempty"`
	Workspace string  `json:"workspace,omitempty"`
	Parent    *Parent `json:"parent,omitempty"`
	ActorID   string  `json:"actor_id,omitempty"`
	Origin    string  `json:"origin,omitempty"`
}

// The types of entries. Others, of later versions, are ignored.
const (
	entryCreated    = "created"
	entryRenamed    = "renamed"
	entryArchived   = "archived"
	entryUnarchived = "unarchived"
	entryDefault    = "default"
)

func threadKey(id string) string { return "t/" + id }
func parentKey(id string) string { return "p/" + id }

// catalogueFormat is tolerant: one bad line must not hide all threads.
var catalogueFormat = journal.Format{Version: 3, Tolerant: true, Read: func(line []byte) (journal.Facts, error) {
	var e entry
	if err := json.Unmarshal(line, &e); err != nil {
		return journal.Facts{}, err
	}
	return e.facts(), nil
}}

func (e *entry) facts() journal.Facts {
	f := journal.Facts{Number: e.Seq, Keys: []string{threadKey(e.ThreadID)}}
	if e.Type == entryDefault || e.Type == entryCreated {
		f.Lists = []string{e.Type}
	}
	if e.Parent != nil {
		f.Keys = append(f.Keys, parentKey(e.Parent.ThreadID))
	}
	return f
}

// add appends entries, in one write.
func (c *catalogue) add(ctx context.Context, entries ...entry) error {
	now := uint64(c.store.options.Now().UnixMilli())
	return c.append(ctx, func(next uint64) ([]journal.Line, error) {
		lines := make([]journal.Line, len(entries))
		for i, e := range entries {
			e.Seq, e.AtMS = next+uint64(i), now
			line, err := json.Marshal(e)
			if err != nil {
				return nil, err
			}
			facts := e.facts()
			lines[i] = journal.Line{Text: line, Facts: &facts}
		}
		return lines, nil
	})
}

// find returns the entries with a key, oldest first.
func (c *catalogue) find(key string) ([]entry, error) {
	return onFile(&c.storeFile, func(j *journal.Journal) ([]entry, error) {
		positions, err := j.Find(key)
		if err != nil {
			return nil, err
		}
		entries := make([]entry, len(positions))
		for i, pos := range positions {
			if entries[i], err = entryAt(j, pos); err != nil {
				return nil, err
			}
		}
		return entries, nil
	})
}

func entryAt(j *journal.Journal, pos uint64) (e entry, err error) {
	rec, err := j.Get(pos)
	if err == nil {
		err = json.Unmarshal(rec.Line, &e)
	}
	return e, err
}

// defaults are the entries on default threads, the newest first.
func (c *catalogue) defaults() iter.Seq2[entry, error] {
	return func(yield func(entry, error) bool) {
		j, release, err := c.open(context.Background())
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(entry{}, err)
			return
		}
		defer release()
		n, err := j.Count(entryDefault)
		for ; err == nil && n > 0; n-- {
			pos, _, nthErr := j.Nth(entryDefault, n-1)
			e, getErr := entryAt(j, pos)
			if err = errors.Join(nthErr, getErr); err == nil && !yield(e, nil) {
				return
			}
		}
		if err != nil {
			yield(entry{}, fmt.Errorf("%s: %w", j.Path(), err))
		}
	}
}

// defaultOf is the default thread of a workspace, "" for none.
func (c *catalogue) defaultOf(workspace string) (id string, err error) {
	for e, err := range c.defaults() {
		if err != nil || e.Workspace == workspace {
			return e.ThreadID, err
		}
	}
	return "", nil
}

// defaultThread is defaultOf for a workspace that may have been moved: if all
// entries have the same other workspace, it is the last of them.
func (c *catalogue) defaultThread(workspace string) (id string, err error) {
	if id, err = c.defaultOf(workspace); id != "" || err != nil {
		return id, err
	}
	var last entry
	for e, err := range c.defaults() {
		if err != nil || last.ThreadID != "" && e.Workspace != last.Workspace {
			return "", err
		}
		if last.ThreadID == "" {
			last = e
		}
	}
	return last.ThreadID, nil
}
