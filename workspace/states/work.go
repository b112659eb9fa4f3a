package states

import (
	"cmp"
	"slices"
	"strconv"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Work is an issue, a task or paths that somebody has claimed: see [receipt.Work].
type Work struct {
	Work  string    `json:"work" doc:"what is claimed: issue:311, task:7 or path:src/x/**"`
	By    string    `json:"by" doc:"name of the holder"`
	Since time.Time `json:"since" doc:"when it was claimed"`
	Until time.Time `json:"until" doc:"end of the lease"`
	Token uint64    `json:"token" doc:"fencing token of the claim"`
}

// HeldWork lists the work that is held, the lease that ends first is the first. The error is
// about receipts that cannot be read; the list has all others.
func HeldWork(w *workspace.Workspace) (list []Work, err error) {
	store, err := w.Receipts()
	if err != nil {
		return nil, nil // without a place for receipts there are no claims
	}
	lives, err := store.Work(w.Now())
	for _, l := range lives {
		what, here := store.Place().WorkOf(l.Name())
		if c := l.Claim; here && l.State(w.Now()) == receipt.Claimed {
			list = append(list, Work{what.String(), c.By, c.At, c.Until, c.Token})
		}
	}
	slices.SortFunc(list, func(a, b Work) int { return cmp.Or(a.Until.Compare(b.Until), cmp.Compare(a.Work, b.Work)) })
	return list, err
}

// claims are who holds a task as a whole. The zero value has none.
type claims struct {
	of func(handoff.Name) (c receipt.Claim, held bool) // by its number

	none func() bool // whether it is certain that no task has a claim
}

func taskClaims(w *workspace.Workspace) claims {
	store, err := w.Receipts()
	if err != nil {
		return claims{}
	}
	lives := sync.OnceValue(func() receipt.Lives { return store.Lives(anyNumber) })
	return claims{none: func() bool { return lives().NoWork() }, of: func(n handoff.Name) (c receipt.Claim, held bool) {
		if n.Width == 0 {
			return c, false
		}
		name, _ := store.Place().Work(receipt.Work{Kind: receipt.WorkTask, ID: strconv.Itoa(n.Task)})
		l, err := lives().Life(name)
		return l.Claim, err == nil && l.State(w.Now()) == receipt.Claimed
	}}
}

// anyNumber of tasks is asked about: the receipts are listed once.
const anyNumber = 1 << 16

// nameOf is a name of a document of a task, which has its number.
func nameOf(t *documents.Task) handoff.Name {
	switch {
	case t.Dir != "":
		return documents.TaskName(t.Dir)
	case t.Entry.Name.Width > 0:
		return t.Entry.Name
	}
	return handoff.ParseName(t.Last.Path)
}
