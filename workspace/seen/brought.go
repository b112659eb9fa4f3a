package seen

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"handoff/document/handoff"
)

// isNews decides about a document that the book does not know.
func (b *Book) isNews(ctx context.Context, f sighting) bool {
	if f.Name.Archived() {
		return false
	}
	switch {
	case b.begun.IsZero() && (b.first.IsZero() || !f.modified.After(b.first)): // at the tick of the start: written just before it
		return false
	case f.modified.Before(b.begun):
		return false // moved here from elsewhere
	}
	if b.tree == nil {
		return true
	}
	id, err := b.tracked(ctx, f)
	return err != nil || id == "" || !b.tree.Brought(ctx, b.top+f.Path, id, f.modified, b.since())
}

// GitTakes is how long a git command may take that is waited for.
const GitTakes = 5 * time.Second

// tracked is the id under which git tracks a document with its content, "" if it does not. A checkout
// writes the index after the files: what the index lacks is asked once more when none runs.
func (b *Book) tracked(ctx context.Context, f sighting) (id string, err error) {
	ask := func() (string, error) {
		index, err := b.tree.Tracked(ctx, filepath.Join(b.root, handoff.Root))
		return index.ID(strings.TrimPrefix(f.Path, handoff.Root+"/"), []byte(f.Doc.Source)), err
	}
	if id, err = ask(); id != "" || err != nil {
		return id, err
	}
	most := GitTakes
	if b.hurries {
		most = 0
	}
	b.hurries = !b.tree.Await(ctx, most)
	return ask()
}

// since is from when on a commit may have been made of a document that the book does not know.
func (b *Book) since() time.Time {
	since := b.looked.Add(-slack)
	begun := b.begun
	if begun.IsZero() {
		begun = b.first
	}
	if known := begun.Truncate(time.Second).Add(time.Second); known.After(since) { // commits have no fractions of a second
		return known
	}
	return since
}
