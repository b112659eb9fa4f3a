package states

import (
	"time"

	"handoff/log/receipt"
	"handoff/workspace/notes"
)

// Lease is what follows from a showing.
type Lease struct {
	receipt.Showing
	Past   notes.Past // what hooks have done in its session
	Live   bool       // its session runs, as far as is known
	Until  time.Time  // when that ends without another sign of life
	Worked bool       // it continued the handoff, but did not claim it
	Ended  string     // why it is not live
}

// Lease returns the lease of the session that was shown a handoff last. ok is false if none was,
// or if the handoff was taken up or given back since.
func (j Judge) Lease(l *receipt.Life) (v Lease, ok bool) {
	if v.Showing, ok = l.Showing(j.now); !ok {
		return v, false
	}
	sign := j.signs(v.To)
	last := v.Last.At
	if sign.At.After(last) {
		last = sign.At
	}
	v.Past, v.Until, v.Worked = sign.Past, last.Add(notes.Quiet), sign.Worked.After(v.Since)
	switch {
	case !sign.Over.IsZero():
		v.Ended = "its session ended"
	case !j.now.Before(v.Until):
		v.Ended = "no sign of it since " + last.UTC().Format(time.RFC3339)
	default:
		v.Live = true
	}
	return v, true
}

// Words returns in a few words why an unfinished handoff is in its state, and by names
// its holder or last holder.
func (j Judge) Words(l *receipt.Life) (why, by string) {
	if lease, shown := j.Lease(l); shown {
		return lease.words(), lease.By
	}
	last := l.Last()
	if last != nil {
		by = last.By
	}
	switch l.State(j.now) {
	case receipt.Waiting:
		return "nobody has taken it up", by
	case receipt.Released:
		if last.Claim == "" {
			return notTaken(by, last.Why), by
		}
		if last.Why != "" {
			return "released by " + by + ": " + last.Why, by
		}
		return "released by " + by, by
	case receipt.Expired:
		return "the lease of " + l.Claim.By + " has expired", l.Claim.By
	case receipt.Claimed:
		return "held by " + l.Claim.By, l.Claim.By
	}
	return "", by
}

func (v Lease) words() string {
	switch {
	case v.Live && v.Last.Kind == receipt.StepAcknowledged:
		return "acknowledged by " + v.By + ", which has not claimed it"
	case v.Live:
		return "shown to " + v.By + ", which may still acknowledge it"
	case v.Worked:
		return "was shown to " + v.By + ", which worked on it without a claim: " + v.Ended
	}
	return notTaken(v.By, v.Ended)
}

func notTaken(by, why string) string {
	text := "was shown to " + by + ", which did not take it up"
	if why != "" {
		text += ": " + why
	}
	return text
}
