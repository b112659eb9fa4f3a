package prompt

import (
	"context"
	"testing"
	"time"
)

// TestHalfOf gives the checks half of the time of the caller.
func TestHalfOf(t *testing.T) {
	ctx, cancel := halfOf(context.Background())
	defer cancel()
	if end, limited := ctx.Deadline(); limited {
		t.Errorf("ends at %s, without a deadline of the caller", end)
	}
	begin := time.Now()
	whole, done := context.WithDeadline(ctx, begin.Add(10*time.Hour))
	defer done()
	half, cancelHalf := halfOf(whole)
	defer cancelHalf()
	if end, limited := half.Deadline(); !limited || end.Before(begin.Add(4*time.Hour)) || end.After(begin.Add(6*time.Hour)) {
		t.Errorf("of 10 hours it has %s", end.Sub(begin))
	}
}
