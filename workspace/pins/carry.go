package pins

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"handoff"
	"handoff/artifact"
	"handoff/parse"
	"handoff/pinned"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
)

// Carried is what was taken over from the handoff before.
type Carried struct {
	From  string // path of that handoff; "" if there is none
	Shown int    // items that are in the new one
	Moved int    // items for which it has no room: they are in artifacts
	blobs [][]byte
}

// Store stores the artifacts with the items that were moved. It is called before the
// document is written.
func (c Carried) Store(w *workspace.Workspace) error {
	if len(c.blobs) == 0 {
		return nil
	}
	store, err := w.Artifacts()
	if err != nil {
		return err
	}
	for _, src := range c.blobs {
		if _, _, err := store.Put(src); err != nil {
			return errors.Join(err, store.Close())
		}
	}
	return store.Close()
}

// Over adds to the values of a new handoff the pinned items of the handoff before it that
// the values neither have nor retire, as they are written there. Those for which a section
// has no room, the oldest, are moved to an artifact; a line says how many.
func Over(ctx context.Context, w *workspace.Workspace, v *templates.Values, slug string) (c Carried, err error) {
	chain, err := chainOf(ctx, w, *v, slug)
	if err != nil || len(chain) == 0 {
		return c, err
	}
	own, err := create.Render(w, create.Request{Values: *v, Slug: slug, Draft: true})
	if err != nil {
		return c, err
	}
	f, done, err := follow(w)
	if err != nil {
		return c, err
	}
	defer done()
	for _, e := range chain {
		doc, err := read(w, e)
		if err != nil {
			return c, err
		}
		c.From = e.Path
		if _, missing := f.Next(doc); e.Path == chain[len(chain)-1].Path && len(missing) > 0 {
			m := missing[0]
			return c, fmt.Errorf("%s:%d: %d more items are in artifact %s, which is not in the store and cannot be made from the documents before: they would be lost", e.Path, m.Line, m.Count, m.Blob)
		}
	}
	left := map[handoff.Kind][]pinned.Item{}
	changes, _ := f.Next(w.Config.Documents.Adapt(c.From, parse.Document(own)))
	for _, change := range changes {
		if change.Fate == pinned.Lost {
			left[change.Item.Section] = append(left[change.Item.Section], change.Item)
		}
	}
	c.into(&v.DeadEnds, v, handoff.DeadEnds, left[handoff.DeadEnds])
	c.into(&v.Context, v, handoff.Context, left[handoff.Context])
	return c, nil
}

// into adds items to a section.
func (c *Carried) into(list *[]string, v *templates.Values, kind handoff.Kind, items []pinned.Item) {
	if len(items) == 0 {
		return
	}
	spec := handoff.SpecOf(kind)
	if len(*list) == 1 && templates.IsNone((*list)[0]) {
		*list = nil
	}
	room := min(max(0, spec.MaxItems-len(*list)), len(items))
	for _, it := range items[:room] {
		*list = append(*list, it.Source)
	}
	c.Shown += room
	rest := items[room:]
	if len(rest) == 0 {
		return
	}
	src := pinned.Pack(kind, rest)
	c.blobs = append(c.blobs, src)
	c.Moved += len(rest)
	body := templates.List(*list, spec.Numbered)
	if body != "" {
		body += "\n\n"
	}
	if v.Bodies == nil {
		v.Bodies = map[handoff.Kind]string{}
	}
	v.Bodies[kind] = body + pinned.MovedLine(len(rest), fmt.Sprintf("handoff chain %d", v.Task), artifact.Sum(src).String())
	*list = nil
}

// chainOf are the handoffs that a new one would follow, the oldest first.
func chainOf(ctx context.Context, w *workspace.Workspace, v templates.Values, slug string) ([]documents.Entry, error) {
	made, err := create.Run(ctx, w, create.Request{Values: v, Slug: slug, Draft: true, Dry: true})
	if err != nil {
		return nil, err
	}
	list, err := Documents(ctx, w, documents.EntryAt(w, made.Path))
	return slices.DeleteFunc(list, func(e documents.Entry) bool { return e.Archived() }), err
}
