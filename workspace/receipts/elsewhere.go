package receipts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"

	"handoff/internal/file/regular"
	"handoff/internal/text/shellword"
	"handoff/log/engine"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/trust"
)

// Elsewhere is a handoff that waits in another working tree of the repository, and has no
// file in this one. It can only be taken up there: its work is there, too.
type Elsewhere struct {
	Worktree string `json:"worktree" doc:"the folder of the workspace there, absolute"`
	Item
}

// String says where it waits, and what to type to see it.
func (e Elsewhere) String() string {
	at := shellword.Quote(e.Worktree)
	return fmt.Sprintf("%s waits in the worktree %s: %s (`handoff -C %[2]s next`)", cmp.Or(e.Ref, e.Path), at, e.Why)
}

// Elsewhere lists what waits in the other working trees of the repository, of one task or
// of all tasks for nil. A working tree that cannot be read is left out: commands there
// report why.
func (b *Book) Elsewhere(ctx context.Context, only *documents.Filter) (list []Elsewhere) {
	for there := range b.Worktrees() {
		if ctx.Err() != nil {
			break
		}
		for _, i := range waitsAt(ctx, there, only) {
			here := filepath.Join(b.ws.Root, filepath.FromSlash(i.Path))
			known := slices.ContainsFunc(list, func(e Elsewhere) bool { return e.Path == i.Path })
			if i.Offered() && !known && regular.KindOf(here) != regular.File {
				list = append(list, Elsewhere{there.Root, i})
			}
		}
	}
	return list
}

// Worktrees opens this workspace in the other working trees of the repository, one after the
// other, and closes it again. Its receipts are those of this one, and as fresh, so no store is asked for each. A
// working tree that cannot be read, or that another user owns who is not trusted, is left out.
func (b *Book) Worktrees() iter.Seq[*workspace.Workspace] {
	o := b.ws.Options
	o.Say, o.Progress, o.OpenStore = nil, nil, away
	return func(yield func(*workspace.Workspace) bool) {
		for _, root := range b.store.Place().Elsewhere() {
			there, err := workspace.Open(root, o)
			if err != nil {
				continue
			}
			wanted := there.Root == root && there.Missing() == nil && !errors.Is(there.MayAct(), trust.ErrStranger)
			more := !wanted || yield(there)
			if there.Close(); !more {
				return
			}
		}
	}
}

// waitsAt is what waits in another working tree.
func waitsAt(ctx context.Context, there *workspace.Workspace, only *documents.Filter) []Item {
	book, err := Open(there)
	if err != nil {
		return nil
	}
	q, _ := book.Next(ctx, only)
	return q.Waiting
}

// away is a store that does not answer: then the copy is read.
func away(context.Context, string, engine.Address) (engine.Engine, error) {
	return nil, engine.ErrUnavailable
}
