package receipt

import (
	"fmt"
	"time"

	"handoff/document/handoff"
)

// Moment is what every step needs to know. Steps that are decided with it are
// recorded by [Store.Record].
type Moment struct {
	Now    time.Time
	SHA256 string // of the document now; "" if it was not read
}

func (m Moment) step(kind Kind, life *Life) Step {
	s := Step{At: m.Now.UTC().Truncate(time.Millisecond), Kind: kind, SHA256: m.SHA256}
	if life != nil {
		s.By, s.Claim, s.Token = life.Claim.By, life.Claim.ID, life.Claim.Token
	}
	return s
}

// ByNew is who releases a handoff whose file holds the next one now: its claim is over, and no other one
// has displaced it.
const ByNew = "handoff new"

// Decision is the steps that follow from a life, or why they are refused. It is
// called while the life is locked, and may be called twice.
type Decision func(path string, l *Life) ([]Step, error)

// ClaimRequest asks for a claim.
type ClaimRequest struct {
	By    string
	TTL   time.Duration // how long the lease lasts; more than 0
	ID    func() string // the random part of the claim's id
	Force bool          // replace a claim that has not ended, or reopen a finished handoff
	Why   string        // the reason for that

	Own     func(*Life) bool // whether the caller has the claim of another life, which does not exclude this one; nil for none
	Session Session          // in which the claim is made; the zero value if that is not known
	Level   string           // what the holder may do; "" for no limit by this claim
}

// Claim claims a handoff. A lease that ended is recorded as expired first.
func (m Moment) Claim(r ClaimRequest) Decision {
	return func(path string, l *Life) (steps []Step, err error) {
		if err := r.check(); err != nil {
			return nil, err
		}
		s := m.step(StepClaimed, nil)
		if steps, err = m.clear(path, l, r); err != nil {
			return nil, err
		}
		switch l.State(m.Now) {
		case Claimed:
			if !r.Force {
				return nil, &HeldError{Path: path, Holder: l.Claim, At: m.Now}
			}
			s.Took, s.Why = l.Claim.ID, r.Why
		case Done, Superseded:
			if _, part := logOf(path); part != "" { // paths are never finished for good
				break
			}
			if !r.Force {
				return nil, l.finished(path)
			}
			s.Why = r.Why
		case Expired:
			if l.state != Expired {
				steps = append(steps, m.step(StepExpired, l))
			}
		}
		s.By, s.Token, s.Host, s.Session, s.Level = r.By, l.token+1, r.Session.Host, r.Session.ID, r.Level
		s.Claim = claimID(path, s.Token, r.ID())
		s.Until = s.At.Add(r.TTL)
		return append(steps, s), nil
	}
}

func (r ClaimRequest) check() error {
	if err := checkText("--as", r.By); err != nil {
		return err
	}
	if r.Force {
		if err := checkText("--why", r.Why); err != nil {
			return err
		}
	}
	if r.Session.Host != "" {
		if err := checkSession(r.Session); err != nil {
			return err
		}
	}
	return checkTTL(r.TTL)
}

// maxTTL bounds a lease: one that is not renewed for a month is abandoned.
const maxTTL = 31 * 24 * time.Hour

func checkTTL(ttl time.Duration) error {
	if ttl < time.Second || ttl > maxTTL {
		return fmt.Errorf("%w: --ttl %s: want 1s to %s", handoff.ErrInvalid, ttl, maxTTL)
	}
	return nil
}

// Check is nil if a claim still is the latest of its handoff and was not
// released. A claim whose lease ended passes: nobody has replaced it.
func (l *Life) Check(path, claim string) error {
	token, known := l.tokenOf(claim)
	switch {
	case !known:
		return &UnknownClaimError{claim}
	case l.Claim.ID != claim || l.state == Released:
		stale := &StaleError{Path: path, Token: token, Latest: l.Claim}
		if last := l.Last(); last.Kind == StepReleased && last.Claim == claim && last.By != l.Claim.By {
			stale.By, stale.Why = last.By, last.Why
		}
		return stale
	}
	return nil
}

// tokenOf is the token of any claim there was.
func (l *Life) tokenOf(claim string) (token uint64, known bool) {
	for _, s := range l.Steps {
		if s.Kind == StepClaimed && s.Claim == claim {
			return s.Token, true
		}
	}
	return 0, false
}

// Finished reports whether the handoff is done or superseded.
func (l *Life) Finished() bool { return l.isFinished() }

func (l *Life) isFinished() bool { return l.state == Done || l.state == Superseded }

// finished is the error for a life that is over.
func (l *Life) finished(path string) error {
	e := &FinishedError{Path: path, State: l.state}
	for _, s := range l.Steps {
		if State(s.Kind) == l.state {
			e.Step = s
		}
	}
	return e
}

// Deliver records that a successor is about to be shown the handoff. claim is
// the successor's, "" if it has none. A delivery for a claim is recorded once.
func (m Moment) Deliver(to, claim string) Decision {
	return func(path string, l *Life) ([]Step, error) {
		if claim != "" {
			if err := l.Check(path, claim); err != nil {
				return nil, err
			}
			for _, s := range l.Steps {
				if s.Kind == StepDelivered && s.Claim == claim {
					return nil, nil
				}
			}
			return []Step{m.step(StepDelivered, l)}, nil
		}
		if err := checkText("--as", to); err != nil {
			return nil, err
		}
		s := m.step(StepDelivered, nil)
		s.By = to
		return []Step{s}, nil
	}
}

// Acknowledge records that a successor has read the handoff. matched: it
// proved that by the document's next action. Only the holder acknowledges a
// handoff that is claimed; repeating it has no further effect.
func (m Moment) Acknowledge(by, claim string, matched bool) Decision {
	return func(path string, l *Life) ([]Step, error) {
		s := m.step(StepAcknowledged, nil)
		s.By = by
		switch err := error(nil); {
		case claim != "":
			if err = l.Check(path, claim); err != nil {
				return nil, err
			}
			s = m.step(StepAcknowledged, l)
		default:
			if err = checkText("--as", by); err != nil {
				return nil, err
			}
			if l.State(m.Now) == Claimed {
				return nil, &HeldError{Path: path, Holder: l.Claim, At: m.Now}
			}
		}
		if l.isFinished() {
			return nil, l.finished(path)
		}
		if a := l.Acknowledged; a != nil && a.By == s.By && a.Claim == s.Claim && (a.Matched || !matched) {
			return nil, nil
		}
		s.Matched = matched
		return []Step{s}, nil
	}
}

// Renew extends the lease to ttl from now on. It also revives a lease that
// ended, if nobody has claimed the handoff since.
func (m Moment) Renew(claim string, ttl time.Duration) Decision {
	return func(path string, l *Life) ([]Step, error) {
		if err := checkTTL(ttl); err != nil {
			return nil, err
		}
		if err := l.Check(path, claim); err != nil {
			return nil, err
		}
		if l.isFinished() {
			return nil, l.finished(path)
		}
		s := m.step(StepRenewed, l)
		s.Until = s.At.Add(ttl)
		return []Step{s}, nil
	}
}

// Release gives the handoff back, so that it waits again. why may be empty.
// Repeating it has no further effect.
func (m Moment) Release(claim, why string) Decision {
	return func(path string, l *Life) ([]Step, error) {
		if why != "" {
			if err := checkText("--why", why); err != nil {
				return nil, err
			}
		}
		if l.state == Released && l.Claim.ID == claim {
			return nil, nil
		}
		if err := l.Check(path, claim); err != nil {
			return nil, err
		}
		if l.isFinished() {
			return nil, l.finished(path)
		}
		s := m.step(StepReleased, l)
		s.Why = why
		return []Step{s}, nil
	}
}

// Finish records that the work is done. Without a claim, a person can
// finish a handoff that nobody holds, by name. Repeating it has no further effect.
func (m Moment) Finish(by, claim string) Decision { return m.FinishWith(by, claim, nil) }

// FinishWith is [Moment.Finish] with what is known of the work then; nil for nothing.
func (m Moment) FinishWith(by, claim string, e *Evidence) Decision {
	return func(path string, l *Life) ([]Step, error) {
		s := m.step(StepDone, l)
		if claim != "" {
			if err := l.Check(path, claim); err != nil {
				return nil, err
			}
		} else {
			if err := checkText("--as", by); err != nil {
				return nil, err
			}
			if l.State(m.Now) == Claimed {
				return nil, &HeldError{Path: path, Holder: l.Claim, At: m.Now}
			}
			s = m.step(StepDone, nil)
			s.By = by
		}
		if l.isFinished() {
			return nil, nil
		}
		s.Evidence = e
		return []Step{s}, nil
	}
}

// Supersede records that the holder wrote the next handoff of the task. It has
// no effect on a handoff that is finished.
func (m Moment) Supersede(claim, next string) Decision {
	return func(path string, l *Life) ([]Step, error) {
		if err := l.Check(path, claim); err != nil {
			return nil, err
		}
		if l.isFinished() {
			return nil, nil
		}
		s := m.step(StepSuperseded, l)
		s.Next = next
		return []Step{s}, nil
	}
}

// Replace records that somebody without a claim wrote another handoff instead of this one.
// It is refused if the handoff is held or finished. Repeating it has no further effect.
func (m Moment) Replace(by, next string) Decision {
	return func(path string, l *Life) ([]Step, error) {
		if err := checkText("--as", by); err != nil {
			return nil, err
		}
		switch l.State(m.Now) {
		case Claimed:
			return nil, &HeldError{Path: path, Holder: l.Claim, At: m.Now}
		case Superseded:
			if last := l.Last(); last.Next == next {
				return nil, nil
			}
			return nil, l.finished(path)
		case Done:
			return nil, l.finished(path)
		}
		s := m.step(StepSuperseded, nil)
		s.By, s.Next = by, next
		return []Step{s}, nil
	}
}
