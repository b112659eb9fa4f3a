package receipts

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/log/receipt"
	"handoff/workspace/current"
)

var (
	inTerminal = Caller{User: "1@here", Terminal: "tty1"}
	inSession  = Caller{User: "1@here", Terminal: "tty1", Sessions: []receipt.Session{{Host: "claude", ID: "s1"}}}
)

// waitingTree is a workspace in which tasks 1 to n have a handoff that waits.
func waitingTree(t *testing.T, n int) string {
	t.Helper()
	root := t.TempDir()
	for task := 1; task <= n; task++ {
		path, text := handoffAt(task, "20260212T100000Z")
		write(t, root, path, text)
	}
	return root
}

// entries are the files that remember claims.
func entries(t *testing.T, root string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, ".handoff/current/*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestLeaseOfPlace: what was claimed in a terminal is found while the lease lasts, by that terminal
// alone; a session may renew its claim later.
func TestLeaseOfPlace(t *testing.T) {
	for _, who := range []Caller{inTerminal, inSession} {
		root := waitingTree(t, 1)
		if _, err := book(t, root, 0).Claim(t.Context(), Target{Ref: "1", Who: who}, request); err != nil {
			t.Fatal(err)
		}
		if _, err := book(t, root, 59*time.Minute).Renew(t.Context(), Target{Who: who}, time.Hour); err != nil {
			t.Error(err)
		}
		_, err := book(t, root, 3*time.Hour).Renew(t.Context(), Target{Who: who, Ref: "1"}, time.Hour)
		if late := len(who.Sessions) == 0; late != errors.Is(err, handoff.ErrInvalid) || late != (err != nil) {
			t.Errorf("%+v: %v", who, err)
		} else if late && !strings.Contains(err.Error(), "the lease of ann on 1/1 has expired: claim it first") {
			t.Error(err)
		}
	}
}

// TestReplaced: a claim that was taken over is refused as stale, to a terminal until its own lease is
// over, to a session until it knows.
func TestReplaced(t *testing.T) {
	for _, who := range []Caller{inTerminal, inSession} {
		root := waitingTree(t, 1)
		if _, err := book(t, root, 0).Claim(t.Context(), Target{Ref: "1", Who: who}, request); err != nil {
			t.Fatal(err)
		}
		other := receipt.ClaimRequest{By: "bob", TTL: 9 * time.Hour, Force: true, Why: "test"}
		if _, err := book(t, root, 0).Claim(t.Context(), Target{Ref: "1", Who: Caller{User: "2@here"}}, other); err != nil {
			t.Fatal(err)
		}
		stale := func(err error) bool {
			_, is := errors.AsType[*receipt.StaleError](err)
			return is
		}
		one, two := 1, 2
		if b := book(t, root, 0); !stale(b.MayWrite(t.Context(), who, nil)) || !stale(b.MayWrite(t.Context(), who, &one)) || b.MayWrite(t.Context(), who, &two) != nil {
			t.Errorf("%+v: writes", who)
		}
		late := book(t, root, 2*time.Hour)
		if got, want := stale(late.MayWrite(t.Context(), who, nil)), len(who.Sessions) > 0; got != want {
			t.Errorf("%+v: stale after its lease: %v", who, got)
		}
		if _, err := book(t, root, 0).Release(t.Context(), Target{Who: who}, ""); !stale(err) {
			t.Errorf("%+v: %v", who, err)
		}
		if err := book(t, root, 0).MayWrite(t.Context(), who, nil); err != nil {
			t.Errorf("%+v: %v, although it was told", who, err)
		}
	}
}

// TestRemembered: an entry gives a claim only if that was recorded. An entry of a process that was
// killed before is harmless, as is one that is damaged or of another file; entries of claims that
// ended are removed.
func TestRemembered(t *testing.T) {
	root := waitingTree(t, 2)
	b := book(t, root, 0)
	path, _ := handoffAt(1, "20260212T100000Z")
	if err := b.current.Add(inTerminal.Of(path, "killed", "ann", clock)); err != nil {
		t.Fatal(err)
	}
	write(t, root, ".handoff/current/damaged.json", "{")
	write(t, root, ".handoff/current/0123456789abcdef.json", `{"handoff":"`+path+`","id":"x","user":"1@here","terminal":"tty1"}`)
	if _, err := b.Renew(t.Context(), Target{Who: inTerminal}, time.Hour); err == nil || !strings.Contains(err.Error(), "Nothing is claimed here") {
		t.Error(err)
	}
	for range 3 {
		if _, err := b.Claim(t.Context(), Target{Ref: "2", Who: inTerminal}, request); err != nil {
			t.Fatal(err)
		}
		if r, err := b.Release(t.Context(), Target{Who: inTerminal}, ""); err != nil || r.State != receipt.Released {
			t.Fatal(r, err)
		}
	}
	if n := entries(t, root); n != 3 { // the three from above
		t.Errorf("%d entries", n)
	}
	if _, err := book(t, root, 30*24*time.Hour).Claim(t.Context(), Target{Ref: "2", Who: inTerminal}, request); err != nil {
		t.Fatal(err)
	}
	if n := entries(t, root); n != 3 { // that of the killed process is removed
		t.Errorf("%d entries", n)
	}
}

// TestNotRemembered: a claim that cannot be remembered is made, and its caller is told.
func TestNotRemembered(t *testing.T) {
	root := waitingTree(t, 1)
	write(t, root, ".handoff/current", "a file")
	r, err := book(t, root, 0).Claim(t.Context(), Target{Ref: "1", Who: inTerminal}, request)
	if err != nil || r.State != receipt.Claimed || r.Forgotten == nil {
		t.Error(r, err)
	}
}

// TestSessionOfReceipt: with its session in the receipt, a claim is found without an entry.
func TestSessionOfReceipt(t *testing.T) {
	root := waitingTree(t, 1)
	ask := request
	ask.Session, _ = inSession.Session()
	if _, err := book(t, root, 0).Claim(t.Context(), Target{Ref: "1"}, ask); err != nil {
		t.Fatal(err)
	}
	if r, err := book(t, root, 0).Finish(t.Context(), Target{Ref: "1", Who: inSession}, ""); err != nil || r.State != receipt.Done {
		t.Error(r, err)
	}
}

// TestMade: a session is never another caller, whatever else is the same.
func TestMade(t *testing.T) {
	callers := []current.Caller{{}, inTerminal, {User: "1@here"}, {User: "1@there", Terminal: "tty1"}, inSession,
		{Sessions: []receipt.Session{{Host: "claude", ID: "s2"}}, User: "1@here", Terminal: "tty1"},
		{Sessions: []receipt.Session{{Host: "claude", ID: "s1"}, {Host: "gemini", ID: "g1"}}}}
	for i, a := range callers {
		for j, b := range callers {
			e := b.Of("a.md", "id", "ann", clock)
			if got, want := a.Made(e), i == j && a.Known(); got != want {
				t.Errorf("%+v made the claim of %+v: %v", a, b, got)
			}
			if a.Known() && b.Known() && i != j && a.Elsewhere(e) == "" {
				t.Errorf("%+v, %+v: no reason", a, b)
			}
		}
	}
}
