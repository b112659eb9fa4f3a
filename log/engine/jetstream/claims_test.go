package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/receipt"
)

// racing is several claimants of one handoff.
type racing struct {
	mu  sync.Mutex
	won map[uint64]string // claim, by token
}

const (
	claimLog = "receipts/5c9f7a1b.jsonl"
	claimed  = "specs/1_first/handoffs/phase-1-handoff-20261120T174501Z.md"
)

// TestClaimsWhileLeaderIsKilled has 8 agents claim and release one handoff while the
// leader is killed twice: each token is given once, and one claim is held at a time.
func TestClaimsWhileLeaderIsKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("elections take many seconds")
	}
	t.Parallel()
	c := natstest.Start(t, natstest.Options{Nodes: 3})
	r := &racing{won: map[uint64]string{}}
	ctx, cancel := context.WithCancel(waittest.Context(t))
	defer cancel()
	var racers sync.WaitGroup
	for who := range writers {
		e := open(t, c, "claims")
		racers.Go(func() {
			for round := 0; r.count() < 120 && ctx.Err() == nil; round++ {
				if err := r.race(ctx, e, who, round); err != nil {
					t.Errorf("racer %d, round %d: %v", who, round, err)
					cancel()
				}
			}
		})
	}
	for kill := 1; kill <= 2; kill++ {
		waittest.Until(t, "more claims", func() bool { return r.count() >= 40*kill || ctx.Err() != nil })
		leader := c.WaitLeader("claims")
		c.Kill(leader)
		waittest.Until(t, "claims without that node", func() bool { return r.count() >= 40*kill+20 || ctx.Err() != nil })
		c.Restart(leader)
		c.WaitHealthy()
	}
	racers.Wait()
	r.check(t, open(t, c, "claims"))
}

func (r *racing) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.won)
}

// race claims the handoff, unless another one holds it, and then releases it.
func (r *racing) race(ctx context.Context, e engine.Logs, who, round int) error {
	moment := receipt.Moment{Now: time.Date(2026, 11, 20, 17, 45, 1, 0, time.UTC)}
	steps, err := decide(ctx, e, moment.Claim(receipt.ClaimRequest{By: fmt.Sprint("racer ", who), TTL: time.Hour, ID: func() string { return fmt.Sprintf("%d-%d", who, round) }}))
	if errors.As(err, new(*receipt.HeldError)) {
		return nil
	}
	if err != nil {
		return err
	}
	won := steps[len(steps)-1]
	r.mu.Lock()
	other, taken := r.won[won.Token]
	r.won[won.Token] = won.Claim
	r.mu.Unlock()
	if taken {
		return fmt.Errorf("token %d was given to %s and to %s", won.Token, other, won.Claim)
	}
	_, err = decide(ctx, e, moment.Release(won.Claim, "")) // refused if another one holds it
	return err
}

// decide reads the steps, makes a decision on them, and appends it at the length that
// was read; after a conflict, all of it again.
func decide(ctx context.Context, e engine.Logs, decision receipt.Decision) ([]receipt.Step, error) {
	for {
		life, err := eventually(ctx, func() (receipt.Life, error) { return steps(ctx, e) })
		if err != nil {
			return nil, err
		}
		n := uint64(len(life.Steps))
		steps, err := decision(claimed, &life)
		if err != nil {
			return nil, err
		}
		b := engine.Batch{Log: claimLog, Expected: n}
		for i := range steps {
			steps[i].Seq, steps[i].Handoff = n+uint64(i), claimed
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

func steps(ctx context.Context, e engine.Logs) (life receipt.Life, err error) {
	for line, err := range e.Read(ctx, claimLog, 0) {
		if err != nil {
			return life, err
		}
		var s receipt.Step
		if err := json.Unmarshal(line.Data, &s); err != nil {
			return life, err
		}
		life.Apply(s)
	}
	return life, nil
}

// check compares the log with what the racers were told, and looks for a claim while
// another one was held.
func (r *racing) check(t *testing.T, e engine.Logs) {
	t.Helper()
	ctx := waittest.Context(t)
	life, err := eventually(ctx, func() (receipt.Life, error) { return steps(ctx, e) })
	if err != nil {
		t.Fatal(err)
	}
	token, held := uint64(0), ""
	for _, s := range life.Steps {
		switch s.Kind {
		case receipt.StepClaimed:
			if token++; s.Token != token || held != "" || r.won[token] != s.Claim {
				t.Errorf("step %d: claim %s with the token %d, want %d, while %q is held; %q was told that it has it", s.Seq, s.Claim, s.Token, token, held, r.won[token])
			}
			held = s.Claim
		case receipt.StepReleased:
			if s.Claim != held {
				t.Errorf("step %d: %s is released while %q is held", s.Seq, s.Claim, held)
			}
			held = ""
		}
	}
	if len(r.won) != int(token) || token < 120 {
		t.Errorf("%d claims were won, %d are in the log, want 120 at least", len(r.won), token)
	}
}
