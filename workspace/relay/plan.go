package relay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
)

// complete adds to a plan what the workspace has: the folder of the task, and the
// handoff that waits in it. older are relays of the task that ask something, which this one
// makes superfluous.
func (r *Relay) complete(ctx context.Context, p *chain.Plan) (older []string, err error) {
	list, err := r.alone(ctx, p.Task)
	if err != nil {
		return nil, err
	}
	for _, other := range list {
		if other.Task == p.Task && other.State == log.Asks {
			older = append(older, other.ID)
		}
	}
	if err := r.waiting(ctx, p, list); err != nil {
		return nil, err
	}
	return older, r.place(ctx, p)
}

// waiting finds the handoff of the task that waits, and whether this relay may have it.
func (r *Relay) waiting(ctx context.Context, p *chain.Plan, list []log.Summary) error {
	life, err := receipts.Open(r.ws)
	if err != nil {
		return err
	}
	if !r.twin {
		if err := life.FreeTask(ctx, p.Task, p.Claim); err != nil {
			return unfinished(list, p.Task, err)
		}
	}
	q, err := life.Next(ctx, documents.Only(&p.Task, ""))
	switch {
	case err != nil:
		return err
	case len(q.Unclear) > 0:
		return fmt.Errorf("%w: %s: rename or delete one of them", handoff.ErrInvalid, q.Unclear[0])
	case len(q.Held) > 0 && !q.Held[0].Claimed():
		i := q.Held[0]
		return fmt.Errorf("%w: %s is with a session that may still run: %s, until %s (`handoff claim %[2]s --as NAME` takes it: a relay uses HANDOFF_CLAIM)",
			receipt.ErrRefused, i.Path, i.Why, i.Until.UTC().Format(time.RFC3339))
	case len(q.Held) > 0:
		if err := r.free(ctx, life, q.Held[0].Path, p.Claim); err != nil {
			return unfinished(list, p.Task, err)
		}
		p.Handoff = q.Held[0].Path
	case len(q.Waiting) > 0 && q.Waiting[0].Refused != nil:
		return q.Waiting[0].Refused
	case len(q.Waiting) > 0 && q.Waiting[0].Unclear():
		return fmt.Errorf("%w: it is unclear whether %s waits: %s (claim it with `handoff claim`: a relay uses your claim)", handoff.ErrInvalid, q.Waiting[0].Path, q.Waiting[0].Why)
	case len(q.Waiting) > 0:
		p.Handoff = q.Waiting[0].Path
	case p.Objective == "":
		return fmt.Errorf("%w: no handoff of task %d waits: say what to do (handoff relay --task %[2]d --agent %s -- \"finish phase 2\")", handoff.ErrInvalid, p.Task, shellword.Quote(p.Agents[0]))
	}
	return nil
}

// free returns the [receipt.HeldError] of a handoff that another claim than this one
// holds.
func (r *Relay) free(ctx context.Context, life *receipts.Book, path, claim string) error {
	record, _, err := life.Life(ctx, receipts.Target{Dir: r.ws.Root, Ref: path})
	if err == nil && record.Claim != claim {
		err = &receipt.HeldError{Path: path, Holder: receipt.Claim{ID: record.Claim, Token: record.Token, By: record.By, Until: record.Until}}
	}
	return err
}

// unfinished adds to an error the relay that may hold the handoff of a task.
func unfinished(list []log.Summary, task int, err error) error {
	i := slices.IndexFunc(list, func(s log.Summary) bool { return s.Task == task && s.State == "killed" })
	if i < 0 {
		return err
	}
	return fmt.Errorf("%w; a relay of this task was killed: `handoff relay --resume %s` continues it", err, list[i].ID)
}

// place finds the folder of the task, or chooses the name of a new one.
func (r *Relay) place(ctx context.Context, p *chain.Plan) error {
	if p.Task < 1 || p.Task > handoff.MaxTask {
		return fmt.Errorf("%w: a task is a number from 1 to %d (--task 259)", handoff.ErrInvalid, handoff.MaxTask)
	}
	dirs, err := foldersOf(ctx, r.ws, p.Task)
	if err != nil {
		return err
	}
	p.Phase = max(handoff.ParseName(p.Handoff).Phase, 1)
	switch {
	case len(dirs) > 1:
		return fmt.Errorf("task %d has several folders: %s", p.Task, strings.Join(dirs, ", "))
	case len(dirs) == 1:
		p.Dir, p.Slug = dirs[0], ""
	case p.Slug == "":
		p.Slug = cmp.Or(handoff.SlugFrom(p.Objective), "relay")
	}
	return nil
}
