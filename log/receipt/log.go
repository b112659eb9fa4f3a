package receipt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"handoff/internal/journal"
)

// logged is what a journal has: the life of a handoff or of work; of paths, that of each glob
// that was ever claimed.
type logged struct {
	name  string // of the log; "" for an empty one
	lines uint64
	token uint64 // the largest
	parts map[string]*Life
	order []string
}

// parseLog reads the steps of a file. An error comes with the number of its line, from 1.
func parseLog(src []byte) (l logged, number int, err error) {
	for len(src) > 0 {
		line, rest, whole := bytes.Cut(src, []byte("\n"))
		if !whole || len(rest) == 0 && journal.Interrupted(line) {
			break
		}
		step, err := parseStep(line)
		switch {
		case err != nil:
		case step.Seq != l.lines:
			err = fmt.Errorf("damaged: has number %d, want %d", step.Seq, l.lines)
		case l.lines > 0 && step.Handoff != l.name:
			err = fmt.Errorf("is about %q, not %q", step.Handoff, l.name)
		}
		if err != nil {
			return l, int(l.lines) + 1, err
		}
		l.apply(step)
		src = rest
	}
	return l, 0, nil
}

func (l *logged) apply(s Step) {
	life := l.parts[s.Part]
	if life == nil {
		life = new(Life)
		if l.parts == nil {
			l.parts = map[string]*Life{}
		}
		l.parts[s.Part], l.order = life, append(l.order, s.Part)
	}
	life.Apply(s)
	l.name, l.lines, l.token = s.Handoff, l.lines+1, max(l.token, s.Token)
}

// life is that of a part, with the others beside it.
func (l *logged) life(part string) (life Life) {
	if own := l.parts[part]; own != nil {
		life = *own
	}
	life.lines, life.token = l.lines, l.token
	for _, other := range l.order {
		if other != part {
			life.beside = append(life.beside, l.parts[other])
		}
	}
	return life
}

// lives are all lives; for an empty log one that waits.
func (l *logged) lives() (all []Life) {
	for _, part := range l.order {
		all = append(all, l.life(part))
	}
	if all == nil {
		all = []Life{{}}
	}
	return all
}

// of is the life that a claim is of; without such a claim, the first one.
func (l *logged) of(claim string) Life {
	i := slices.IndexFunc(l.order, func(part string) bool {
		_, known := l.parts[part].tokenOf(claim)
		return known
	})
	if i < 0 && len(l.order) == 0 {
		return Life{}
	}
	return l.life(l.order[max(i, 0)])
}

// clear refuses a claim of paths that another one covers in part, unless that is one of the
// caller. By force, or if its lease has ended, the other one is released: its holder is fenced
// off, as one whose claim is replaced.
func (m Moment) clear(path string, l *Life, r ClaimRequest) (steps []Step, err error) {
	_, part := logOf(path)
	for _, other := range l.beside {
		if state := other.State(m.Now); state != Claimed && state != Expired || r.Own != nil && r.Own(other) {
			continue
		}
		common, overlap := covers(part, other.Steps[0].Part)
		if !overlap {
			continue
		}
		why := leaseEnded
		if other.State(m.Now) == Claimed {
			if !r.Force {
				return nil, &HeldError{Path: path, Holder: other.Claim, At: m.Now, By: other.Name(), Common: common}
			}
			why = r.Why
		}
		steps = append(steps, m.displaced(other, r.By, why))
	}
	return steps, nil
}

// displaced is the step that ends the claim of another one.
func (m Moment) displaced(l *Life, by, why string) Step {
	s := m.step(StepReleased, l)
	s.Handoff, s.Part, s.By = l.Steps[0].Handoff, l.Steps[0].Part, by
	s.Why = strings.ToValidUTF8(why[:min(len(why), maxText)], "")
	return s
}

// Displace releases a claim whose lease has ended, because what by has claimed excludes it; by
// force, for the reason why, also one that has not. It has no effect on a claim that is over.
func (m Moment) Displace(claim, by string, force bool, why string) Decision {
	return func(path string, l *Life) ([]Step, error) {
		switch state := l.State(m.Now); {
		case l.Claim.ID != claim || state != Claimed && state != Expired || state == Claimed && !force:
			return nil, nil
		case state == Expired:
			why = leaseEnded
		}
		return []Step{m.displaced(l, by, why)}, nil
	}
}

// leaseEnded is the reason for a claim that is released because another one excludes it.
const leaseEnded = "its lease had ended"
