// Package delivery decides what a session of an agent is shown when it starts, and again
// after it lost its context: the waiting handoff, to one session, once. The decision is
// recorded in the receipt before the text is returned. A delivery is a lease: it lasts while
// its session runs, as far as hooks and its transcript show that. If the session has not
// taken the handoff up by then, or if it was killed before it got the text, the next one
// gets it (package states).
package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/notes"
	"handoff/workspace/receipts"
)

// Show is the text of a handoff for a session, of at most maxBytes bytes. by is a name for
// the commands in it. See [handoff/workspace/spawn/prompt.Shown].
type Show func(ctx context.Context, ws *workspace.Workspace, e documents.Entry, by string, maxBytes int) (string, error)

// Desk delivers the handoffs of a workspace to one session.
type Desk struct {
	Session receipt.Session
	Claim   string // what HANDOFF_CLAIM contains in the session; "" for none
	Spawned bool   // `handoff` started the agent, with its own prompt
	Relay   bool   // a relay runs it, and asks it for handoffs
	Max     int    // bytes of a text
	Show    Show   // nil for a desk that shows none
	// Ending describes the transcript of a session of a host; nil if none can be read. It is
	// called for sessions whose end was not reported.
	Ending func(host, transcript string) Ending

	ws    *workspace.Workspace
	book  *receipts.Book
	notes *notes.Book
	known *notes.Past // what the notes had of the session when they were read last; nil before that
}

// Open opens the receipts and notes of a workspace. The error is that of
// [receipt.Locate].
func Open(ws *workspace.Workspace, d Desk) (*Desk, error) {
	var err error
	if d.book, err = receipts.Open(ws); err != nil {
		return nil, err
	}
	if d.notes, err = notes.Open(ws); err != nil {
		return nil, err
	}
	d.ws = ws
	return &d, nil
}

// Start returns the text for a session that starts or resumes: the best waiting
// handoff, or that it is unclear which one that is. It is empty if nothing waits, if the session has an unfinished one, or
// if the session was started for a claim or by `handoff`, because then its prompt
// contains the task.
func (d *Desk) Start(ctx context.Context) (string, error) {
	if _, err := d.started(ctx); err != nil {
		return "", err
	}
	return d.next(ctx)
}

// started records that the session runs, and reports whether that was not known.
func (d *Desk) started(ctx context.Context) (first bool, err error) {
	return d.change(ctx, func(p *notes.Past) bool {
		first := p.Started.IsZero()
		p.Started = d.ws.Now().UTC()
		return first
	})
}

// First is [Desk.Start] for a session whose start was not reported, because the
// host has no such event or lost it. Otherwise it is empty, because a session must
// not get its own handoff with its next prompt.
func (d *Desk) First(ctx context.Context) (string, error) {
	first, err := d.started(ctx)
	if err != nil || !first {
		return "", err
	}
	return d.next(ctx)
}

func (d *Desk) next(ctx context.Context) (string, error) {
	if d.has() {
		return "", nil
	}
	q, unread := d.book.Next(ctx, nil)
	lapsed, lapsing := d.lapse(ctx, q)
	if lapsed {
		q, unread = d.book.Next(ctx, nil)
	}
	item, ok, err := d.book.DeliverOf(ctx, q, d.Session)
	lapsing = errors.Join(unread, lapsing)
	err = errors.Join(err, lapsing)
	if !ok && item.Refused != nil {
		return d.notDelivered(item.Refused), err
	}
	if !ok && item.Unclear() {
		return fmt.Sprintf("Reports of earlier sessions wait, but it is unclear which is the newest; %s may be. `handoff next` shows why.\n", d.called(item.Path)), err
	}
	if !ok && err == nil {
		if len(q.Of(d.Session)) > 0 {
			return "", nil
		}
		return d.elsewhere(ctx), nil
	}
	if !ok {
		return "", err
	}
	text, err := d.text(ctx, []receipts.Item{item})
	return text, errors.Join(err, lapsing)
}

// elsewhere is the text for a session that gets no handoff here, about those that wait in
// other working trees of the repository; "" if the session has one.
func (d *Desk) elsewhere(ctx context.Context) string {
	if has, err := d.Report(ctx); has != "" || err != nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, elsewhereTime)
	defer cancel()
	var rows []string
	for _, e := range d.book.Elsewhere(ctx, nil) {
		if row := e.Path + " in " + e.Worktree; len(rows) < maxElsewhere {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return "In other working trees of this repository reports wait for a session there. This session does not get them. " + inert.Quote("list", rows...)
}

// maxElsewhere is the most reports of other working trees that a session is told of.
const maxElsewhere = 5

// elsewhereTime is how long other working trees may be read: a host waits for the hook.
const elsewhereTime = 500 * time.Millisecond

// Compacting records that the host is about to compact the session.
func (d *Desk) Compacting(ctx context.Context) error {
	_, err := d.change(ctx, func(p *notes.Past) bool {
		p.Compacting = d.ws.Now().UTC()
		return true
	})
	return err
}

// doubled is the time within which two reports of a compaction are about the same
// one, where the host does not announce compactions.
const doubled = 10 * time.Second

// Resume is the text for a session that was compacted: what it works on, else the best
// waiting handoff, which it may have written itself. It is empty if another process got
// the text for this compaction.
func (d *Desk) Resume(ctx context.Context) (string, error) {
	var lost time.Time
	first, err := d.change(ctx, func(p *notes.Past) bool {
		now := d.ws.Now().UTC()
		announced := p.Compacting.After(p.Resumed)
		if lost = now.Add(-doubled); announced {
			lost = p.Compacting
		}
		ok := announced || p.Resumed.Before(lost)
		if p.Resumed = now; announced && now.Before(p.Compacting) {
			p.Resumed = p.Compacting
		}
		return ok
	})
	if err != nil || !first {
		return "", err
	}
	items, err := d.book.DeliverAgain(ctx, d.Session, d.Claim, lost)
	if err != nil && len(items) == 0 {
		return "", err
	}
	if len(items) == 0 {
		return d.next(ctx)
	}
	return d.text(ctx, items)
}

// Unaudited returns, once for each announced compaction, when it began; the zero time otherwise.
func (d *Desk) Unaudited(ctx context.Context) (began time.Time, err error) {
	if d.Session.ID == "" {
		return began, nil
	}
	if p, err := d.notes.Past(d.Session.Host, d.Session.ID); err != nil || !p.Compacting.After(p.Audited) {
		return began, err
	}
	_, err = d.change(ctx, func(p *notes.Past) bool {
		if p.Compacting.After(p.Audited) {
			began, p.Audited = p.Compacting, p.Compacting
		}
		return true
	})
	return began, err
}

// Lost reports whether the session was compacted and has not been shown since what
// it lost.
func (d *Desk) Lost() (bool, error) {
	if d.Session.ID == "" {
		return false, nil
	}
	p, err := d.Past()
	return p.Compacting.After(p.Resumed), err
}

// Report is the path of the handoff that the session works on, "" for none.
func (d *Desk) Report(ctx context.Context) (string, error) {
	if d.Session.ID == "" {
		return "", nil
	}
	items, err := d.book.Of(ctx, d.Session)
	if len(items) == 0 {
		return "", err
	}
	return items[0].Path, nil
}

// Past is what is stored of the session. It is read once: a hook asks several times, and the file has all sessions.
func (d *Desk) Past() (notes.Past, error) {
	if d.Session.ID == "" {
		return notes.Past{}, nil
	}
	if d.known == nil {
		past, err := d.notes.Past(d.Session.Host, d.Session.ID)
		if err != nil {
			return past, err
		}
		d.known = &past
	}
	return *d.known, nil
}

// change changes what is stored of the session. Nothing is stored for a session
// without an id, so each of its hooks counts as the first. The file is read again only if f
// changes what is known of it.
func (d *Desk) change(ctx context.Context, f func(*notes.Past) bool) (bool, error) {
	past, err := d.Past()
	if err != nil || !f(&past) {
		return false, err
	}
	if d.Session.ID == "" {
		return true, nil
	}
	return d.notes.Change(ctx, d.Session.Host, d.Session.ID, func(p *notes.Past) bool {
		changed := f(p)
		d.known = p
		return changed
	})
}

// often is how precisely signs of life, and progress in a large tree, are recorded: a hook runs at each call of a
// tool, and most of them write nothing.
const often = time.Minute

// Objectives is the folder of the progress file that the session saw when it looked at all tasks, below the root; "" for
// none. ok is false if that is too long ago.
func (d *Desk) Objectives() (dir string, ok bool) {
	p, err := d.Past()
	ago := d.ws.Now().Sub(p.Looked)
	return p.Progress, err == nil && 0 <= ago && ago < often
}

// SawObjectives records that folder, or, if it has to be looked for again, that it is not known.
func (d *Desk) SawObjectives(ctx context.Context, dir string, known bool) error {
	_, err := d.change(ctx, func(p *notes.Past) bool {
		was := p.Looked
		if p.Looked, p.Progress = (time.Time{}), dir; known {
			p.Looked = d.ws.Now().UTC()
		}
		return !p.Looked.Equal(was)
	})
	return err
}

// text shows the first of some handoffs, and names the others. They are already
// recorded as delivered, so it returns a text even with an error.
func (d *Desk) text(ctx context.Context, items []receipts.Item) (string, error) {
	var others strings.Builder
	if host, again := items[0].Again(); again {
		by := "another session"
		if inert.Safe(host) {
			by += " (" + host + ")"
		}
		fmt.Fprintf(&others, "The report was shown to %s before, which did not take it up.\n", by)
	}
	for _, item := range items[1:] {
		line := fmt.Sprintf("This session also got %s, which is not finished.\n", d.called(item.Path))
		if others.Len()+len(line) < d.Max/10 {
			others.WriteString(line)
		}
	}
	path := items[0].Path
	text, err := d.Show(ctx, d.ws, items[0].Document(), d.Session.Host, d.Max-others.Len())
	if refused, is := errors.AsType[*handoff.UndeliverableError](err); is {
		text, err = d.notDelivered(refused), nil
	}
	if err != nil {
		text = fmt.Sprintf("The report %s waits for this session. It could not be read here.\n", d.called(path))
	}
	return text + others.String(), err
}

// notDelivered is the text about a report that must not be delivered.
func (d *Desk) notDelivered(refused *handoff.UndeliverableError) string {
	return fmt.Sprintf("The report %s waits for the next session. It %s.\n", d.called(refused.Path), refused.What())
}

// called is how a text names a document, whose path somebody else chose.
func (d *Desk) called(path string) string { return d.ws.NameOf(path).Called(path) }
