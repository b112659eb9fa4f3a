package receipt

import (
	"fmt"
	"slices"
	"time"
)

// Session is a session of an agent, as the program that runs the agent names it.
type Session struct {
	Host string // that program: claude, codex, …
	ID   string // "" if it has no ids
}

// String is the session for people.
func (s Session) String() string {
	if s.ID == "" {
		return s.Host
	}
	return s.Host + " " + s.ID
}

// checkSession refuses a session that does not fit into a step.
func checkSession(s Session) error {
	if err := checkText("host", s.Host); err != nil || s.ID == "" {
		return err
	}
	return checkText("session", s.String())
}

// DeliveredTo is the latest step that delivered the handoff to a session, nil if
// there is none or another session got it later.
func (l *Life) DeliveredTo(s Session) *Step {
	for i := len(l.Steps) - 1; i >= 0; i-- {
		if step := &l.Steps[i]; step.Kind == StepDelivered && step.Host != "" {
			if s.ID != "" && step.Host == s.Host && step.Session == s.ID {
				return step
			}
			return nil
		}
	}
	return nil
}

// WasShown reports whether the handoff was delivered to a session at any time.
func (l *Life) WasShown(s Session) bool {
	return slices.ContainsFunc(l.Steps, func(step Step) bool {
		return step.Kind == StepDelivered && s.ID != "" && step.Host == s.Host && step.Session == s.ID
	})
}

// ClaimedIn reports whether the latest claim was made in a session.
func (l *Life) ClaimedIn(s Session) bool {
	for i := len(l.Steps) - 1; i >= 0; i-- {
		if step := &l.Steps[i]; step.Kind == StepClaimed {
			return s.ID != "" && step.Host == s.Host && step.Session == s.ID
		}
	}
	return false
}

// DeliverOnce records that a waiting handoff is about to be shown to a session. It
// refuses a handoff that was delivered, acknowledged or claimed since it last waited,
// so that exactly one session gets it, once.
func (m Moment) DeliverOnce(to Session) Decision {
	return func(path string, l *Life) (steps []Step, err error) {
		if err := checkSession(to); err != nil {
			return nil, err
		}
		switch l.State(m.Now) {
		case Delivered, Acknowledged:
			return nil, &DeliveredError{path, *l.Last()}
		case Claimed:
			return nil, &HeldError{Path: path, Holder: l.Claim, At: m.Now}
		case Done, Superseded:
			return nil, l.finished(path)
		case Expired:
			if l.state != Expired {
				steps = append(steps, m.step(StepExpired, l))
			}
		}
		return append(steps, m.deliver(to)), nil
	}
}

// DeliverAgain records that a session is about to be shown a handoff again because its
// context was lost. The session got the handoff before, or holds a claim on it. The
// step is refused if the session got the handoff at or after the time of the loss.
func (m Moment) DeliverAgain(to Session, claim string, lost time.Time) Decision {
	return func(path string, l *Life) ([]Step, error) {
		if err := checkSession(to); err != nil {
			return nil, err
		}
		if l.isFinished() {
			return nil, l.finished(path)
		}
		s, last := m.deliver(to), l.DeliveredTo(to)
		if claim != "" {
			if err := l.Check(path, claim); err != nil {
				return nil, err
			}
			s.Claim, s.Token = l.Claim.ID, l.Claim.Token
		}
		switch {
		case last == nil && claim == "":
			return nil, fmt.Errorf("%w: %s was not delivered to %s", ErrRefused, path, to)
		case last != nil && !last.At.Before(lost.Truncate(time.Millisecond)):
			return nil, &DeliveredError{path, *last}
		}
		return []Step{s}, nil
	}
}

// Showing is a handoff that was shown to somebody, or acknowledged, and not claimed since.
type Showing struct {
	To    Session // its session; without an id if that is not known
	By    string
	Since time.Time // when it was shown to them first
	Last  Step      // the latest delivery or acknowledgement
}

// Showing returns to whom the handoff was shown last. ok is false if it was not, or if
// something else happened since. An acknowledgement under another name than that of the
// session is that of somebody else.
func (l *Life) Showing(now time.Time) (s Showing, ok bool) {
	if state := l.State(now); state != Delivered && state != Acknowledged {
		return s, false
	}
	s.Last = *l.Last()
	s.By, s.To, s.Since = s.Last.By, Session{s.Last.Host, s.Last.Session}, s.Last.At
	for i := len(l.Steps) - 1; i >= 0; i-- {
		step, to := l.Steps[i], Session{l.Steps[i].Host, l.Steps[i].Session}
		if step.Kind != StepAcknowledged && step.Kind != StepDelivered {
			break
		}
		switch acknowledged := s.Last.Kind == StepAcknowledged; {
		case s.To.Host == "" && to.Host != "" && acknowledged && (s.By == step.By || s.By == step.Host):
			s.To, s.By = to, step.By
		case to != s.To && to.Host != "":
			return s, true // somebody else was shown it before
		}
		s.Since = step.At
	}
	return s, true
}

// GiveBack records that a session which was shown the handoff ended and did not take it
// up, so that it waits again. It is refused if anything else happened to the handoff since.
func (m Moment) GiveBack(from Session, why string) Decision {
	return func(path string, l *Life) ([]Step, error) {
		if err := checkSession(from); err != nil {
			return nil, err
		}
		s, shown := l.Showing(m.Now)
		if !shown || from.ID == "" || s.To != from {
			return nil, fmt.Errorf("%w: %s is not with %s alone", ErrRefused, path, from)
		}
		return m.again(s, l, why)
	}
}

// Lapse is [Moment.GiveBack] for the session that was shown the handoff last, which has given no
// sign of life for too long. last is the time of the step by which that was decided: it is
// refused if there is a later one.
func (m Moment) Lapse(last time.Time, why string) Decision {
	return func(path string, l *Life) ([]Step, error) {
		s, shown := l.Showing(m.Now)
		if !shown || s.Last.At.After(last) {
			return nil, fmt.Errorf("%w: %s was taken up or shown again", ErrRefused, path)
		}
		return m.again(s, l, why)
	}
}

// again makes a handoff wait again. A claim whose lease ended before the showing can still
// be renewed then: a release would end it.
func (m Moment) again(shown Showing, l *Life, why string) ([]Step, error) {
	if err := checkText("--why", why); err != nil {
		return nil, err
	}
	if l.mayRenew() {
		return []Step{m.step(StepExpired, l)}, nil
	}
	s := m.step(StepReleased, nil)
	s.By, s.Host, s.Session, s.Why = shown.By, shown.To.Host, shown.To.ID, why
	return []Step{s}, nil
}

// mayRenew reports whether there is a claim that was neither replaced nor released.
func (l *Life) mayRenew() bool {
	released := func(s Step) bool { return s.Kind == StepReleased && s.Claim == l.Claim.ID }
	return l.Claim.ID != "" && !slices.ContainsFunc(l.Steps, released)
}

func (m Moment) deliver(to Session) Step {
	s := m.step(StepDelivered, nil)
	s.By, s.Host, s.Session = to.String(), to.Host, to.ID
	return s
}

// DeliveredError refuses to show a handoff to a session, because that or another
// one got it.
type DeliveredError struct {
	Path string
	Step Step // that delivered or acknowledged it
}

func (e *DeliveredError) Error() string {
	return fmt.Sprintf("%s was %s: %s at %s", e.Path, e.Step.Kind, e.Step.By, clock(e.Step.At))
}

func (e *DeliveredError) Is(target error) bool { return target == ErrRefused }
