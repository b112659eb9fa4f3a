package lineage

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"handoff/log/tape/entry"
	"handoff/log/tape/view"
)

// Event is the data of the event "tape.fork". In a fork it comes after the entries of
// the parent, and before the fork's own. The file of [Graph] is derived from it.
type Event struct {
	SessionID       string  `json:"session_id"`
	Tape            string  `json:"tape"`
	Parent          string  `json:"parent"`
	ParentSessionID string  `json:"parent_session_id"`
	FromAnchor      *string `json:"from_anchor,omitempty"`
	FromEntry       *int64  `json:"from_entry,omitempty"` // id in the parent
	Entries         uint64  `json:"entries"`              // copied or linked
	Links           []Link  `json:"links,omitempty"`      // of a linked fork
	Request         string  `json:"request,omitempty"`    // SHA-256 of a request with a key
	CreatedAt       string  `json:"created_at"`
}

// Link names lines of another tape by their positions. The digest is of the last line:
// it identifies the file, also after that was archived and another has the tape's name.
type Link struct {
	Tape   string `json:"tape"`
	First  uint64 `json:"first"`
	Last   uint64 `json:"last"`
	SHA256 string `json:"sha256"`
}

// Fork is the line of a new fork.
func (f *Event) Fork() Fork {
	return Fork{SessionID: f.SessionID, ParentSessionID: &f.ParentSessionID, FromAnchor: f.FromAnchor, CreatedAt: f.CreatedAt,
		Status: Active, Tape: f.Tape, ParentTape: f.Parent, FromEntry: f.FromEntry, Linked: len(f.Links) > 0}
}

// Next is the first entry of the parent, by its id, that the fork does not have.
func (f *Event) Next() int64 {
	if f.FromEntry == nil {
		return int64(f.Entries) + 1
	}
	return *f.FromEntry + int64(f.Entries)
}

// EventOf is the fork event of a tape: the last one, as those before it were copied.
func EventOf(r view.Records) (f Event, ok bool, err error) {
	e, ok, err := view.LastEvent(r, view.Forks, entry.EventFork)
	if err != nil || !ok || json.Unmarshal(e.Data(), &f) != nil || f.SessionID == "" {
		return Event{}, false, err // another program may write events of that name
	}
	return f, true, nil
}

// Links are the lines of a range of a tape.
func Links(v *view.View, tape string, part view.Range) (links []Link, err error) {
	part.To.Part = 0 // whole lines
	for _, s := range v.Clip(part) {
		digest, err := digestAt(s.Records, s.Last)
		if err != nil {
			return nil, err
		}
		links = append(links, Link{cmp.Or(s.Tape, tape), s.First, s.Last, digest})
	}
	return links, nil
}

// In reports whether a file is the one that the link refers to. The error is
// journal.ErrNoRecord if the file is shorter.
func (l Link) In(r view.Records) (bool, error) {
	digest, err := digestAt(r, l.Last)
	return err == nil && digest == l.SHA256, err
}

func digestAt(r view.Records, pos uint64) (string, error) {
	rec, err := r.Get(pos)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(rec.Line)
	return hex.EncodeToString(sum[:]), nil
}

// SealedReset and SealedDelete are how seals that do not end a fork close a file: see
// [Closing].
const (
	SealedReset  = "reset"
	SealedDelete = "deleted"
)

// Closing is the data of the event "tape.closed", the last of a fork, and of a file that
// nothing can replace.
type Closing struct {
	As     string `json:"as"` // Merged or Discarded
	Into   string `json:"into,omitempty"`
	Reason string `json:"reason,omitempty"`
	// KeepAnchors is how the merge was started, and so how it is completed.
	KeepAnchors bool `json:"keep_anchors,omitempty"`
	// Sealed: the event is the last record of the file, which is an archive. Then As
	// may also be SealedReset or SealedDelete. Key is the key of the reset.
	Sealed bool   `json:"sealed,omitempty"`
	Key    string `json:"key,omitempty"`
}

// ClosingOf is how a tape was closed; ok is false if it is open.
func ClosingOf(r view.Records) (c Closing, ok bool, err error) {
	e, ok, err := view.LastEvent(r, view.Closed, entry.EventClosed)
	if err != nil || !ok || json.Unmarshal(e.Data(), &c) != nil {
		return Closing{}, false, err
	}
	return c, true, nil
}

// SealIn returns the seal in an entry; sealed is false if it is not a seal.
func SealIn(e *entry.Entry) (c Closing, sealed bool) {
	if e.Kind != entry.KindEvent || e.Name() != entry.EventClosed || e.IsCopy() || json.Unmarshal(e.Data(), &c) != nil {
		return Closing{}, false
	}
	return c, c.Sealed
}
