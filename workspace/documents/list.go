package documents

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/parse"
	"handoff/workspace"
)

// Entry is a document of a workspace.
type Entry struct {
	Path string // relative to the root, forward slashes
	Name handoff.Name

	// When is set by List and Find: when it was written. See [When].
	When handoff.When
	// Doubt is set by Find, and by List for the newest document of a task: why another one may
	// be newer; "" if none is.
	Doubt string

	commit time.Time // the last one that changed the file, if that was asked
}

// Ref is the short name of the entry, such as "259/3"; "" if its path does not contain
// task and phase.
func (e Entry) Ref() string { return e.Name.Ref() }

// Archived reports whether the document is in an archive or a vault.
func (e Entry) Archived() bool { return e.Name.Archived() }

// Filter selects documents. The zero value selects all of them.
type Filter struct {
	Task  *int      // of this task; nil for any
	ID    string    // of the task that the plan of another tool, or a tracker, calls so; "" for any
	Phase string    // of this phase, as written; "" for any
	Since time.Time // not older than this; a document is left out if it is unknown when it was written
	Live  bool      // without archived ones
	Chain string    // of this task: see [Entry.Chain]; "" for any
	// Few is how many of the newest must be in the right order, 0 for all: the others may follow their names, which
	// costs less.
	Few int
}

// OfTask selects the documents of a task: by what the plan of another tool calls it, else by its number.
func OfTask(number int, id string) Filter {
	if id != "" {
		return Filter{ID: id, Live: true}
	}
	return Filter{Task: &number, Live: true}
}

// Only selects the documents of a task that is not archived, by what the plan of another tool calls it,
// else by its number; nil for any task.
func Only(number *int, id string) *Filter {
	if number == nil && id == "" {
		return nil
	}
	return &Filter{Task: number, ID: id, Live: true}
}

// Enters reports whether a filter, or nil, may select a document with a name in the same folder.
func (f *Filter) Enters(n handoff.Name) bool { return f == nil || f.enters(n) }

// enters reports whether the filter may select a document in the same folder.
func (f Filter) enters(n handoff.Name) bool {
	return (f.Task == nil || n.Width > 0 && n.Task == *f.Task) && (f.ID == "" || f.called(n)) && !(f.Live && n.Archived())
}

// called reports whether a plan or a tracker calls the task of a document so.
func (f Filter) called(n handoff.Name) bool {
	return f.ID == n.ID || n.Ticket != "" && strings.EqualFold(f.ID, n.Ticket) || n.Dir != "" && f.ID == path.Base(n.Dir)
}

// keeps reports whether the filter selects a document in a folder that it enters.
func (f Filter) keeps(n handoff.Name) bool {
	return (f.Chain == "" || f.Chain == Entry{Name: n}.Chain()) && (f.Phase == "" || strings.EqualFold(n.PhaseText, f.Phase)) &&
		(f.Since.IsZero() || n.Time.IsZero() || !n.Time.Before(f.Since) || n.Class.HasClock() && !n.Zoned() && !latest(n).Before(f.Since))
}

// tooOld reports whether a document whose name has no time was written before the filter's.
func (f Filter) tooOld(e Entry) bool {
	return !f.Since.IsZero() && e.Name.Time.IsZero() && (!e.When.At.Known() || e.When.At.Latest().Before(f.Since))
}

func latest(n handoff.Name) time.Time {
	m, _ := n.Moment()
	return m.Latest()
}

// List returns the documents of the workspace, of task folders and of layouts, the newest
// first; see [Compare]. The error names the folders that
// the filter selects and that cannot be read; the list has the documents of all others.
func List(ctx context.Context, w *workspace.Workspace, filter Filter) ([]Entry, error) {
	list, err := Paths(ctx, w, filter)
	if len(list) == 0 {
		return list, err
	}
	if !filter.Since.IsZero() { // leaves some of them out
		filter.Few = 0
	}
	loose := 0
	for i := range list {
		if list[i].Name.Layout != "" {
			loose++
		}
	}
	shows := OpenShows(w, loose)
	defer shows.Close()
	(*Dates)(nil).arrange(ctx, w, list, filter.Few, shows)
	return slices.DeleteFunc(list, filter.tooOld), err
}

// Paths is List for callers that must be fast: in the order of the names, without looking at the
// documents. So Since does not leave out those whose names have no time.
func Paths(ctx context.Context, w *workspace.Workspace, filter Filter) ([]Entry, error) {
	var list []Entry
	var unread error
	fail := func(path string, err error) error {
		unread = errors.Join(unread, fmt.Errorf("%s: %w", path, workspace.Reason(err)))
		return nil
	}
	var index *index // for a listing of one task it costs more than it saves
	if filter.Task == nil && filter.ID == "" && filter.Chain == "" {
		index = openIndex(w, 1, 0)
		defer index.close()
	}
	add := func(dir string) (err error) {
		name := handoff.ParseName(dir + "/x.md")
		if !filter.enters(name) {
			return nil
		}
		names, known := index.names(strings.TrimSuffix(dir, "/"+handoff.Folder))
		if !known {
			names, _, err = workspace.NamesIn(w.Trusted(), w.Full(dir), "")
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		if err != nil {
			return fail(filepath.FromSlash(dir), err)
		}
		for _, base := range w.Config.Keep(w.Full(dir), names) {
			if n := name.With(base); filter.keeps(n) {
				list = append(list, Entry{Path: dir + "/" + base, Name: n})
			}
		}
		return nil
	}
	err := w.Walk(ctx, func(f task.Found) error {
		switch f.Kind {
		case task.Task:
			return add(f.Path + "/" + handoff.Folder)
		case task.Documents:
			return add(f.Path)
		case task.Link:
			if err := workspace.LeadsOut(w.Trusted(), w.Full(f.Path)); err != nil {
				return fail(f.Path, err)
			}
		}
		return nil
	}, fail)
	if err != nil {
		return nil, err
	}
	elsewhere, err := w.Elsewhere(ctx, fail)
	if err != nil {
		return nil, err
	}
	for _, p := range elsewhere {
		if n := w.NameOf(p); filter.enters(n) && filter.keeps(n) {
			list = append(list, Entry{Path: p, Name: n})
		}
	}
	Sort(list, func(a, b *Entry) int { return b.Name.Compare(a.Name) })
	return list, unread
}

// EntryAt is the entry of a path below the root, which need not exist.
func EntryAt(w *workspace.Workspace, path string) Entry {
	return Entry{Path: path, Name: w.NameOf(path)}
}

// Read returns the document of an entry.
func Read(w *workspace.Workspace, e Entry) (*handoff.Document, error) {
	src, err := Source(w, e)
	if err != nil {
		return nil, err
	}
	return Parse(w, e, src), nil
}

// Parse parses the source of an entry.
func Parse(w *workspace.Workspace, e Entry, src []byte) *handoff.Document {
	return w.Config.Documents.Parse(e.Path, src, parse.Document)
}

// Source reads the file of an entry.
func Source(w *workspace.Workspace, e Entry) ([]byte, error) {
	path := filepath.FromSlash(e.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Root, path)
	}
	src, err := w.TrustedAt(path).ReadFile(path, workspace.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.Path, workspace.Reason(err))
	}
	return src, nil
}

// Same returns the path of the newest document that the filter selects if its text is
// src, except for the title; else "".
func Same(ctx context.Context, w *workspace.Workspace, filter Filter, src []byte) (string, error) {
	list, err := List(ctx, w, filter)
	if err != nil || len(list) == 0 {
		return "", err
	}
	there, err := Read(w, list[0])
	if err != nil || untitled(there) != untitled(parse.Document(src)) {
		return "", err
	}
	return list[0].Path, nil
}

// untitled returns the text of a document without its title.
func untitled(doc *handoff.Document) string {
	l := doc.Title.Lines
	if l.First == 0 {
		return doc.Source
	}
	return doc.Source[:doc.Offset(l.First)] + doc.Source[doc.Offset(l.Last+1):]
}
