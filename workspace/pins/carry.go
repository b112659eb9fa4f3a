package pins

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"handoff/document/handoff"
	"handoff/document/pinned"
	"handoff/parse"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
)

// Carried lists what was taken over from the previous handoff.
type Carried struct {
	From  string // path of that handoff; "" if there is none
	Shown int    // items that are in the new one
	Moved int    // items for which it has no room: they are in artifacts

	source string // of that handoff
	blobs  [][]byte
}

// tries is how often a handoff is rebuilt if another process wrote one meanwhile.
const tries = 60

// Create is create.Run for a handoff that takes over the pinned items of the last one: see
// Over. If another process writes a handoff of the task meanwhile, it takes over the items
// of that one.
func Create(ctx context.Context, w *workspace.Workspace, req create.Request) (made create.Created, c Carried, err error) {
	for range tries {
		now := req
		if c, err = Over(ctx, w, &now.Values, now.Slug); err != nil {
			return made, c, err
		}
		now.Writing = func(path string, src []byte) error {
			if err := c.store(w); err != nil || req.Writing == nil {
				return err
			}
			return req.Writing(path, src)
		}
		if req.Edit == nil { // in an editor, the user has already chosen
			now.Still = func(path string) error { return c.still(ctx, w, path) }
		}
		if made, err = create.Run(ctx, w, now); !errors.Is(err, errContinued) {
			return made, c, err
		}
	}
	return made, c, err
}

// store stores the artifacts with the items that were moved. It is called before the
// document is written.
func (c Carried) store(w *workspace.Workspace) error {
	if len(c.blobs) == 0 {
		return nil
	}
	store, err := w.Artifacts()
	if err != nil {
		return err
	}
	workspace.CreateStateDir(w.Root)
	for _, src := range c.blobs {
		if _, _, err := store.Put(src); err != nil {
			return errors.Join(err, store.Close())
		}
	}
	return store.Close()
}

// Over adds to the values of a new handoff the pinned items of the previous handoff,
// unchanged, unless the values already have or retire them. Items that do not fit on the
// screen are moved to one artifact for each section, and a line gives their number.
func Over(ctx context.Context, w *workspace.Workspace, v *templates.Values, slug string) (c Carried, err error) {
	chain, err := chainOf(ctx, w, *v, slug)
	if err != nil || len(chain) == 0 {
		return c, err
	}
	c.From = chain[len(chain)-1].Path
	left, source, err := dropped(ctx, w, chain, *v, slug)
	c.source = source
	if err != nil || len(left) == 0 {
		return c, err
	}
	p := packer{w: w, own: *v, slug: slug}
	if p.least, _, err = p.problems(ctx, p.own); err != nil {
		return c, err
	}
	for _, kind := range handoff.PinnedSections {
		p.take(kind, left[kind])
	}
	full, err := p.fit(ctx)
	if err != nil {
		return c, err
	}
	*v = full
	for _, kind := range handoff.PinnedSections {
		shown, moved := p.lists[kind].split()
		c.Shown += len(shown)
		if c.Moved += len(moved); len(moved) > 0 {
			c.blobs = append(c.blobs, pinned.Pack(kind, moved))
		}
	}
	return c, nil
}

// errContinued reports that another process wrote the next handoff meanwhile.
var errContinued = errors.New("other processes keep writing handoffs of the task: try again")

// still returns errContinued if the handoff that the items come from is no longer the last
// one, or has changed: then they must be taken over again. path is the path of the new one.
func (c Carried) still(ctx context.Context, w *workspace.Workspace, path string) error {
	list, err := live(ctx, w, path)
	if err != nil {
		return err
	}
	if len(list) == 0 && c.From == "" {
		return nil
	}
	if len(list) == 0 || list[len(list)-1].Path != c.From {
		return errContinued
	}
	last, err := documents.ReadInside(w, list[len(list)-1])
	if err == nil && last.Source != c.source { // one of another layout is replaced in place
		err = errContinued
	}
	return err
}

// dropped are the items of the last handoff that the values drop, by section, the newest
// first; source is the text of that handoff.
func dropped(ctx context.Context, w *workspace.Workspace, chain []documents.Entry, v templates.Values, slug string) (left map[handoff.Kind][]pinned.Item, source string, err error) {
	own, err := create.Render(ctx, w, create.Request{Values: v, Slug: slug, Draft: true})
	if err != nil {
		return nil, "", err
	}
	f, done, err := follow(w)
	if err != nil {
		return nil, "", err
	}
	defer done()
	at := chain[len(chain)-1].Path
	last, missing, err := through(w, f, chain)
	if err != nil {
		return nil, "", err
	}
	if len(missing) > 0 {
		m := missing[0]
		return nil, "", fmt.Errorf("%s:%d: %d more items are in artifact %s, which is not in the store and cannot be made from the documents before: they would be lost", at, m.Line, m.Count, m.Blob)
	}
	changes, _ := f.Next(w.Config.Documents.Parse(at, own, parse.Document))
	left = map[handoff.Kind][]pinned.Item{}
	for _, change := range changes {
		if change.Fate == pinned.Lost {
			left[change.Item.Section] = append(left[change.Item.Section], change.Item)
		}
	}
	return left, last.Source, nil
}

// chainOf are the handoffs that a new one would follow, the oldest first.
func chainOf(ctx context.Context, w *workspace.Workspace, v templates.Values, slug string) ([]documents.Entry, error) {
	made, err := create.Run(ctx, w, create.Request{Values: v, Slug: slug, Draft: true, Dry: true})
	if err != nil {
		return nil, err
	}
	return live(ctx, w, made.Path)
}

// live are the handoffs of the task of a path that are not archived, the oldest first.
func live(ctx context.Context, w *workspace.Workspace, path string) ([]documents.Entry, error) {
	list, err := Documents(ctx, w, documents.EntryAt(w, path))
	return slices.DeleteFunc(list, func(e documents.Entry) bool { return e.Archived() }), err
}
