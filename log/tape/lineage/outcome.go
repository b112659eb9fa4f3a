package lineage

import (
	"cmp"
	"encoding/json"
	"iter"
	"math"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
	"handoff/log/tape/entry"
	"handoff/log/tape/view"
)

// Ending is the data of the events "tape.merge" and "tape.discard" in the parent. The
// copied entries follow it.
type Ending struct {
	Fork    string `json:"fork"` // the session
	Tape    string `json:"tape"`
	Entries int    `json:"entries"`
	Reason  string `json:"reason,omitempty"` // of a discard
}

// Outcome is what the parent gets when a fork ends: an event, and copies of the fork's
// entries.
type Outcome struct {
	Name   string // of the event
	Event  Ending
	Copies iter.Seq2[entry.Entry, error]
}

// Written is how much of an outcome a file has, and the copies that are missing.
type Written struct {
	Found bool  // the event
	First int64 // the id of the first copy

	Missing entry.Entry // the first missing copy
	Err     error       // why it could not be read
	More    bool        // there is a missing copy
	Stop    func()
	pull    func() (entry.Entry, error, bool)
}

// Next goes to the next missing copy.
func (w *Written) Next() { w.Missing, w.Err, w.More = w.pull() }

// Complete reports whether the file has all of the outcome.
func (w *Written) Complete() bool { return w.Found && !w.More }

// In finds an outcome in a file; stop it, also after an error. Copies are recognized by
// their origins, which have the order of the copies; other entries may be between them.
func (o Outcome) In(r view.Records) (w Written, err error) {
	w.pull, w.Stop = iter.Pull2(o.Copies)
	w.Next()
	positions, err := r.Find(view.MergeKey(o.Event.Fork))
	if w.Found = len(positions) > 0; err != nil || !w.Found {
		return w, err
	}
	for entries, err := range view.Lines(r, positions[0]+1, math.MaxUint64) {
		for _, e := range entries {
			if origin := e.Origin(); w.More && w.Err == nil && origin != "" && origin == w.Missing.Origin() {
				w.First = cmp.Or(w.First, e.ID)
				w.Next()
			}
		}
		if err = cmp.Or(err, w.Err); err != nil || !w.More {
			return w, err
		}
	}
	return w, nil
}

// OwnOf are the entries after the fork event that are not about the fork itself: without
// its intention, or the first anchor of a reset. There may be more than fit into memory.
func OwnOf(j *journal.Journal) (own iter.Seq2[entry.Entry, error], err error) {
	n, err := j.Len()
	if err != nil {
		return nil, err
	}
	v := &view.View{Segments: []view.Segment{view.File(j, n)}}
	fork, ok, err := v.Last(view.Forks, entry.IsEvent(entry.EventFork))
	part := view.All()
	if part.From = fork.Spot.Next(); !ok {
		part.To = part.From // a tape without a fork event has no own entries
	}
	return func(yield func(entry.Entry, error) bool) {
		var first entry.Entry
		i := -1
		for e, err := range v.Entries(part) {
			if i++; i == 0 {
				first = e
			}
			if err == nil && (i < 2 && setsUp(&e, &first, i) || e.Kind == entry.KindEvent && (e.Name() == entry.EventClosed || e.Name() == entry.EventTitle)) {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}, err
}

// setsUp reports whether the entry at an index, 0 or 1, sets up the fork: its first
// anchor, if it is one that forks and resets write, and its event.
func setsUp(e, first *entry.Entry, i int) bool {
	ours := first.Kind == entry.KindAnchor && (first.Name() == entry.AnchorIntention || first.Name() == entry.AnchorStart)
	return ours && (i == 0 || e.IsEventOf(first))
}

// Copies are the entries for the parent. Unless anchors are kept, an anchor is replaced
// by its event.
func Copies(own iter.Seq2[entry.Entry, error], fork string, keepAnchors bool) iter.Seq2[entry.Entry, error] {
	return func(yield func(entry.Entry, error) bool) {
		event := func(anchor *entry.Entry) entry.Entry {
			e := anchor.Event()
			e.ID = anchor.ID
			return e.CopiedFrom(fork)
		}
		var anchor *entry.Entry // whose event may be the next entry
		for e, err := range own {
			if err == nil && anchor != nil && !e.IsEventOf(anchor) && !yield(event(anchor), nil) {
				return
			}
			if anchor = nil; err == nil && e.Kind == entry.KindAnchor && !keepAnchors {
				anchor = &e
				continue
			}
			if !yield(e.CopiedFrom(fork), err) {
				return
			}
		}
		if anchor != nil {
			yield(event(anchor), nil)
		}
	}
}

// NotifyParent is the value of an intention's trigger_on_complete that [Notifying] acts on.
// All others are only stored.
const NotifyParent = "notify_parent"

// Notifying returns the copies followed by a message that the fork is complete, if the
// intention of the fork asks to notify its parent. The message is the user's: it is the
// parent's turn, and a fork gives no instructions of the system. It has the origin of the
// intention, which is not copied itself, so an interrupted merge finds it like a copy.
func Notifying(j *journal.Journal, fork string, copies iter.Seq2[entry.Entry, error]) (_ iter.Seq2[entry.Entry, error], notify bool, err error) {
	intention, ok, err := intentionOf(j)
	if trigger, _ := entry.Text(intention.State(), "trigger_on_complete"); err != nil || !ok || trigger != NotifyParent {
		return copies, false, err
	}
	state := jsontext.Python.AppendValue(nil, string(intention.State()))
	payload := jsontext.Python.AppendMembers(nil, []jsontext.Member{entry.TextMember("role", "user"), entry.TextMember("content", "[Fork completed: "+fork+"]: "+string(state))})
	message, err := entry.New(entry.KindMessage, json.RawMessage(payload), nil)
	if err != nil {
		return copies, false, err
	}
	message.ID = intention.ID
	return func(yield func(entry.Entry, error) bool) {
		for e, err := range copies {
			if !yield(e, err) || err != nil {
				return
			}
		}
		yield(message.CopiedFrom(fork), nil)
	}, true, nil
}

// intentionOf is the anchor of what a fork is for; ok is false if it has none of its own.
func intentionOf(j *journal.Journal) (intention entry.Entry, ok bool, err error) {
	n, err := j.Len()
	if err != nil {
		return intention, false, err
	}
	v := &view.View{Segments: []view.Segment{view.File(j, n)}}
	fork, ok, err := v.Last(view.Forks, entry.IsEvent(entry.EventFork))
	if err != nil || !ok {
		return intention, false, err
	}
	f, ok, err := v.FirstWith(view.AnchorKey(entry.AnchorIntention), fork.Spot.Next(), entry.IsAnchorNamed(entry.AnchorIntention))
	return f.Entry, ok && f.At.Pos == fork.At.Pos+1, err
}
