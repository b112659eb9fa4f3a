package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"handoff/log/thread"
)

// mostNear is how many threads below one are looked up one by one: reading all is faster for more.
const mostNear = 24

// errFar: there are more threads below than are looked up one by one, the index may lack some, or one cannot be read.
var errFar = errors.New("many threads")

// Near is the lineage of a thread, of so many generations above and below if these are few threads. more reports that there are others above.
func (t *Threads) Near(ctx context.Context, id string, generations int) (root *thread.Node, more bool, err error) {
	info, err := t.Get(ctx, id)
	if err != nil {
		return nil, false, err
	}
	root = nodeOf(info)
	root.Focus = true
	seen := map[string]bool{id: true}
	if err = t.below(ctx, root, generations, seen); errors.Is(err, errFar) {
		root, err = t.Lineage(ctx, id)
		return root, false, err
	}
	clear(seen)
	for ; root.Parent != nil && generations > 0; generations-- {
		above := root.Parent.ThreadID
		if seen[above] {
			return nil, false, fmt.Errorf("thread %s is its own ancestor", above)
		}
		seen[above] = true
		parent := &thread.Node{ThreadID: above, Missing: true}
		if info, getErr := t.Get(ctx, above); getErr == nil {
			parent = nodeOf(info)
		} else if !errors.Is(getErr, fs.ErrNotExist) {
			err = errors.Join(err, getErr)
		}
		parent.Children = []*thread.Node{root}
		root = parent
	}
	return root, root.Parent != nil, err
}

// below adds the threads that continue a thread.
func (t *Threads) below(ctx context.Context, n *thread.Node, generations int, seen map[string]bool) error {
	if generations == 0 {
		return nil
	}
	ids, complete, err := t.Continuing(n.ThreadID)
	if err != nil {
		return err
	}
	if !complete || len(ids)+len(seen) > mostNear {
		return errFar
	}
	for _, id := range ids {
		info, err := t.Get(ctx, id)
		if errors.Is(err, fs.ErrNotExist) || err == nil && (seen[id] || info.Parent == nil || info.Parent.ThreadID != n.ThreadID) {
			continue // its file was deleted, or it is there already
		}
		if err != nil {
			return errFar
		}
		seen[id] = true
		child := nodeOf(info)
		n.Children = append(n.Children, child)
		if err := t.below(ctx, child, generations-1, seen); err != nil {
			return err
		}
	}
	slices.SortFunc(n.Children, func(a, b *thread.Node) int {
		return cmp.Or(cmp.Compare(a.CreatedAtMS, b.CreatedAtMS), cmp.Compare(a.ThreadID, b.ThreadID))
	})
	return nil
}

func nodeOf(i thread.Info) *thread.Node {
	return &thread.Node{ThreadID: i.ThreadID, CreatedAtMS: i.CreatedAtMS, Title: i.Title, Archived: i.Archived, Parent: i.Parent, Children: []*thread.Node{}}
}
