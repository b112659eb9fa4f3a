package outbox

import (
	"fmt"
	"time"

	"handoff/log/receipt"
)

// Decision is what a step on a handoff asks the receipts for. It is decided as at the time
// at which it was asked for, not at which it is sent: a lease that was renewed in an outage
// ends when its holder was told.
func (r *Request) Decision() (receipt.Decision, error) {
	m := receipt.Moment{Now: r.At, SHA256: r.SHA256}
	switch r.Step {
	case Acknowledge:
		return m.Acknowledge(r.By, r.Claim, r.Matched), nil
	case Renew:
		return m.Renew(r.Claim, time.Duration(r.TTL)), nil
	case Release:
		return m.Release(r.Claim, r.Why), nil
	case Done:
		return m.FinishWith(r.By, r.Claim, r.Evidence), nil
	case Deliver:
		return m.Deliver(r.By, r.Claim), nil
	case DeliverOnce:
		return m.DeliverOnce(r.Session), nil
	case DeliverAgain:
		return m.DeliverAgain(r.Session, r.Claim, r.Lost), nil
	case GiveBack:
		if r.Session == (receipt.Session{}) {
			return m.Lapse(r.Lost, r.Why), nil
		}
		return m.GiveBack(r.Session, r.Why), nil
	case Supersede:
		if r.Claim == "" {
			return m.Replace(r.By, r.Next), nil
		}
		return m.Supersede(r.Claim, r.Next), nil
	}
	return nil, fmt.Errorf("unknown step %q: it was written by a newer version of handoff", r.Step)
}

// Pending returns the steps on a handoff that wait: see [receipt.Store]. Whoever drains
// reports a damaged request.
func (b *Box) Pending(path string) (all []receipt.Pending) {
	files, _ := b.files()
	for _, f := range files {
		if f.log != logDigest(HandoffLog(path)) {
			continue
		}
		r, err := b.read(f)
		if err != nil || r.Store != "" && r.Store != b.store {
			continue
		}
		if decide, err := r.Decision(); err == nil {
			all = append(all, receipt.Pending{Decide: decide})
		}
	}
	return all
}
