package receipts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff"
	"handoff/internal/file/lockfile"
	"handoff/receipt"
	"handoff/workspace/current"
	"handoff/workspace/documents"
	"handoff/workspace/outbox"
)

// Item is a handoff that waits, or that an agent or a person has claimed.
type Item struct {
	Ref        string          `json:"ref"`
	Path       string          `json:"path"`
	Task       int             `json:"task"`
	Phase      string          `json:"phase"`
	State      receipt.State   `json:"state"`
	Since      *handoff.Moment `json:"since"`
	Why        string          `json:"why"`
	By         string          `json:"by,omitempty"`
	Until      *time.Time      `json:"until,omitempty"`
	NextAction string          `json:"next_action"`
	Queued     []outbox.Step   `json:"queued,omitempty" doc:"steps that wait for the store: the other members already count them"`

	// Conflict is why the document must not be delivered; nil if it may be.
	Conflict *handoff.ConflictError `json:"-"`

	rank  int
	life  receipt.Life
	entry documents.Entry
}

// Document is the document of the item, with what is known of its time.
func (i Item) Document() documents.Entry {
	e := i.entry
	e.Path = i.Path
	return e
}

// Unclear reports whether a person must decide if the handoff waits at all.
func (i Item) Unclear() bool { return i.rank == unclear }

// The ranks of items that wait, the best first.
const (
	open = iota
	acknowledged
	unclear
)

// Queue is the newest handoffs of all tasks that are not finished.
type Queue struct {
	Waiting []Item   // the best first
	Held    []Item   // the lease that ends first is the first
	Unclear []string // tasks whose newest handoff is unclear, and why, sorted
	Freshness
}

// about is a text about a folder. It names the folder, unless it begins with a file of
// the folder.
func about(dir, text string) string {
	if strings.HasPrefix(text, dir+"/") {
		return text
	}
	return dir + ": " + text
}

// Next lists the waiting and the held handoffs of one task, or of all tasks for
// nil. Those written or released last come first. Handoffs acknowledged without a
// claim come after them, and those that may have been taken up come last. The
// error names the folders that could not be read; the queue has all others.
func (b *Book) Next(ctx context.Context, task *int) (q Queue, err error) {
	list, err := documents.ListWaiting(ctx, b.ws, func(n handoff.Name) bool { return task == nil || n.Width > 0 && n.Task == *task })
	for _, w := range list {
		switch item := b.item(w); {
		case item.Path == "":
			q.Unclear = append(q.Unclear, about(w.Dir, w.Doubt))
		case item.State == receipt.Claimed:
			q.Held = append(q.Held, item)
		case item.life.Finished(): // by a step that waits for the store
		case w.Waits || w.Doubt != "":
			q.Waiting = append(q.Waiting, item)
		}
	}
	q.Freshness = b.freshness()
	slices.Sort(q.Unclear)
	slices.SortFunc(q.Waiting, func(a, b Item) int {
		return cmp.Or(a.rank-b.rank, newest(b).Compare(newest(a)), documents.Compare(a.entry, b.entry))
	})
	slices.SortFunc(q.Held, func(a, b Item) int {
		return cmp.Or(a.Until.Compare(*b.Until), cmp.Compare(a.Path, b.Path))
	})
	return q, err
}

// newest is the time by which items are sorted.
func newest(i Item) (t time.Time) {
	if i.Since != nil {
		t = i.Since.Time
	}
	return t
}

func (b *Book) item(w documents.Waiting) Item {
	now := b.ws.Now()
	i := Item{Ref: w.Row.Ref, Path: w.Row.Path, Task: w.Row.Task, Phase: w.Row.Phase, NextAction: w.Row.NextAction, State: w.Life.State(now), Conflict: w.Conflict, life: w.Life, entry: w.Entry}
	if w.At.Known() {
		i.Since = &w.At
	}
	i.entry.When.At = w.At
	if since := w.Life.Since(now); !since.IsZero() {
		i.Since = &handoff.Moment{Time: since.Truncate(time.Second), Unit: time.Second, Zoned: true}
	}
	i.Why, i.By = Why(&w.Life, now)
	switch i.State {
	case receipt.Acknowledged:
		i.rank = acknowledged
	case receipt.Claimed:
		i.Until = &w.Life.Claim.Until
	}
	for _, q := range b.waits(b.store.Place().Path(i.Path)) {
		i.Queued = append(i.Queued, q.Step)
	}
	if n := len(i.Queued); n > 0 {
		i.Why += fmt.Sprintf("; %s is queued", i.Queued[n-1])
	}
	if w.Doubt != "" && i.State != receipt.Claimed {
		i.Why, i.rank = w.Doubt, unclear
	}
	return i
}

// Why returns in a few words why an unfinished handoff is in its state, and by names
// its holder or last receiver.
func Why(l *receipt.Life, now time.Time) (why, by string) {
	if last := l.Last(); last != nil {
		by = last.By
	}
	switch l.State(now) {
	case receipt.Waiting:
		return "nobody has taken it up", by
	case receipt.Delivered:
		return "shown to " + by + ", which has not acknowledged it", by
	case receipt.Acknowledged:
		return "acknowledged by " + by + ", which has not claimed it", by
	case receipt.Released:
		if why := l.Last().Why; why != "" {
			return "released by " + by + ": " + why, by
		}
		return "released by " + by, by
	case receipt.Expired:
		return "the lease of " + l.Claim.By + " has expired", l.Claim.By
	case receipt.Claimed:
		return "held by " + l.Claim.By, l.Claim.By
	}
	return "", by
}

// ClaimNext claims the best handoff that waits. If another process claims that first, it
// tries the next one. It skips a handoff if it is unclear whether that waits, because a
// person must decide. ok is false if there is none; then the error names what could not be
// read, or is the [handoff.ConflictError] of one that was skipped.
func (b *Book) ClaimNext(ctx context.Context, who current.Caller, task *int, r receipt.ClaimRequest) (item Item, record Record, ok bool, err error) {
	q, unread := b.Next(ctx, task)
	for _, item := range q.Waiting {
		if item.Conflict != nil && unread == nil {
			unread = item.Conflict
		}
		if item.Unclear() {
			continue
		}
		record, err := b.Claim(ctx, Target{Dir: b.ws.Root, Ref: item.Path, Who: who}, r)
		if errors.As(err, new(*lockfile.StoppedError)) { // it may never continue
			unread = errors.Join(unread, err)
			continue
		}
		if errors.Is(err, receipt.ErrRefused) {
			continue
		}
		return item, record, err == nil, err
	}
	return item, record, false, unread
}

// Unknown is the state of a handoff whose receipts cannot be read.
const Unknown receipt.State = "unknown"

// Known is what [Book.States] found out about a handoff.
type Known struct {
	State receipt.State  // "" if nothing is recorded and it does not wait
	Row   *documents.Row // nil if its document was not read
}

// States are the states of some handoffs, by path. Without receipts the newest
// handoff of an unfinished task waits, unless the metadata shows that it was
// taken up; for all others nothing is recorded, and they have no state.
// Deciding that reads the documents of handoffs that may wait, so their rows
// are returned too.
func (b *Book) States(ctx context.Context, list []documents.Entry) map[string]Known {
	states := make(map[string]Known, len(list))
	open := map[string]bool{} // the task folders in which something may wait
	lives := b.store.Lives(len(list))
	for _, e := range list {
		switch l, err := lives.Life(b.store.Place().Path(e.Path)); {
		case err != nil:
			states[e.Path] = Known{State: Unknown}
		case len(l.Steps) > 0:
			states[e.Path] = Known{State: l.State(b.ws.Now())}
		default:
			open[e.Name.Dir] = true
		}
	}
	// An error is left to sync and next, which report it.
	waiting, _ := documents.ListWaiting(ctx, b.ws, func(n handoff.Name) bool { return open[n.Dir] })
	for _, w := range waiting {
		if w.Row.Path == "" {
			continue // it is unclear which handoff is the newest
		}
		k := Known{states[w.Row.Path].State, &w.Row}
		if w.Waits && k.State == "" {
			k.State = receipt.Waiting
		}
		states[w.Row.Path] = k
	}
	return states
}
