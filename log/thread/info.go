package thread

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/internal/journal"
)

// Info describes a thread.
type Info struct {
	ThreadID    string  `json:"thread_id"`
	CreatedAtMS uint64  `json:"created_at_ms"` // milliseconds since 1970, UTC
	Title       *string `json:"title"`
	Archived    bool    `json:"archived"`

	Workspace string  `json:"-"` // of the first frame
	Parent    *Parent `json:"-"` // nil if it continues no other
	Existed   bool    `json:"-"` // of a thread to be created: an earlier request with the key did it

	created, renamed bool // whether there are such entries
}

// The kinds of [Parent].
const (
	ByBranch  = "branch"
	ByHandoff = "handoff"
)

// Parent is the cut that a thread continues.
type Parent struct {
	Kind      string  `json:"kind"` // ByBranch, ByHandoff
	ThreadID  string  `json:"thread_id"`
	Seq       uint64  `json:"seq"` // the last event before the cut
	MessageID *string `json:"message_id,omitempty"`
}

// fold is the state after all entries of the catalogue that were read.
type fold struct {
	next  uint64 // position of the first entry that was not read
	infos map[string]*Info
}

func (f *fold) apply(e entry) {
	info := f.infos[e.ThreadID]
	if info == nil {
		info = &Info{ThreadID: e.ThreadID}
		f.infos[e.ThreadID] = info
	}
	info.apply(e)
}

// apply applies an entry. There may be two entries of a creation, one by its process
// and one by a process that found none, also after other entries.
func (i *Info) apply(e entry) {
	switch e.Type {
	case entryCreated:
		if !i.renamed {
			i.Title = e.Title
		}
		i.CreatedAtMS, i.Workspace, i.Parent, i.created = e.CreatedMS, e.Workspace, e.Parent, true
	case entryRenamed:
		i.Title, i.renamed = e.Title, true
	case entryArchived:
		i.Archived = true
	case entryUnarchived:
		i.Archived = false
	}
}

// entry is the entry of the thread's creation.
func (i *Info) entry() entry {
	return entry{Type: entryCreated, ThreadID: i.ThreadID, CreatedMS: i.CreatedAtMS, Title: i.Title, Workspace: i.Workspace, Parent: i.Parent}
}

// Get describes a thread.
func (s *Store) Get(ctx context.Context, id string) (Info, error) {
	if err := s.Exists(id); err != nil {
		return Info{}, err
	}
	entries, err := s.catalogue.find(threadKey(id))
	if err != nil {
		return Info{}, err
	}
	info := Info{ThreadID: id}
	if !slices.ContainsFunc(entries, func(e entry) bool { return e.Type == entryCreated }) {
		if info, err = s.firstEvents(id); err != nil {
			return Info{}, err
		}
	}
	for _, e := range entries {
		info.apply(e)
	}
	return info, nil
}

// Has reports whether there is a thread of that id.
func (s *Store) Has(id string) bool { return s.Exists(id) == nil }

// HasStream reports whether there is a stream of that kind and id.
func (s *Store) HasStream(kind StreamKind, id string) bool {
	if s.hasFile(kind, id) {
		return true
	}
	frames, err := s.framesOfRun(kind, id)
	return frames != nil || err != nil // also if it is damaged
}

// hasFile reports whether a stream has a file of its own.
func (s *Store) hasFile(kind StreamKind, id string) bool {
	return CheckID(id) == nil && regular.KindOf(s.path(kind, id)) == regular.File
}

// Exists is nil if the thread exists, otherwise the reason why it cannot be used. A thread
// that only the upstream has is fetched.
func (s *Store) Exists(id string) error {
	if err := CheckID(id); err != nil {
		return err
	}
	path := s.path(Continuity, id)
	switch regular.KindOf(path) {
	case regular.Nothing:
		if s.options.Upstream == nil {
			return notFound(Continuity, id)
		}
		_, release, err := s.open(context.Background(), Continuity, id)
		if err == nil {
			release()
		}
		return err
	case regular.File:
		return nil
	case regular.Link:
		return nofollow.LinkAt(path)
	}
	return fmt.Errorf("%s: %w", path, regular.ErrNotRegular)
}

// firstEvents reads the first two events of a thread.
func (s *Store) firstEvents(id string) (Info, error) {
	return onThread(context.Background(), s, id, firstEvents)
}

func firstEvents(j *journal.Journal) (Info, error) {
	first, err := eventAt(j, 0)
	if err != nil {
		return Info{}, err
	}
	created, ok := first.Payload.(*Created)
	if !ok {
		return Info{}, fmt.Errorf("%s:1: starts with %s, want continuity_created", j.Path(), first.Payload.Type())
	}
	info := Info{ThreadID: first.StreamID, CreatedAtMS: first.TimestampMS, Title: created.Title, Workspace: created.Workspace}
	second, err := eventAt(j, 1)
	if errors.Is(err, journal.ErrNoRecord) {
		return info, nil
	}
	info.Parent = ParentOf(second)
	return info, err
}

// ParentOf is the cut in the second event of a thread, nil if it has none.
func ParentOf(e Event) *Parent {
	switch p := e.Payload.(type) {
	case *Branched:
		return &Parent{ByBranch, p.ParentThreadID, p.ParentSeq, p.ParentMessageID}
	case *HandedOff:
		return &Parent{ByHandoff, p.FromThreadID, p.FromSeq, p.FromMessageID}
	}
	return nil
}

// List describes all threads, in the order in which they were created, then by id. If
// some cannot be read, the error names them with the reasons, and the others are listed.
func (s *Store) List(ctx context.Context) ([]Info, error) {
	all, err := s.infos(ctx)
	list := make([]Info, 0, len(all))
	for _, info := range slices.SortedFunc(maps.Values(all), byCreation) {
		list = append(list, *info)
	}
	return list, err
}

func byCreation(a, b *Info) int {
	return cmp.Or(cmp.Compare(a.CreatedAtMS, b.CreatedAtMS), cmp.Compare(a.ThreadID, b.ThreadID))
}

// infos are all threads with a file. Those without an entry in the catalogue are
// added to it.
func (s *Store) infos(ctx context.Context) (map[string]*Info, error) {
	ids, err := s.names(Continuity)
	if err != nil {
		return nil, err
	}
	known, err := s.catalogue.read()
	if err != nil {
		return nil, err
	}
	all := make(map[string]*Info, len(ids))
	var missing []entry
	var damaged []error
	for _, id := range ids {
		info := known[id]
		if info == nil || !info.created {
			made, err := s.firstEvents(id)
			if err != nil {
				damaged = append(damaged, err)
				continue
			}
			missing = append(missing, made.entry())
			if info == nil {
				info = &Info{ThreadID: id}
			}
			info.apply(made.entry())
		}
		all[id] = info
	}
	if len(missing) > 0 {
		// A failure does not matter: a store that cannot be written is listed too.
		_ = s.catalogue.add(ctx, missing...)
	}
	return all, errors.Join(damaged...)
}

// read applies the entries that are new since the last time.
func (c *catalogue) read() (map[string]*Info, error) {
	return onFile(&c.storeFile, func(j *journal.Journal) (map[string]*Info, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		f := &c.fold
		if n, err := j.Len(); err != nil {
			return nil, err
		} else if f.infos == nil || n < f.next {
			*f = fold{infos: map[string]*Info{}}
		}
		for rec, err := range j.Since(f.next) {
			if err != nil {
				return nil, err
			}
			var e entry
			if err := json.Unmarshal(rec.Line, &e); err != nil {
				return nil, err
			}
			f.apply(e)
			f.next = rec.Pos + 1
		}
		copies := make(map[string]*Info, len(f.infos))
		for id, info := range f.infos {
			copies[id] = new(*info)
		}
		return copies, nil
	})
}
