package receipts

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/states"
)

// TestTaskRace: a task as a whole and one of its handoffs are claimed at the same moment by two
// callers, in one tree and on two machines with a store. One of them wins, and only one lease
// remains.
func TestTaskRace(t *testing.T) {
	for name, machines := range map[string]func(int) (one, two *Book){
		"files": func(int) (one, two *Book) {
			root := waitingTree(t, 1)
			return book(t, root, 0), book(t, root, 0)
		},
		"a store": func(int) (one, two *Book) {
			store := engine.Engine(&enginetest.Memory{})
			return stored(t, waitingTree(t, 1), store), stored(t, waitingTree(t, 1), store)
		},
	} {
		t.Run(name, func(t *testing.T) {
			wins := map[string]int{}
			for n := range 6 {
				one, two := machines(n)
				var claims sync.WaitGroup
				var whole, part error
				claims.Go(func() {
					_, whole = one.Claim(t.Context(), Target{Ref: "task:1"}, receipt.ClaimRequest{By: "ann", TTL: time.Hour})
				})
				claims.Go(func() {
					_, part = two.Claim(t.Context(), Target{Ref: "1"}, receipt.ClaimRequest{By: "bob", TTL: time.Hour})
				})
				claims.Wait()
				for _, err := range []error{whole, part} {
					if err != nil && !errors.As(err, new(*receipt.HeldError)) {
						t.Fatal(err)
					}
				}
				if (whole == nil) == (part == nil) {
					t.Fatalf("the task: %v; its handoff: %v", whole, part)
				}
				held := 0
				for _, ref := range []string{"task:1", "1"} {
					b := one
					if ref == "1" {
						b = two
					}
					r, _, err := b.Life(t.Context(), Target{Ref: ref})
					if err != nil {
						t.Fatal(err)
					}
					if r.State == receipt.Claimed {
						held++
						wins[ref]++
					}
				}
				if held != 1 {
					t.Fatalf("%d leases remain", held)
				}
			}
			t.Log(wins)
		})
	}
}

// TestTaskLeaseEnds: the claim of a handoff after the lease of its task has ended fences its
// holder off, and the other way round.
func TestTaskLeaseEnds(t *testing.T) {
	for _, refs := range [][2]string{{"task:1", "1"}, {"1", "task:1"}} {
		root := waitingTree(t, 2)
		r, err := book(t, root, 0).Claim(t.Context(), Target{Ref: refs[0]}, request)
		if err != nil {
			t.Fatal(err)
		}
		later := book(t, root, 2*time.Hour)
		if _, err := later.Claim(t.Context(), Target{Ref: refs[1]}, receipt.ClaimRequest{By: "bob", TTL: time.Hour}); err != nil {
			t.Fatal(err)
		}
		_, err = later.Renew(t.Context(), Target{Claim: r.Claim}, time.Hour)
		if !errors.As(err, new(*receipt.StaleError)) {
			t.Errorf("%v: renewed: %v", refs, err)
		}
	}
}

// TestOwnWork: what one caller holds does not exclude its other claims; another name there, and
// another caller, are excluded. A claim that is passed is the caller's.
func TestOwnWork(t *testing.T) {
	root := waitingTree(t, 1)
	b := book(t, root, 0)
	claim := func(who Caller, passed, by, ref string) (string, error) {
		r, err := b.Claim(t.Context(), Target{Ref: ref, Who: who, Claim: passed}, receipt.ClaimRequest{By: by, TTL: time.Hour})
		return r.Claim, err
	}
	must := func(id string, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	whole := must(claim(inTerminal, "", "ann", "task:1"))
	must(claim(inTerminal, "", "ann", "path:src/**"))
	must(claim(inTerminal, "", "ann", "path:src/x"))
	for i, who := range []Caller{inTerminal, inSession, {}} {
		for _, ref := range []string{"1", "path:src/x/y"} {
			if _, err := claim(who, "", fmt.Sprint("bob", i), ref); !errors.As(err, new(*receipt.HeldError)) {
				t.Errorf("%+v: %s: %v", who, ref, err)
			}
		}
	}
	must(claim(Caller{}, whole, "over HTTP", "1"))
	list, err := states.HeldWork(b.ws)
	if err != nil || len(list) != 3 || list[0].By != "ann" {
		t.Errorf("%+v %v", list, err)
	}
	q, err := b.Next(t.Context(), nil)
	if err != nil || len(q.Waiting) != 0 || len(q.Held) != 1 || q.Held[0].By != "over HTTP" || len(q.Work) != 3 {
		t.Errorf("%+v %v", q, err)
	}
}

// TestHeldTask: while a task is held as a whole, its handoff is held for all others: none gets it,
// and none may write the next one.
func TestHeldTask(t *testing.T) {
	root := waitingTree(t, 2)
	b := book(t, root, 0)
	if _, err := b.Claim(t.Context(), Target{Ref: "task:1", Who: inTerminal}, request); err != nil {
		t.Fatal(err)
	}
	q, err := b.Next(t.Context(), nil)
	if err != nil || len(q.Waiting) != 1 || len(q.Held) != 1 || q.Held[0].Why != "its task is held by ann" || q.Held[0].Claimed() {
		t.Fatalf("%+v %v", q, err)
	}
	s := receipt.Session{Host: "claude", ID: "s9"}
	for range 2 {
		if item, ok, err := b.DeliverNext(t.Context(), s); err != nil || ok && item.Task != 2 {
			t.Errorf("delivered %+v %t %v", item, ok, err)
		}
	}
	if held := b.Others(t.Context(), inSession, Next{Task: documents.OfTask(1, "")}); len(held) == 0 {
		t.Errorf("another one may write the next handoff: %v", err)
	}
	if held := b.Others(t.Context(), inTerminal, Next{Task: documents.OfTask(1, "")}); len(held) != 0 {
		t.Errorf("its holder may not: %v", err)
	}
	if err := b.TakeOver(t.Context(), inSession, Next{Task: documents.OfTask(1, "")}, receipt.ClaimRequest{By: "bob", TTL: time.Hour, Why: "she is ill"}); err != nil {
		t.Fatal(err)
	}
	if err := b.MayWrite(t.Context(), inTerminal, new(1)); !errors.As(err, new(*receipt.StaleError)) {
		t.Errorf("the one from whom it was taken may write: %v", err)
	}
}
