package threads

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"handoff/log/thread"
)

// mostChildren is how many threads are looked up one by one: listing all is faster for more.
const mostChildren = 32

// Children describes the threads that continue a thread, by creation time. They are looked up, or found among all threads if the index
// may lack some. The error names threads that cannot be read.
func (t *Threads) Children(ctx context.Context, id string) (children []thread.Info, err error) {
	if err := t.Exists(id); err != nil {
		return nil, err
	}
	ids, complete, err := t.Continuing(id)
	if err != nil {
		return nil, err
	}
	var all []thread.Info
	if !complete || len(ids) > mostChildren {
		all, err = t.List(ctx)
		ids = nil
	}
	for _, child := range ids {
		info, getErr := t.Get(ctx, child)
		if !errors.Is(getErr, fs.ErrNotExist) { // its file was deleted
			all, err = append(all, info), errors.Join(err, getErr)
		}
	}
	for _, info := range all {
		if info.Parent != nil && info.Parent.ThreadID == id {
			children = append(children, info)
		}
	}
	slices.SortFunc(children, func(a, b thread.Info) int {
		return cmp.Or(cmp.Compare(a.CreatedAtMS, b.CreatedAtMS), cmp.Compare(a.ThreadID, b.ThreadID))
	})
	return slices.CompactFunc(children, func(a, b thread.Info) bool { return a.ThreadID == b.ThreadID }), err
}
