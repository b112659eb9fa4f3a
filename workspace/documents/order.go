package documents

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/reconcile"
)

// arrange sorts documents, the newest first, by the time at which each was written. That is a
// total order. Within the documents that continue each other it then follows what else shows
// which is newer, and sets the doubt of the first one if nothing does.
//
// All lists of documents are sorted here, so that commands, servers and hooks name the same
// document as the newest. Which document leads a task is found out only where it can be seen in the first
// few of the list; 0 is all of it.
func (d *Dates) arrange(ctx context.Context, w *workspace.Workspace, list []Entry, few int, shows *Shows) {
	if len(list) == 0 {
		return
	}
	d.fill(ctx, w, list, shows)
	Sort(list, Compare)
	places := map[string][]int{}
	for i, e := range list {
		places[e.Chain()] = append(places[e.Chain()], i)
	}
	in := leads{ctx: ctx, w: w}
	defer in.close()
	for chain, at := range places {
		if few == 0 || at[0] < few {
			in.settle(list, at)
			delete(places, chain)
		}
	}
	for _, at := range places { // the order in a task changes none of its places
		if slices.ContainsFunc(at, func(i int) bool { return list[0].When.At.Compare(list[i].When.At) != handoff.Newer }) {
			in.settle(list, at)
		}
	}
	first(ctx, w, list)
}

// settle finds out which of the documents at some places, which continue each other, is the newest.
func (l *leads) settle(list []Entry, at []int) {
	if len(at) < 2 {
		return
	}
	chain := make([]Entry, len(at))
	for i, place := range at {
		chain[i] = list[place]
	}
	if chain[0].Name.Layout == "" {
		l.lead(chain)
	} else {
		rank(l.w, chain)
	}
	for i, place := range at {
		list[place] = chain[i]
	}
}

// first moves the newest document to the front, where several tasks have one of the same day
// in their names: then the text decides.
func first(ctx context.Context, w *workspace.Workspace, list []Entry) {
	best, seen := 0, map[string]bool{}
	for i := range list {
		e := &list[i]
		if seen[e.Chain()] || list[0].When.At.Compare(e.When.At) == handoff.Newer || !e.When.At.Known() {
			continue
		}
		if seen[e.Chain()] = true; e.Name.Layout == "" && e.When.At.Unit == handoff.Day {
			if doc, err := ReadInside(w, *e); err == nil {
				e.When = When(ctx, w, Entry{Path: e.Path, Name: e.Name}, doc)
			}
		}
		if e.When.At.Compare(list[best].When.At) == handoff.Newer {
			best = i
		}
	}
	e := list[best]
	copy(list[1:best+1], list[:best])
	list[0] = e
}

// Compare orders documents by the time at which they were written, the newest first; those
// without a time come last.
func Compare(a, b *Entry) int {
	return cmp.Or(b.When.At.Time.Compare(a.When.At.Time), b.Name.Compare(a.Name), cmp.Compare(a.Path, b.Path))
}

// Sort sorts large items. It keeps the order of equal ones, and moves each once.
func Sort[T any](items []T, compare func(a, b *T) int) {
	from := make([]int, len(items)) // where the item is now that belongs at an index
	for i := range from {
		from[i] = i
	}
	slices.SortFunc(from, func(i, j int) int { return cmp.Or(compare(&items[i], &items[j]), i-j) })
	for i := range items {
		first, at := items[i], i
		for next := from[at]; next != i; next = from[at] {
			items[at], from[at], at = items[next], at, next
		}
		items[at], from[at] = first, at
	}
}

// chain is what documents that continue each other have in common.
func (e Entry) Chain() string {
	switch {
	case e.Name.Layout != "":
		return e.Name.Chain
	case e.Name.Dir != "":
		return e.Name.Dir
	}
	return e.Path
}

// rank sorts the documents of a layout that continue each other: by their numbers if all have
// one and none has a time in its name. It keeps the order otherwise.
func rank(w *workspace.Workspace, chain []Entry) {
	if !slices.ContainsFunc(chain, func(e Entry) bool { return !e.numbered() }) {
		slices.SortStableFunc(chain, func(a, b Entry) int { return b.Name.Phase - a.Name.Phase })
	}
	for _, e := range chain[1:] {
		if newer(w, chain[0], e) == handoff.Newer {
			continue
		}
		first, other := path.Base(chain[0].Path), path.Base(e.Path)
		if first == other {
			first, other = chain[0].Path, e.Path
		}
		chain[0].Doubt = fmt.Sprintf(`cannot tell whether %s is newer than %s: write "Last updated: TIME" into the newer one`, other, first)
		if a, ok := e.Name.Moment(); ok {
			if b, _ := chain[0].Name.Moment(); a == b {
				chain[0].Doubt = fmt.Sprintf("%s and %s have the same time in their names: remove or rename the older one", first, other)
			}
		}
		return
	}
}

func (e Entry) numbered() bool { return e.Name.PhaseText != "" && e.Name.Time.IsZero() }

// newer orders two documents of a layout that continue each other, as far as that is certain.
func newer(w *workspace.Workspace, a, b Entry) handoff.Order {
	if a.numbered() && b.numbered() {
		if c := a.Name.ComparePhase(b.Name); c != handoff.Unordered {
			return c
		}
	}
	c := a.When.At.Compare(b.When.At)
	switch {
	case c == handoff.Newer && a.derived():
		return bounded(w, a, b)
	case c == handoff.Older && b.derived():
		return -bounded(w, b, a)
	case c == handoff.Unordered && a.When.At == b.When.At && !a.derived() && !b.derived():
		if a.Name.Count != b.Name.Count {
			return handoff.Order(cmp.Compare(a.Name.Count, b.Name.Count))
		}
		return a.Name.ComparePhase(b.Name)
	}
	return c
}

// derived reports whether a document states no time: it may be older than its last commit,
// and than its file.
func (e Entry) derived() bool {
	return e.When.By == handoff.ByCommit || e.When.By == handoff.ByFile
}

// together is the longest time that a checkout or a copy takes to write the files of a folder.
// Times that are closer together prove nothing.
const together = 10 * time.Second

// bounded is Newer if a document without a stated time is certainly newer than another: it was
// committed later, or its file was written later than the other one.
func bounded(w *workspace.Workspace, silent, other Entry) handoff.Order {
	if silent.When.By == handoff.ByCommit {
		if !other.commit.IsZero() && silent.commit.After(other.commit) {
			return handoff.Newer
		}
		return handoff.Unordered
	}
	if other.When.By == handoff.ByCommit {
		return handoff.Newer // its content was there when it was committed
	}
	if at := fileTime(w, other); !at.IsZero() && silent.When.At.Time.Sub(at) > together {
		return handoff.Newer
	}
	return handoff.Unordered
}

// newest is the first of a sorted list. Its doubt is set if another document may be newer,
// also one of another task.
func newest(list []Entry) Entry {
	first := list[0]
	if first.Doubt != "" {
		return first
	}
	seen := map[string]bool{first.Chain(): true}
	for _, e := range list[1:] {
		if seen[e.Chain()] {
			continue
		}
		seen[e.Chain()] = true
		if first.When.At.Compare(e.When.At) != handoff.Newer {
			first.Doubt = "cannot tell whether " + e.Path + " is newer than " + first.Path
			break
		}
	}
	return first
}

// leads finds the newest documents of tasks. It loads a task only if the names leave that
// open.
type leads struct {
	ctx   context.Context
	w     *workspace.Workspace
	store *artifact.Store
	load  reconcile.Loader
	tasks int // that were loaded
	err   error
}

// lead moves the newest document of a task to the front, and sets its doubt.
func (l *leads) lead(chain []Entry) {
	first := chain[0]
	var paths []string
	open := false
	for _, e := range chain {
		paths = append(paths, e.Path)
		c := handoff.WrittenBy(first.Name, nil).Compare(handoff.WrittenBy(e.Name, nil))
		open = open || e.Path != first.Path && c != handoff.Newer
	}
	if !open || l.open() != nil {
		return
	}
	state, err := Load(l.ctx, l.w, &l.load, l.store, first.Name.Dir)
	if err != nil {
		return // by name: operations on the task report why it cannot be read
	}
	newest, doubt := state.Newest(paths)
	if i := slices.Index(paths, newest); i >= 0 {
		e := chain[i]
		e.Doubt = doubt
		copy(chain[1:i+1], chain[:i])
		chain[0] = e
	}
}

// open prepares loading a task. For the first one git is asked about its folder alone, if that
// is necessary, and then once about all others.
func (l *leads) open() error {
	if l.tasks++; l.tasks == 2 {
		l.load.Added = addedOnce(l.ctx, l.w)
	}
	if l.store == nil && l.err == nil {
		l.store, l.err = artifact.Open(l.w.Root)
		l.load.Brief = true
	}
	return l.err
}

func (l *leads) close() {
	if l.store != nil {
		l.store.Close()
	}
}

// addedOnce asks git when it got the documents of all task folders, at the first call.
func addedOnce(ctx context.Context, w *workspace.Workspace) func() map[string]time.Time {
	return sync.OnceValue(func() map[string]time.Time {
		if regular.GitTop(w.Root) == "" {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, patience(ctx))
		defer cancel()
		added, err := gitindex.Added(ctx, w.Root, ":(glob)"+handoff.Root+"/**/"+handoff.Folder+"/*.md")
		if err != nil {
			return nil
		}
		return added
	})
}
