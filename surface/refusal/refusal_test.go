package refusal

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/engine"
	"handoff/log/engine/replica"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/surface/problem"
)

// TestOf: an error is found however it is wrapped, and the more exact kind wins: a used key
// also is fs.ErrExist.
func TestOf(t *testing.T) {
	now := time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)
	claim := receipt.Claim{ID: "secret", Token: 3, By: "ann", At: now.Add(-time.Hour), Until: now.Add(1500 * time.Millisecond)}
	for _, c := range []struct {
		err  error
		want problem.Problem
	}{
		{&receipt.HeldError{Path: "a.md", Holder: claim, At: now}, problem.Problem{Type: problem.Held.Type, Path: "a.md", Holder: "ann", Token: 3, RetryAfter: 2}},
		{&receipt.HeldError{Path: "a.md", Holder: claim}, problem.Problem{Type: problem.Held.Type, Path: "a.md", Holder: "ann", Token: 3}},
		{&receipt.StaleError{Path: "a.md", Token: 1, Latest: claim}, problem.Problem{Type: problem.Stale.Type, Path: "a.md", Holder: "ann", Token: 3}},
		{&receipt.FinishedError{Path: "a.md", State: receipt.Done, Step: receipt.Step{By: "ann", At: now}}, problem.Problem{Type: problem.Finished.Type, Path: "a.md", State: "done", Holder: "ann"}},
		{handoff.ErrKeyUsed, problem.Problem{Type: problem.KeyReused.Type}},
		{tape.ErrNotOwner, problem.Problem{Type: problem.NotOwner.Type}},
		{fs.ErrExist, problem.Problem{Type: problem.Exists.Type}},
		{fs.ErrNotExist, problem.Problem{Type: problem.Blank}},
		{&fs.PathError{Op: "mkdir", Path: "x", Err: syscall.EACCES}, problem.Problem{Type: problem.Blank}},
		{&fs.PathError{Op: "mkdir", Path: "x", Err: syscall.EROFS}, problem.Problem{Type: problem.Blank}},
		{&engine.ProjectError{Name: "x"}, problem.Problem{Type: problem.WrongStore.Type}},
		{&replica.NotCopyError{Path: "x"}, problem.Problem{Type: problem.WrongStore.Type}},
		{handoff.ErrCrowded, problem.Problem{Type: problem.Busy.Type, RetryAfter: 1}},
	} {
		p, ok := Of(fmt.Errorf("wrapped: %w", c.err))
		got := problem.Problem{Type: p.Type, Path: p.Path, State: p.State, Holder: p.Holder, Token: p.Token, RetryAfter: p.RetryAfter}
		if !ok || got != c.want || p.Title == "" || p.Status < 400 {
			t.Errorf("%v: %+v, %v", c.err, p, ok)
		}
	}
	for _, err := range []error{errors.New("x"), nil} {
		if p, ok := Of(err); ok {
			t.Errorf("%v: %+v", err, p)
		}
	}
	for _, a := range answers {
		if (a.kind == nil) == (a.status == 0) {
			t.Errorf("%q: want a kind or a status", a.detail)
		}
	}
}
