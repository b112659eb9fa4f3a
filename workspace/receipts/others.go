package receipts

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"handoff/log/receipt"
	"handoff/workspace/current"
	"handoff/workspace/documents"
)

// Next is a handoff that is about to be written.
type Next struct {
	Task documents.Filter // as for [documents.OfTask]
	At   documents.Entry  // where
}

// Others are the claims of others than the caller on the task of the next handoff, and on handoffs that it may
// continue. See [Book.assumes] for a caller that may be mistaken for another program. Folders that cannot be read are
// skipped: the command that needs them reports them.
func (b *Book) Others(ctx context.Context, who current.Caller, next Next) (list []*receipt.HeldError) {
	filter := next.Task
	if next.At.Name.Loose {
		filter = documents.Filter{Chain: next.At.Chain(), Live: true}
	}
	entries, _ := documents.List(ctx, b.ws, filter)
	if at := next.At; at.Path != "" && !slices.ContainsFunc(entries, func(e documents.Entry) bool { return e.Path == at.Path }) {
		entries = append(entries, at) // whatever its task, the new one replaces it
	}
	lives, all := b.store.Lives(len(entries)), []string{}
	if task := next.Task.Task; task != nil {
		if whole, err := b.store.Place().Work(receipt.Work{Kind: receipt.WorkTask, ID: strconv.Itoa(*task)}); err == nil {
			all = append(all, whole)
		}
	}
	for _, e := range entries {
		all = append(all, b.store.Place().Path(e.Path))
	}
	for _, name := range all {
		l, err := lives.Life(name)
		if err != nil || l.State(b.ws.Now()) != receipt.Claimed || l.Claim.ID == who.Claim || b.assumes(who, name, next.At.Path) && l.Claim.ID == b.claimOn(Target{Who: who}, name) {
			continue
		}
		list = append(list, &receipt.HeldError{Path: name, Holder: l.Claim, At: b.ws.Now()})
	}
	return list
}

// assumes reports whether a caller is taken for the holder of what was claimed where it is, when it writes the handoff
// at a path. A program without a session and a terminal may be another one than the holder. Most hosts start
// commands so, each in a new shell, and the claimed handoff stays where it is: it is taken for the holder, and told so.
// Not if the new handoff takes the place of the claimed one, nor where sessions that know nothing of each other write:
// there it must pass its claim.
func (b *Book) assumes(who current.Caller, held, next string) bool {
	return who.Alone() || next != "" && held != b.store.Place().Path(next) && !b.ws.NameOf(next).Loose
}

// Explained is an error about what somebody else holds, with the reason why the holder is not the caller.
func (b *Book) Explained(held *receipt.HeldError, who current.Caller) error {
	return b.explain(held, Target{Who: who}, found{name: held.Path})
}

// TakeOver claims what somebody else holds that the next handoff may continue, by force: see [receipt.Moment.Claim].
func (b *Book) TakeOver(ctx context.Context, who current.Caller, next Next, r receipt.ClaimRequest) (err error) {
	r.Force = true
	for _, other := range b.Others(ctx, who, next) {
		if receipt.IsWork(other.Path) {
			_, bad := b.store.Record(ctx, other.Path, receipt.Moment{Now: b.ws.Now()}.Displace(other.Holder.ID, r.By, true, r.Why))
			err = errors.Join(err, bad)
			continue
		}
		path, _ := b.store.Place().InWorkspace(other.Path)
		_, bad := b.Claim(ctx, Target{Dir: b.ws.Root, Ref: path, Who: who}, r)
		if err = errors.Join(err, bad); next.At.Name.Loose {
			return err // the newest of them: the others are of other sessions
		}
	}
	return err
}

// InWorkspace is the path of what a claim is on, below the workspace: see [receipt.Place.InWorkspace].
func (b *Book) InWorkspace(name string) (path string, ok bool) {
	return b.store.Place().InWorkspace(name)
}
