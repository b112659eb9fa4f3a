package feed

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/text/say"
	"handoff/log/artifact"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// linked are the links in the metadata of a task, as it was read.
type linked struct {
	file fs.FileInfo
	ids  map[string]artifact.ID // by path of the document
}

// fresh is the age below which a file may change without a new time.
const fresh = 2 * time.Second

// missing are the events that the feed does not have yet: of new documents, oldest
// first, then links, then steps. A document outside of task folders has no metadata
// whose link shows that it changed, so a changed one is written again.
func (f *Feed) missing(ctx context.Context, ws *workspace.Workspace, tree bool) ([]Event, error) {
	steps, unknown, err := f.steps(ctx, ws)
	if err != nil || !tree && !unknown {
		return steps, err
	}
	list, err := documents.Paths(ctx, ws, documents.Filter{Live: true})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f.say(err) // the others are known
	var events, links []Event
	for _, e := range slices.Backward(list) {
		if !nameable(e.Path) {
			continue
		}
		told := f.state.of[e.Path]
		if e.Name.Layout != "" {
			if ev, ok := f.version(ws, e, told); ok {
				events = append(events, ev)
			}
			continue
		}
		if !told.written {
			events = append(events, about(e, Event{At: modified(ws, e.Path), Type: Written}))
		}
		if id, at := f.linkOf(ws, e); id != "" && id != told.bundle {
			links = append(links, about(e, Event{At: at, Type: Linked, Bundle: id}))
		}
	}
	return slices.Concat(events, links, steps), nil
}

// version is the event of a new document outside of task folders, or of one whose
// content differs from that in the feed. An unreadable one gets only one such event.
func (f *Feed) version(ws *workspace.Workspace, e documents.Entry, told told) (ev Event, ok bool) {
	sum, at, err := f.sums.Of(ws, e.Path)
	if at.IsZero() || told.written && (err != nil || sum == told.sum) { // zero: removed since it was listed
		return ev, false
	}
	return about(e, Event{At: stamp(at), Type: Written, SHA256: sum}), true
}

// about completes an event about a document.
func about(e documents.Entry, ev Event) Event {
	ev.Path, ev.Ref, ev.Task, ev.Phase = e.Path, e.Ref(), e.Name.Task, e.Name.PhaseText
	return ev
}

// modified is when a file was last changed; the zero time if it was deleted.
func modified(ws *workspace.Workspace, path string) time.Time {
	st, err := os.Stat(ws.Full(path))
	if err != nil {
		return time.Time{}
	}
	return stamp(st.ModTime())
}

// stamp is a time as the feed has it; the zero time if JSON cannot have it.
func stamp(t time.Time) time.Time {
	if t = t.UTC().Truncate(time.Millisecond); t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}
	}
	return t
}

// linkOf is the bundle that the metadata names for a document, and since when at the
// latest. Metadata that cannot be read links nothing: `handoff verify` reports it.
func (f *Feed) linkOf(ws *workspace.Workspace, e documents.Entry) (id string, at time.Time) {
	if e.Name.Dir == "" {
		return "", at
	}
	path := e.Name.Dir + "/" + handoff.MetadataFile
	l, known := f.links[e.Name.Dir]
	now, err := os.Stat(ws.Full(path))
	if err != nil {
		return "", at
	}
	at = now.ModTime()
	same := known && os.SameFile(l.file, now) && l.file.Size() == now.Size() && l.file.ModTime().Equal(at)
	if !same || time.Since(at) < fresh {
		ids, err := documents.Links(ws, e.Name.Dir)
		if err != nil {
			return "", at
		}
		l = linked{now, ids}
		f.links[e.Name.Dir] = l
	}
	if id, ok := l.ids[e.Path]; ok {
		return id.String(), stamp(at)
	}
	return "", at
}

// steps are the steps of receipts that the feed does not have. unknown reports that one
// of them is about a document that it does not know, or not with this content.
func (f *Feed) steps(ctx context.Context, ws *workspace.Workspace) (events []Event, unknown bool, err error) {
	store, err := ws.Receipts()
	if err != nil {
		return nil, false, err
	}
	for life, err := range store.Changed(f.seen) {
		if err != nil {
			f.say(err)
			continue
		}
		if len(life.Steps) == 0 {
			continue
		}
		e, ok := entryOf(ctx, ws, store.Place(), life.Name())
		if !ok {
			continue
		}
		told := f.state.of[e.Path]
		if !told.isOf(life) {
			told.steps = 0
		}
		if !receipt.IsWork(life.Name()) {
			unknown = unknown || !told.written || e.Name.Layout != "" && life.Last().SHA256 != told.sum
		}
		for i, s := range life.Steps[told.steps:] {
			s.Seq = told.steps + uint64(i) // in the log of claimed paths, that of all of them
			events = append(events, stepEvent(store.Place(), e, s))
		}
	}
	inOrder(events)
	return events, unknown && len(events) > 0, nil
}

// entryOf is the document whose receipts have a name, or work that was claimed without one, whose path is what a
// person types: issue:311. ok is false if it is of another workspace.
func entryOf(ctx context.Context, ws *workspace.Workspace, place receipt.Place, name string) (e documents.Entry, ok bool) {
	path, ok := place.InWorkspace(name)
	if !ok || !nameable(path) {
		return e, false
	}
	if work, is := place.WorkOf(name); is {
		if e.Path = path; work.Kind == receipt.WorkTask {
			e.Name.Task, _ = strconv.Atoi(work.ID)
		}
		return e, true
	}
	e, err := documents.FindInside(ctx, ws, path)
	return e, err == nil
}

func stepEvent(place receipt.Place, e documents.Entry, s receipt.Step) Event {
	ev := about(e, Event{At: s.At, Type: Type(s.Kind), Step: &s.Seq, SHA256: say.Head(s.SHA256, maxText), By: say.Head(s.By, maxText), Token: s.Token, Until: s.Until, Why: say.Head(s.Why, maxText), Host: say.Head(s.Host, maxText), Session: say.Head(s.Session, maxText)})
	if next, ok := place.InWorkspace(s.Next); ok && s.Next != "" && nameable(next) {
		ev.Next = next
	}
	return ev
}

// Receipts may have been written by hand. An event that does not fit in a line would
// stop the feed, and a path that JSON cannot have would be new each time.
const (
	maxPath = 8 << 10 // bytes
	maxText = 500
	maxLine = 1 << 17 // with two paths and two texts, escaped
)

func nameable(path string) bool { return len(path) <= maxPath && utf8.ValidString(path) }

// inOrder sorts the steps of several handoffs by time. Those of one handoff keep their
// order, whatever the clocks of their writers showed.
func inOrder(events []Event) {
	at := make(map[string]time.Time)
	for i, e := range events {
		if latest := at[e.Path]; e.At.Before(latest) {
			events[i].sorted = latest
		} else {
			events[i].sorted, at[e.Path] = e.At, e.At
		}
	}
	slices.SortStableFunc(events, func(a, b Event) int { return cmp.Or(a.sorted.Compare(b.sorted), cmp.Compare(a.Path, b.Path)) })
}

// say reports a problem once, until another one occurs.
func (f *Feed) say(err error) {
	if err == nil || errors.Is(err, context.Canceled) || err.Error() == f.said {
		return
	}
	f.said = err.Error()
	f.opt.Say(f.said)
}
