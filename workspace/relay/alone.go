package relay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"handoff/document/handoff"
	"handoff/internal/text/shellword"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/log"
)

// alone returns the relays of this working tree. The error is a [log.ErrRunning] if another relay works
// on the task, here or in another working tree of the repository: two would do the work twice. Other clones
// know it by its claim alone, see [receipts.Book.FreeTask].
func (r *Relay) alone(ctx context.Context, task int) ([]log.Summary, error) {
	list, _ := log.List(r.ws) // a damaged journal of another relay does not matter
	if id := log.RunningOf(list, task, r.ID); id != "" {
		return nil, fmt.Errorf("task %d: relay %s: %w (`handoff relay --stop %[2]s` stops it)", task, id, log.ErrRunning)
	}
	life, err := receipts.Open(r.ws)
	if err != nil {
		return nil, err
	}
	for there := range life.Worktrees() {
		others, _ := log.List(there)
		id := log.RunningOf(others, task, r.ID)
		if id == "" {
			continue
		}
		if same, err := sameTask(ctx, r.ws, there, task); err != nil {
			return nil, err
		} else if same {
			return nil, fmt.Errorf("task %d: relay %s in the worktree %s: %w (`handoff -C %[3]s relay --stop %[2]s` stops it)", task, id, shellword.Quote(there.Root), log.ErrRunning)
		}
		r.twin = true
	}
	return list, nil
}

// sameTask reports whether a number is that of one task in two working trees: it is not if both have
// folders of that number, and none has the same name.
func sameTask(ctx context.Context, a, b *workspace.Workspace, task int) (bool, error) {
	ours, err := foldersOf(ctx, a, task)
	if err != nil {
		return false, err
	}
	theirs, err := foldersOf(ctx, b, task)
	shared := slices.ContainsFunc(ours, func(dir string) bool { return slices.Contains(theirs, dir) })
	return shared || len(ours) == 0 || len(theirs) == 0, err
}

// foldersOf returns the folders of a task, without archived ones.
func foldersOf(ctx context.Context, ws *workspace.Workspace, task int) ([]string, error) {
	dirs, err := ws.TasksOf(ctx, ws.Root, strconv.Itoa(task))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return (handoff.Name{Dir: dir}).Archived() }), nil
}
