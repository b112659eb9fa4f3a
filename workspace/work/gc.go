package work

import (
	"context"
	"time"

	"handoff/internal/file/gitwork"
	"handoff/log/receipt"
	"handoff/workspace"
)

// ownTime is how long work is kept that no handoff accounts for: what a session of no task left,
// and what a restore replaced.
const ownTime = 30 * 24 * time.Hour

// Collect returns the work that is no longer needed and, with remove, ends it: its handoff
// has been done or superseded for at least that time. git removes the objects later.
func Collect(ctx context.Context, ws *workspace.Workspace, age time.Duration, remove bool) (ended []Kept, err error) {
	all, err := List(ctx, ws, nil)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	lives, err := ws.Receipts()
	if err != nil {
		return nil, err
	}
	repo, err := gitwork.Open(ctx, ws.Root)
	if err != nil {
		return nil, err
	}
	over := judge(all, ws.Now(), age, func(handoff string) (receipt.State, time.Time, error) {
		life, err := lives.Life(handoff)
		return life.State(ws.Now()), life.Since(ws.Now()), err
	})
	for k, err := range over {
		if err == nil && remove {
			err = repo.Delete(ctx, k.Ref, k.Commit)
		}
		if err != nil {
			return ended, err
		}
		ended = append(ended, k)
	}
	return ended, nil
}

// judge yields the work that is over. Work without a handoff is of the handoff before it in its
// task.
func judge(all []Kept, now time.Time, age time.Duration, life func(handoff string) (receipt.State, time.Time, error)) func(yield func(Kept, error) bool) {
	return func(yield func(Kept, error) bool) {
		handoff, task := "", -1
		for _, k := range all {
			if k.Task != task {
				handoff, task = "", k.Task
			}
			if k.Handoff != "" {
				handoff = k.Handoff
			}
			over, err := now.Sub(k.At) >= max(age, ownTime), error(nil)
			if handoff != "" && k.By != ByRestore {
				var state receipt.State
				var since time.Time
				state, since, err = life(handoff)
				over = (state == receipt.Done || state == receipt.Superseded) && now.Sub(since) >= age && now.Sub(k.At) >= age
			}
			if (over || err != nil) && !yield(k, err) {
				return
			}
		}
	}
}
