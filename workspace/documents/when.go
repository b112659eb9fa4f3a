package documents

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/parse"
	"handoff/workspace"
	"handoff/workspace/reconcile"
)

// Dates finds out when documents were written: by what they state, else by the last commit of
// the file, else by its time. It remembers what git answered, so programs that look again and
// again keep one. The zero value is ready; so is nil, which remembers nothing.
type Dates struct {
	mu      sync.Mutex
	commits map[content]time.Time
}

// content is a file as a commit has it.
type content struct{ path, id string }

// When returns when a document was written, and what shows that. doc may be nil: then it is
// read if that is necessary. With doc the time may be more exact than that of a list.
func When(ctx context.Context, w *workspace.Workspace, e Entry, doc *handoff.Document) handoff.When {
	if doc != nil {
		if own := believed(handoff.WrittenBy(e.Name, doc), w.Now()); own.At.Known() {
			return own
		}
	}
	one := []Entry{e}
	(*Dates)(nil).fill(ctx, w, one, nil)
	return one[0].When
}

// believed is the time that a document states; zero if that is too far in the future.
func believed(written handoff.Written, now time.Time) handoff.When {
	for _, w := range [...]handoff.When{written.When(), {At: written.Named, By: handoff.ByName}} {
		if w.At.Known() && !reconcile.Ahead(w.At, now) {
			return w
		}
	}
	return handoff.When{}
}

// fill sets when some documents were written. It reads only those whose names leave it open; of
// task folders those whose names have not even a date. Git is asked only
// about documents that state nothing, and once for all of them.
func (d *Dates) fill(ctx context.Context, w *workspace.Workspace, list []Entry, shows *Shows) {
	var silent []int
	texts := map[int][]byte{}
	for i := range list {
		e := &list[i]
		if e.When.By != "" {
			continue
		}
		named := handoff.WrittenBy(e.Name, nil)
		e.When = believed(named, w.Now())
		if e.When.At.Known() && (e.Name.Layout == "" || named.Named.Unit < handoff.Day && named.Named.Zoned) {
			continue
		}
		s, known := shows.known(*e)
		if own := believed(s.written, w.Now()); known && own.At.Known() {
			e.When = own
			continue
		}
		src, err := readInside(w, e.Path)
		if err != nil {
			continue // what shows the document reports it
		}
		doc := w.Config.Documents.Parse(e.Path, src, parse.Document)
		if !known {
			shows.add(*e, doc)
		}
		if own := believed(handoff.WrittenBy(e.Name, doc), w.Now()); own.At.Known() {
			e.When = own
		}
		if !e.When.At.Known() {
			silent = append(silent, i)
			texts[i] = src
		}
	}
	if len(silent) > 0 {
		d.ask(ctx, w, list, silent, texts)
	}
	for i := range list {
		if !list[i].When.At.Known() {
			list[i].When = handoff.When{By: handoff.ByNothing}
		}
	}
}

// ask asks git about the documents that state nothing, and about those that they continue or
// are continued by: a commit that changed all of them shows no order. A file that is not as
// committed was written at its own time.
func (d *Dates) ask(ctx context.Context, w *workspace.Workspace, list []Entry, silent []int, texts map[int][]byte) {
	about := companions(list, silent)
	ctx, cancel := context.WithTimeout(ctx, patience(ctx))
	defer cancel()
	tracked, certain := trackedOf(ctx, w, list, about)
	last := d.last(ctx, w, tracked)
	for _, i := range about {
		e := &list[i]
		t, inGit := tracked[e.Path]
		text, isSilent := texts[i]
		if inGit {
			e.commit = last[e.Path]
		}
		switch {
		case !isSilent:
		case inGit && t.Is(text):
			if !e.commit.IsZero() {
				e.When = handoff.When{At: second(e.commit), By: handoff.ByCommit}
			}
		case certain:
			e.When = handoff.When{At: second(fileTime(w, *e)), By: handoff.ByFile}
		}
		if !e.When.At.Known() || reconcile.Ahead(e.When.At, w.Now()) {
			e.When = handoff.When{}
		}
	}
}

// companions are some documents of a list, and all others of their chains.
func companions(list []Entry, some []int) (all []int) {
	chains, known := map[string]bool{}, map[int]bool{}
	for _, i := range some {
		known[i] = true
		if list[i].Name.Layout != "" {
			chains[list[i].Name.Chain] = true
		}
	}
	for i, e := range list {
		if known[i] || e.Name.Layout != "" && chains[e.Name.Chain] {
			all = append(all, i)
		}
	}
	return all
}

// trackedOf is what the last commit has of some documents, by path. certain is false if that
// could not be found out.
func trackedOf(ctx context.Context, w *workspace.Workspace, list []Entry, about []int) (tracked map[string]gitindex.Entry, certain bool) {
	if regular.GitTop(w.Root) == "" {
		return nil, true
	}
	var files []string
	for _, i := range about {
		if filepath.IsLocal(filepath.FromSlash(list[i].Path)) {
			files = append(files, list[i].Path)
		}
	}
	found, err := gitindex.Committed(ctx, w.Root, files)
	if err != nil {
		return nil, false
	}
	tracked = make(map[string]gitindex.Entry, len(found))
	for _, e := range found {
		tracked[e.Path] = e
	}
	return tracked, true
}

// last is when a commit last changed some files, by path. What git said earlier about the same
// content is still true.
func (d *Dates) last(ctx context.Context, w *workspace.Workspace, tracked map[string]gitindex.Entry) map[string]time.Time {
	if d == nil {
		d = &Dates{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	var unknown []string
	for path, e := range tracked {
		if _, ok := d.commits[content{path, e.ID}]; !ok {
			unknown = append(unknown, path)
		}
	}
	times, err := gitindex.LastChanged(ctx, w.Root, unknown)
	if d.commits == nil {
		d.commits = map[content]time.Time{}
	}
	last := make(map[string]time.Time, len(tracked))
	for _, path := range unknown {
		if at, ok := times[path]; ok || err == nil {
			d.commits[content{path, tracked[path].ID}] = at
		}
	}
	for path, e := range tracked {
		last[path] = d.commits[content{path, e.ID}]
	}
	return last
}

func second(t time.Time) handoff.Moment {
	if t.Year() < 2000 { // no time, or that of an archive without times
		return handoff.Moment{}
	}
	return handoff.Moment{Time: t.UTC().Truncate(time.Second), Unit: time.Second, Zoned: true}
}

// fileTime is when a file was changed; zero if there is none.
func fileTime(w *workspace.Workspace, e Entry) time.Time {
	path := filepath.FromSlash(e.Path)
	if !filepath.IsAbs(path) {
		path = w.Full(e.Path)
	}
	st, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// patience is how long git may take: at most half of what the caller has left.
func patience(ctx context.Context) time.Duration {
	const most = 5 * time.Second
	if end, limited := ctx.Deadline(); limited {
		return min(most, time.Until(end)/2)
	}
	return most
}
