package receipts

import (
	"cmp"
	"errors"
	"fmt"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace/documents"
)

// noClaim is the error for a step that needs a claim which the caller does not have.
func (b *Book) noClaim(t Target, f found) error {
	l, err := b.store.Life(f.name)
	if err != nil {
		return err
	}
	if l.State(b.ws.Now()) == receipt.Claimed {
		return b.explain(&receipt.HeldError{Path: f.name, Holder: l.Claim, At: b.ws.Now()}, t, f)
	}
	return &nobodyError{Record: b.recordOf(f, &l)}
}

// nobodyError is the error for a step that needs a claim, on a handoff that nobody holds.
type nobodyError struct {
	Record
	instead string // what else the caller may do
}

func (e *nobodyError) Error() string {
	called := cmp.Or(e.Ref, e.Path)
	why := "nobody holds " + called
	if e.State == receipt.Expired {
		why = fmt.Sprintf("the lease of %s on %s has expired", e.By, called)
	}
	return fmt.Sprintf("%s: claim it first (`handoff claim %s --as NAME`)%s", why, called, e.instead)
}

func (e *nobodyError) Is(target error) bool { return target == handoff.ErrInvalid }

// explain adds to the error about a holder why the caller is not that holder.
func (b *Book) explain(err error, t Target, f found) error {
	held, is := errors.AsType[*receipt.HeldError](err)
	if !is || t.Claim != "" {
		return err
	}
	why, name := "", cmp.Or(held.By, f.name)
	for _, e := range b.current.All() {
		switch {
		case e.Handoff != name || !e.Claim(held.Holder.ID):
		case t.Who.Made(e) && t.As == "":
			why = "claimed by a program without a session and a terminal, which may be another one (if the claim is yours, set HANDOFF_CLAIM or pass --replace with that path)"
		case t.Who.Made(e):
			why = "claimed here, but not as " + t.As
		case t.Who.Known():
			why = t.Who.Elsewhere(e)
		}
	}
	if why == "" && !t.Who.Known() {
		return err
	}
	why = cmp.Or(why, "claimed elsewhere (if the claim is yours, set HANDOFF_CLAIM)")
	return &heldElsewhere{held, why}
}

// heldElsewhere is a [receipt.HeldError] with the reason why the holder is not the caller.
type heldElsewhere struct {
	*receipt.HeldError
	why string
}

func (e *heldElsewhere) Error() string { return e.HeldError.Error() + ": " + e.why }

func (e *heldElsewhere) Unwrap() error { return e.HeldError }

func called(e documents.Entry) string { return cmp.Or(e.Ref(), e.Path) }
