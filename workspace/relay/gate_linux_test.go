package relay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"handoff/agents"
	"handoff/internal/testing/waittest"
	"handoff/log/receipt"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/turn"
)

// gated is a relay that is at its gate: a command runs that ends when the file `go` is there.
type gated struct {
	t     *testing.T
	dir   string
	relay *Relay
	ended chan error
}

func newGated(t *testing.T) *gated {
	t.Helper()
	g := &gated{t: t, dir: newTree(t), ended: make(chan error, 1)}
	t.Setenv(agentIn, g.dir)
	o := Options{Agents: []agents.Agent{fakeAgent()}, Options: turn.Options{TTL: time.Second, Grace: time.Second, Until: [][]string{{"sh", "-c", "touch gate; until test -e go; do sleep 0.05; done"}}}}
	var err error
	if g.relay, err = Start(t.Context(), openAt(g.dir), chain.Plan{Objective: "parse numbers", Task: 1, Agents: []string{"fake"}, Level: agents.All, Continuations: 5}, o); err != nil {
		t.Fatal(err)
	}
	go func() {
		err := g.relay.Run(context.Background())
		g.relay.Close()
		g.ended <- err
	}()
	waittest.Until(t, "the gate", func() bool { _, err := os.Stat(filepath.Join(g.dir, "gate")); return err == nil })
	return g
}

// handoff is the one that the last link continues, and its life so far.
func (g *gated) handoff() (*receipts.Book, receipts.Target, receipt.Life) {
	g.t.Helper()
	book, err := receipts.Open(openAt(g.dir))
	if err != nil {
		g.t.Fatal(err)
	}
	s, err := log.Read(openAt(g.dir), g.relay.ID)
	if err != nil || s.Handoff == "" {
		g.t.Fatal(s, err)
	}
	target := receipts.Target{Dir: g.dir, Ref: s.Handoff}
	_, life, err := book.Life(g.t.Context(), target)
	if err != nil {
		g.t.Fatal(err)
	}
	return book, target, life
}

// pass ends the command, and returns how the relay ended.
func (g *gated) pass() chain.State {
	g.t.Helper()
	write(g.t, filepath.Join(g.dir, "go"), "")
	if err := waittest.For(g.t, "the end of the relay", g.ended); err != nil {
		g.t.Fatal(err)
	}
	return g.relay.State()
}

// TestGateKeepsTheClaim: tests that take longer than a lease do not let another session have the work.
func TestGateKeepsTheClaim(t *testing.T) {
	g := newGated(t)
	book, target, life := g.handoff()
	first := life.Claim.Until
	waittest.Until(t, "the end of the first lease", func() bool { return time.Now().After(first.Add(100 * time.Millisecond)) })
	if r, err := book.Claim(t.Context(), target, receipt.ClaimRequest{By: "another", TTL: time.Hour}); !errors.Is(err, receipt.ErrRefused) {
		t.Errorf("another session got %+v (%v)", r, err)
	}
	if s := g.pass(); s.Over != chain.Done {
		t.Errorf("%s: %s", s.Over, s.OverWhy)
	}
}

// TestGateLosesTheClaim: a person gives the work to another session while the commands run. They are
// ended, and nothing is recorded as done.
func TestGateLosesTheClaim(t *testing.T) {
	g := newGated(t)
	book, target, _ := g.handoff()
	if _, err := book.Claim(t.Context(), target, receipt.ClaimRequest{By: "another", TTL: time.Hour, Force: true, Why: "I do it"}); err != nil {
		t.Fatal(err)
	}
	if err := waittest.For(t, "the end of the relay", g.ended); err != nil {
		t.Fatal(err)
	}
	if s := g.relay.State(); s.Over != chain.Lost || s.OverWhy != target.Ref+" is claimed by another now" || s.Gate != nil {
		t.Errorf("%s: %s, %+v", s.Over, s.OverWhy, s.Gate)
	}
	if _, _, life := g.handoff(); life.State(time.Now()) != receipt.Claimed || life.Claim.By != "another" {
		t.Errorf("%+v", life.Claim)
	}
}

// TestStopsAGate: a relay is stopped while the commands run, says so, and can be resumed.
func TestStopsAGate(t *testing.T) {
	g := newGated(t)
	if err := log.Ask(openAt(g.dir), g.relay.ID); err != nil {
		t.Fatal(err)
	}
	if err := waittest.For(t, "the end", g.ended); !errors.Is(err, ErrStopped) {
		t.Errorf("%v", err)
	}
	r, err := Resume(t.Context(), openAt(g.dir), g.relay.ID, Options{Agents: []agents.Agent{fakeAgent()}, Options: turn.Options{TTL: time.Second, Grace: time.Second, Until: [][]string{{"true"}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Run(t.Context()); err != nil || r.State().Over != chain.Done {
		t.Errorf("%v: %s", err, r.State().Over)
	}
}
