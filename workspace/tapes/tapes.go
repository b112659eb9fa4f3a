// Package tapes has the operations on a workspace's tapes, and on those that a
// home of Bub has for the workspace. Package client has the same methods for a
// server's tapes.
package tapes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/internal/journal"
	"handoff/internal/text/nearest"
	"handoff/log/tape"
	"handoff/log/tape/bub"
	"handoff/workspace/outbox"
)

// Options are what tapes need from outside the program. The same options and
// requests produce the same bytes.
type Options struct {
	Root     string // of the workspace, absolute
	Folder   string // of the tool's own files
	Label    string // name of the workspace in tape:// URIs
	Home     string // folder of a home of Bub, "" for the workspace's own tapes
	Writes   bool   // names in Home that do not exist are names of new tapes
	Now      func() time.Time
	NewID    func() string                        // nil: random IDs
	Say      func(string)                         // gets one line for each waiting request that is refused; may be nil
	Progress func(path string, done, total int64) // of building an index, in bytes; may be nil
	// Upstream returns the log of a store that a file is a copy of; nil for none.
	Upstream func(path string) journal.Upstream
	// Outbox, if not nil, queues entries for the workspace's own tapes while the store is
	// away.
	Outbox *outbox.Box
	// Elsewhere, if not nil, opens the tapes of another workspace that a tape:// URI names; nil if it is not known.
	Elsewhere func(name string) (*tape.Store, error)
	// Prepare creates the folder of the tool's own files.
	Prepare func() error
}

// Tapes are the tapes of a workspace, or those that a home of Bub has for it.
type Tapes struct {
	Store *tape.Store // the workspace's own
	Home  *bub.Home   // nil for the workspace's own tapes

	options Options
	done    func() // nil for nothing
}

// Open opens tapes. Nothing is read or created before it is needed. The caller
// closes them; a server keeps them open.
func Open(o Options) (*Tapes, error) {
	t := &Tapes{options: o}
	store := tape.Options{Root: o.Root, Workspace: o.Label, Now: o.Now, NewID: o.NewID, Progress: o.Progress, Upstream: o.Upstream}
	if o.Outbox != nil {
		store.First, store.Waiting, store.Away = t.first, t.waiting, outbox.Away
	}
	var err error
	if t.Store, err = tape.Open(o.Folder, store); err != nil || o.Home == "" {
		return t, err
	}
	store.Upstream, store.First, store.Waiting, store.Away = nil, nil, nil, nil // only the workspace's own tapes are in a store
	t.Home, err = bub.Open(o.Home, store)
	return t, err
}

// Close closes all files.
func (t *Tapes) Close() error {
	err := t.Store.Close()
	if t.done != nil {
		t.done()
	}
	if t.Home != nil {
		err = errors.Join(err, t.Home.Close())
	}
	return err
}

// errNoSession: a home of Bub has no main tape.
var errNoSession = errors.New("which tape of Bub: name a session (cli:local), or the tape's file without its suffix")

// Tape returns the tape with that name, or the main tape for "". In a home of
// Bub the name names a session, a tape or a file; if there is none, the error
// is fs.ErrNotExist, unless the tapes were opened to write.
func (t *Tapes) Tape(name string) (*Tape, error) {
	one, err := t.named(name)
	if err != nil {
		return nil, err
	}
	return t.Of(one), nil
}

// Of has the operations on a tape that was opened otherwise, like an archive.
func (t *Tapes) Of(one *tape.Tape) *Tape { return &Tape{one, t} }

func (t *Tapes) named(name string) (*tape.Tape, error) {
	switch {
	case t.Home == nil && name == "":
		return t.Store.Tape(tape.Main)
	case t.Home == nil:
		return t.Store.Tape(name)
	case name == "":
		return nil, errNoSession
	}
	stem, err := t.Home.Find(t.options.Root, name)
	if errors.Is(err, fs.ErrNotExist) && t.options.Writes {
		stem, err = bub.NewName(t.options.Root, name)
	}
	if err != nil {
		return nil, err
	}
	return t.Home.Tape(stem)
}

// Archived is the archived tape with a path, as [Tape.Reset] returns it. If there is none, the error is fs.ErrNotExist.
func (t *Tapes) Archived(path string) (*Tape, error) {
	one, err := t.Store.OpenArchive(path)
	if err == nil {
		err = exists(one, path)
	}
	if err != nil {
		return nil, err
	}
	return t.Of(one), nil
}

// At are the entries that a URI names: one, whatever the query, or the selected ones of a tape, which must exist.
func (t *Tapes) At(ctx context.Context, ref tape.Ref, q tape.Query) (iter.Seq2[tape.Entry, error], error) {
	if ref.Entry != nil || ref.Anchor != nil {
		e, err := t.Resolve(ref)
		return func(yield func(tape.Entry, error) bool) { yield(e, nil) }, err
	}
	one, err := t.OfURI(ref)
	if err == nil {
		err = exists(one.Tape, ref.Tape)
	}
	if err != nil {
		return nil, err
	}
	return one.Query(ctx, q), nil
}

// List returns all tapes, sorted by name. If some cannot
// be read (symbolic links are not followed), the error names them and the
// others are listed.
func (t *Tapes) List() (list []tape.Info, err error) {
	names, err := t.names()
	if err != nil {
		return nil, err
	}
	var failed []error
	for _, name := range names {
		one, err := t.named(name)
		if err != nil {
			return nil, err
		}
		info, err := one.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist): // deleted in the meantime
		case err != nil:
			failed = append(failed, fmt.Errorf("tape %s: %w", name, err))
		default:
			list = append(list, info)
		}
	}
	return list, errors.Join(failed...)
}

// Near is the name that a misspelled name of a tape was meant to be, "" if none of
// the workspace's own tapes has one that is near enough.
func (t *Tapes) Near(name string) string {
	names, _ := t.names() // a suggestion is not worth an error
	return nearest.Word(name, names)
}

// Find returns the name of the tape that ref names: its name, or the beginning of it; ref if
// there is none. In a home of Bub, tapes have other names.
func (t *Tapes) Find(ref string) (string, error) {
	if t.Home != nil || ref == "" {
		return ref, nil
	}
	name, err := handoff.FindTitle(ref, "tape", t.Titled())
	return cmp.Or(name, ref), err
}

// Titled are the workspace's own tapes, by their names.
func (t *Tapes) Titled() (list []handoff.Titled) {
	names, _ := t.names() // those that can be listed; a name that is whole needs no list
	for _, name := range names {
		list = append(list, handoff.Titled{ID: name, Titles: []string{name}})
	}
	return list
}

// names are those of all tapes, symbolic links included, and those that only wait for the store.
func (t *Tapes) names() (names []string, err error) {
	if t.Home != nil {
		files, err := t.InHome()
		for _, f := range files {
			names = append(names, f.Stem)
		}
		return names, err
	}
	if names, err = t.Store.List(); err != nil {
		return nil, err
	}
	links, err := t.Store.Linked()
	names = append(names, links...)
	if t.options.Outbox != nil {
		requests, unread := t.options.Outbox.Requests()
		for _, r := range requests {
			if r.Step == outbox.Append {
				names = append(names, r.Tape)
			}
		}
		err = errors.Join(err, unread)
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// InHome are all tapes of the home of Bub, also those of other workspaces.
func (t *Tapes) InHome() ([]bub.File, error) { return t.Home.List("") }
