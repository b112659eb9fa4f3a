package receipts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/lockfile"
	"handoff/log/receipt"
	"handoff/workspace/current"
	"handoff/workspace/documents"
	"handoff/workspace/outbox"
	"handoff/workspace/states"
)

// Item is a handoff that waits, or that an agent or a person has claimed.
type Item struct {
	Ref        string          `json:"ref"`
	Path       string          `json:"path"`
	Task       int             `json:"task"`
	Phase      string          `json:"phase"`
	State      states.State    `json:"state" doc:"as in the overview: broken, stale, waiting or held"`
	Since      *handoff.Moment `json:"since"`
	Why        string          `json:"why"`
	By         string          `json:"by,omitempty"`
	Until      *time.Time      `json:"until,omitempty"`
	NextAction string          `json:"next_action"`
	Unproved   string          `json:"unproved,omitempty" doc:"what the marks of its claims say against them: a command failed when it was last run, or was not run after the last edit"`
	Queued     []outbox.Step   `json:"queued,omitempty" doc:"steps that wait for the store: the other members already count them"`

	// Refused is why the document must not be delivered; nil if it may be.
	Refused *handoff.UndeliverableError `json:"-"`

	step     receipt.State // what its receipt shows
	standing states.Standing
	unclear  bool
	life     receipt.Life
	entry    documents.Entry
}

// Document is the document of the item, with what is known of its time.
func (i Item) Document() documents.Entry {
	e := i.entry
	e.Path = i.Path
	return e
}

// Unclear reports whether a person must decide if the handoff waits at all.
func (i Item) Unclear() bool { return i.unclear }

// Claimed reports whether a claim holds the handoff.
func (i Item) Claimed() bool { return i.step == receipt.Claimed }

// Offered reports whether the next session gets the handoff.
func (i Item) Offered() bool { return i.standing.Offered }

// Again returns the host of the session that was shown the handoff last and did not take it
// up; "" if that is not known. again is false if there was none, or if something else
// happened since.
func (i Item) Again() (host string, again bool) {
	last := i.life.Last()
	if last == nil || last.Kind != receipt.StepReleased || last.Claim != "" {
		return "", false
	}
	return last.Host, true
}

// Shown is when the one that has the handoff was shown it first; zero for nobody.
func (i Item) Shown(now time.Time) time.Time {
	s, _ := i.life.Showing(now)
	return s.Since
}

// rank sorts items that wait: what is offered first.
func (i *Item) rank() int {
	switch {
	case i.unclear:
		return 2
	case !i.Offered():
		return 1
	}
	return 0
}

// Queue is the newest handoffs of all tasks that are not finished.
type Queue struct {
	Waiting []Item   // the best first
	More    int      // others that wait, if only so many were asked for
	Held    []Item   // the lease that ends first is the first
	Unclear []string // tasks whose newest handoff is unclear, and why, sorted

	Work []states.Work // issues, tasks and paths that are held; only for all tasks
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

// Next lists the waiting and the held handoffs of the tasks that only selects, or of all tasks for
// nil. Those whose lease has expired come first, because somebody began them; then those
// written or released last. Those that may have been taken up come last. The
// error names the folders that could not be read; the queue has all others.
func (b *Book) Next(ctx context.Context, only *documents.Filter) (q Queue, err error) {
	return b.Best(ctx, only, math.MaxInt)
}

// Best is Next for a caller that needs at most some number of what waits.
func (b *Book) Best(ctx context.Context, only *documents.Filter, most int) (q Queue, err error) {
	if choice := b.ws.Choice(); choice != nil { // which of the handoffs count is not configured
		return Queue{Unclear: []string{choice.Error()}, Freshness: FreshnessOf(b.ws)}, nil
	}
	judge := states.At(b.ws)
	best := ranking{most: max(most, 1)}
	var passes documents.Passes
	if most < math.MaxInt && judge.Alone() {
		passes = best.passes
	}
	err = documents.Unfinished(ctx, b.ws, func(n handoff.Name) bool {
		return !n.Archived() && only.Enters(n)
	}, passes, func(t *documents.Task) {
		if t.Row.Path == "" && t.Doubt == "" {
			return
		}
		switch item := b.item(judge, t); {
		case item.Path == "":
			q.Unclear = append(q.Unclear, about(t.Dir, t.Doubt))
		case item.step == receipt.Claimed || item.State == states.Held:
			q.Held = append(q.Held, item)
		case item.life.Finished(): // by a step that waits for the store
		case t.Waits || t.Doubt != "":
			best.add(item)
		}
	})
	if only == nil {
		work, unread := states.HeldWork(b.ws)
		q.Work, err = work, errors.Join(err, unread)
	}
	q.Freshness = FreshnessOf(b.ws)
	slices.Sort(q.Unclear)
	best.cut()
	q.Waiting, q.More = best.items, best.more
	documents.Sort(q.Held, func(a, b *Item) int {
		return cmp.Or(a.Until.Compare(*b.Until), cmp.Compare(a.Path, b.Path))
	})
	return q, err
}

// ranking keeps the best of the handoffs that wait.
type ranking struct {
	most  int
	items []Item
	last  *Item // what is not before it is not among the best; nil while there are few
	more  int   // that were left out
}

func (r *ranking) add(i Item) {
	r.items = append(r.items, i)
	if r.most <= len(r.items)/2 {
		r.cut()
	}
}

func (r *ranking) cut() {
	documents.Sort(r.items, comparePlace)
	if len(r.items) >= r.most {
		r.more += len(r.items) - r.most
		r.items = r.items[:r.most]
		last := r.items[r.most-1]
		r.last = &last
	}
}

// passes counts a handoff that waits and is offered, if it is not among the best.
func (r *ranking) passes(at handoff.Moment, path string) bool {
	if r.last == nil || comparePlace(r.last, &Item{Path: path, State: states.Waiting, Since: &at, standing: states.Standing{Offered: true}}) > 0 {
		return false
	}
	r.more++
	return true
}

// comparePlace orders handoffs that wait, the best first.
func comparePlace(a, b *Item) int {
	return cmp.Or(a.rank()-b.rank(), a.State.Compare(b.State), newest(b).Compare(newest(a)), cmp.Compare(a.Path, b.Path))
}

// newest is the time by which items are sorted.
func newest(i *Item) (t time.Time) {
	if i.Since != nil {
		t = i.Since.Time
	}
	return t
}

func (b *Book) item(judge states.Judge, t *documents.Task) Item {
	now, w := b.ws.Now(), &t.Waiting
	i := Item{Ref: w.Row.Ref, Path: w.Row.Path, Task: w.Row.Task, Phase: w.Row.Phase, NextAction: w.Row.NextAction, Unproved: w.Row.Unproved, step: w.Life.State(now), Refused: w.Refused, life: w.Life, entry: w.Entry}
	i.standing = judge.Brief(t)
	i.State, i.Why, i.By = i.standing.State, i.standing.Why, i.standing.By
	if at := w.At; at.Known() {
		i.Since = &at
	}
	i.entry.When.At = w.At
	if since := w.Life.Since(now); !since.IsZero() {
		i.Since = &handoff.Moment{Time: since.Truncate(time.Second), Unit: time.Second, Zoned: true}
	}
	if until := i.standing.Until; !until.IsZero() {
		i.Until = &until
	} else if i.step == receipt.Claimed {
		until := w.Life.Claim.Until
		i.Until = &until
	}
	for _, q := range b.waits(b.store.Place().Path(i.Path)) {
		i.Queued = append(i.Queued, q.Step)
	}
	if n := len(i.Queued); n > 0 {
		i.Why += fmt.Sprintf("; %s is queued", i.Queued[n-1])
	}
	if i.unclear = w.Doubt != "" && i.step != receipt.Claimed; i.unclear {
		i.Why = w.Doubt
	}
	return i
}

// ClaimNext claims the handoff that the session of the request was shown, else the best one
// that is offered. If another process claims that first, it tries the next one. It skips a
// handoff if it is unclear whether that waits, because a person must decide. ok is false if
// there is none; then the error names what could not be read, or is the
// [handoff.UndeliverableError] of one that was skipped.
func (b *Book) ClaimNext(ctx context.Context, who current.Caller, only *documents.Filter, r receipt.ClaimRequest) (item Item, record Record, ok bool, err error) {
	q, unread := b.Next(ctx, only)
	shown := slices.DeleteFunc(slices.Clone(q.Held), func(i Item) bool { return i.step == receipt.Claimed || !i.shownTo(r) })
	for _, item := range append(shown, q.Waiting...) {
		if item.Refused != nil && unread == nil {
			unread = item.Refused
		}
		if !item.Offered() && !item.shownTo(r) || item.Unclear() {
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

// shownTo reports whether the caller of a request was shown a handoff: its session, or, of
// callers without one, the one that acknowledged it under the same name.
func (i Item) shownTo(r receipt.ClaimRequest) bool {
	if i.life.DeliveredTo(r.Session) != nil {
		return true
	}
	last := i.life.Last()
	return r.Session.ID == "" && last != nil && last.Kind == receipt.StepAcknowledged && last.Session == "" && last.By == r.By
}

// Unknown is the state of a handoff whose receipts cannot be read.
const Unknown receipt.State = "unknown"

// Known is what [Book.States] found out about a handoff.
type Known struct {
	State states.State // "" for one that a newer handoff of its task has replaced
	Why   string
	Row   *documents.Row // nil if its document was not read
}

// States are the states of some handoffs, by path: the newest one of a task has the state of
// the task, and all others have none, whatever their receipts show. If it is unclear which
// one is the newest, it is the last one by time, phase and name.
// Deciding that reads documents, so their rows are returned too.
func (b *Book) States(ctx context.Context, list []documents.Entry) map[string]Known {
	known := make(map[string]Known, len(list))
	dirs := map[string]bool{} // task folders
	for _, e := range list {
		dirs[e.Name.Dir] = true
	}
	judge := states.At(b.ws)
	// An error is left to sync and next, which report it.
	tasks, _ := documents.ListTasks(ctx, b.ws, func(n handoff.Name) bool { return dirs[n.Dir] })
	for i := range tasks {
		t := &tasks[i]
		row := &t.Row
		if row.Path == "" {
			row = &t.Last
		}
		if standing := judge.Brief(t); row.Path != "" {
			known[row.Path] = Known{standing.State, standing.Why, row}
		}
	}
	return known
}
