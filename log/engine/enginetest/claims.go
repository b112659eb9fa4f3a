package enginetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/receipt"
)

// handoffPath is the handoff that racers claim.
const handoffPath = "specs/1_first/handoffs/phase-1-handoff-20261120T174501Z.md"

// start is when the first claim is made. Racers have no clock: leases end by rounds.
var start = time.Date(2026, 11, 20, 17, 45, 1, 0, time.UTC)

// claims is what the racers were told about their claims.
type claims struct {
	sync.Mutex
	won map[uint64]receipt.Step // by token
}

var claimCases = []testCase{
	{"one racer wins each time, and tokens rise", func(r *run) {
		c := claims{won: map[uint64]receipt.Step{}}
		r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
			// Each racer releases what it won, so that the others can claim again.
			won, err := c.claim(ctx, e, who, round, start.Add(time.Duration(round)*time.Second), nil)
			if err != nil || won == "" {
				return err
			}
			_, err = record(ctx, e, receipt.Moment{Now: start}.Release(won, ""))
			return err
		})
		c.check(r)
	}},
	{"a claim by force makes the claim before it stale", func(r *run) {
		c := claims{won: map[uint64]receipt.Step{}}
		r.race(func(ctx context.Context, e engine.Engine, who, round int) error {
			won, err := c.claim(ctx, e, who, round, start, &receipt.ClaimRequest{Force: true, Why: "its holder is gone"})
			if err != nil {
				return err
			}
			_, err = record(ctx, e, receipt.Moment{Now: start}.Renew(won, time.Hour))
			if errors.Is(err, receipt.ErrRefused) { // another one took it over
				return nil
			}
			return err
		})
		c.check(r)
		if len(c.won) != r.has.Racers*r.has.Rounds {
			r.Errorf("%d claims, want %d", len(c.won), r.has.Racers*r.has.Rounds)
		}
	}},
	{"a lease that ended is claimed once", func(r *run) {
		handles := r.handles(r.has.Racers)
		for round := range r.has.Rounds {
			c := claims{won: map[uint64]receipt.Step{}}
			now := start.Add(time.Duration(round) * 2 * time.Hour)
			var racers sync.WaitGroup
			for who, e := range handles {
				racers.Go(func() {
					if _, err := c.claim(r.ctx, e, who, round, now, nil); err != nil {
						r.Error(err)
					}
				})
			}
			racers.Wait()
			if len(c.won) != 1 || c.won[uint64(round+1)].Token == 0 {
				r.Fatalf("round %d has the winners %v, want one with the token %d", round, c.won, round+1)
			}
		}
	}},
}

// claim makes a claim of an hour, unless another one holds the handoff; then won is "".
func (c *claims) claim(ctx context.Context, e engine.Logs, who, round int, now time.Time, forced *receipt.ClaimRequest) (won string, err error) {
	request := receipt.ClaimRequest{}
	if forced != nil {
		request = *forced
	}
	request.By, request.TTL = fmt.Sprintf("racer %d", who), time.Hour
	request.ID = func() string { return fmt.Sprintf("%d-%d", who, round) }
	steps, err := record(ctx, e, receipt.Moment{Now: now}.Claim(request))
	if errors.As(err, new(*receipt.HeldError)) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	step := steps[len(steps)-1]
	c.Lock()
	defer c.Unlock()
	if other, taken := c.won[step.Token]; taken {
		return "", fmt.Errorf("token %d was given to %s and to %s", step.Token, other.By, step.By)
	}
	c.won[step.Token] = step
	return step.Claim, nil
}

// record is how package receipt uses an engine: read the steps, decide, and append
// at the length that was read; after a conflict, all of it again.
func record(ctx context.Context, e engine.Logs, decide receipt.Decision) ([]receipt.Step, error) {
	for {
		life, n, err := read(ctx, e)
		if err != nil {
			return nil, err
		}
		steps, err := decide(handoffPath, &life)
		if err != nil || len(steps) == 0 {
			return nil, err
		}
		b := engine.Batch{Log: claimLog, Expected: n}
		for i := range steps {
			steps[i].Seq, steps[i].Handoff = n+uint64(i), handoffPath
			line, err := json.Marshal(steps[i])
			if err != nil {
				return nil, err
			}
			b.Records = append(b.Records, line)
		}
		if err := engine.Append(ctx, e, waittest.Limit, b); !errors.Is(err, engine.ErrConflict) {
			return steps, err
		}
	}
}

const claimLog = "receipts/5c9f7a1b.jsonl"

func read(ctx context.Context, e engine.Logs) (life receipt.Life, n uint64, err error) {
	for line, err := range e.Read(ctx, claimLog, 0) {
		if err != nil {
			return receipt.Life{}, 0, err
		}
		var s receipt.Step
		if err := json.Unmarshal(line.Data, &s); err != nil {
			return receipt.Life{}, 0, err
		}
		if s.Seq != n {
			return receipt.Life{}, 0, fmt.Errorf("step %d has the number %d", n, s.Seq)
		}
		life.Apply(s)
		n++
	}
	return life, n, nil
}

// check compares the claims in the log with what the racers were told: each in the log
// was reported to one racer, and the tokens rise by one.
func (c *claims) check(r *run) {
	r.Helper()
	life, _, err := read(r.ctx, r)
	if err != nil {
		r.Fatal(err)
	}
	next := uint64(1)
	for _, s := range life.Steps {
		if s.Kind != receipt.StepClaimed {
			continue
		}
		if s.Token != next {
			r.Errorf("step %d has the token %d, want %d", s.Seq, s.Token, next)
		}
		if told := c.won[s.Token]; told.Claim != s.Claim {
			r.Errorf("the log has the claim %s of %s, but %q was reported", s.Claim, s.By, told.Claim)
		}
		next++
	}
	if len(c.won) != int(next-1) || len(c.won) == 0 {
		r.Errorf("%d claims were reported, %d are in the log", len(c.won), next-1)
	}
}
