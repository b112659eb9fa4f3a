package drain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
	"handoff/log/receipt"
	"handoff/log/tape"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/tapes"
)

// stalled is a workspace whose store, a real server, does not answer for a moment. Each
// call of ws is another command.
type stalled struct {
	t      *testing.T
	server *natstest.Cluster
	root   string
}

func (s stalled) ws() *workspace.Workspace { return within(s.t, s.root, 2*time.Second) }

// while does something while the server stalls.
func (s stalled) while(do func()) {
	resume := s.server.Stall(0)
	defer resume()
	do()
}

// on does something with a tape.
func (s stalled) on(name string, do func(*tapes.Tape)) {
	s.t.Helper()
	all := must(tapes.In(s.ws(), "", true))
	defer all.Close()
	do(must(all.Tape(name)))
}

func (s stalled) append(name, text string) (queued bool) {
	s.t.Helper()
	s.on(name, func(one *tapes.Tape) {
		queued = must(one.Append(s.t.Context(), tape.AppendRequest{Entries: []tape.Entry{entry(s.t, text)}})).Queued
	})
	return queued
}

// TestStall: a real server does not answer for a moment. What was acknowledged meanwhile is
// overtaken by nothing, and a claim that another machine replaced writes nothing.
func TestStall(t *testing.T) {
	server := natstest.Start(t, natstest.Options{Nodes: 1})
	here, there := stalled{t, server, t.TempDir()}, stalled{t, server, t.TempDir()}
	for _, s := range []stalled{here, there} {
		put(t, s.root, ".handoff.yaml", "store: "+server.Addresses()[0]+"/STALL\n")
		for _, path := range []string{document, strings.Replace(document, "1_first", "2_second", 1)} {
			put(t, s.root, path, "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n")
		}
	}
	here.on("main", func(one *tapes.Tape) { must(one.Create(t.Context(), tapes.CreateRequest{})) })
	here.on("main", func(one *tapes.Tape) { must(one.Fork(t.Context(), tapes.ForkRequest{To: "fork"})) })
	claimed := func(s stalled, ref string) (receipts.Record, error) {
		return must(receipts.Open(s.ws())).Claim(t.Context(), receipts.Target{Ref: ref}, receipt.ClaimRequest{By: "x", TTL: time.Hour, Force: ref == "1", Why: "test"})
	}
	old, second := must(claimed(here, "1")), must(claimed(here, "2"))

	here.while(func() {
		if !here.append("fork", "important") {
			t.Error("not queued")
		}
		if r := must(must(receipts.Open(here.ws())).Finish(t.Context(), receipts.Target{Claim: second.Claim}, "")); r.NotRecorded == nil {
			t.Errorf("%+v", r)
		}
		if err := must(receipts.Open(here.ws())).Fence(t.Context(), old.Claim); !errors.As(err, new(*receipt.UnsureError)) || !outbox.Away(err) {
			t.Errorf("nobody can know: %v", err)
		}
	})
	must(claimed(there, "1"))
	silence := func() { // as an outage that lasted longer
		put(t, must(here.ws().Outbox()).Dir(), "silent.json", fmt.Sprintf(`{"store":%q,"at":%q,"tries":9,"waited_ns":60000000000}`, here.ws().Address(), time.Now().Format(time.RFC3339Nano)))
	}
	silence()
	if err := must(receipts.Open(here.ws())).Fence(t.Context(), old.Claim); !errors.As(err, new(*receipt.StaleError)) {
		t.Errorf("a stale claim writes: %v", err)
	}
	silence()
	if r, err := claimed(here, "2"); !errors.As(err, new(*receipt.FinishedError)) {
		t.Errorf("a finished handoff is claimed again: %+v, %v", r, err)
	}
	silence()
	here.on("fork", func(one *tapes.Tape) {
		if r, err := one.Merge(t.Context(), tapes.MergeRequest{}); err != nil || r.Entries != 1 {
			t.Errorf("%+v, %v: what was acknowledged is missing", r, err)
		}
	})
	if kept := must(must(here.ws().Outbox()).Refused()); len(kept) > 0 {
		t.Errorf("refused: %+v", kept)
	}
}

// TestFailOver: writers that each are a new command, while the server stalls for two
// seconds, or the leader of three is killed and started again after as long. All entries are
// on the tape, once and in the order of each writer. The log shows how many waited, and for
// how long after that.
func TestFailOver(t *testing.T) {
	t.Run("stall", func(t *testing.T) {
		server := natstest.Start(t, natstest.Options{Nodes: 1})
		failOver(t, server, func() {
			resume := server.Stall(0)
			time.Sleep(2 * time.Second)
			resume()
		})
	})
	t.Run("leader", func(t *testing.T) {
		cluster := natstest.Start(t, natstest.Options{Nodes: 3})
		failOver(t, cluster, func() {
			old := cluster.WaitLeader("STALL")
			cluster.Kill(old)
			cluster.WaitLeader("STALL")
			cluster.Restart(old)
		})
	})
}

// failOver runs the writers. outage returns when the store can answer again.
func failOver(t *testing.T, server *natstest.Cluster, outage func()) {
	here := stalled{t, server, t.TempDir()}
	put(t, here.root, ".handoff.yaml", "store: "+addressOf(server, "STALL")+"\n")
	here.append("main", "first")
	var writers sync.WaitGroup
	var mu sync.Mutex
	queued, all := 0, 0
	var last time.Time
	var slowest time.Duration
	ctx, stop := context.WithCancel(t.Context())
	for w := range 4 {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				time.Sleep(50 * time.Millisecond) // agents think between two entries
				begin, ws := time.Now(), here.ws()
				drain.Run(t.Context(), ws, drain.Request{Most: 2 * time.Second}) // as each command does
				waits := note(t, ws, fmt.Sprintf("%c%d", 'a'+w, n))
				ws.Close()
				mu.Lock()
				slowest = max(slowest, time.Since(begin))
				if all++; waits {
					queued++
					last = time.Now()
				}
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Second)
	failed := time.Now()
	outage()
	resumed := time.Now()
	time.Sleep(5 * time.Second)
	stop()
	writers.Wait()
	waittest.Until(t, "an empty outbox", func() bool {
		_, err := drain.Run(t.Context(), here.ws(), drain.Request{Insist: true})
		return err == nil && must(must(here.ws().Outbox()).Size()).Requests == 0
	})
	round := func(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
	t.Logf("an outage of %v: %d of %d entries waited in the outbox, the last %v after it; the slowest command took %v",
		round(resumed.Sub(failed)), queued, all, round(last.Sub(resumed)), round(slowest))
	got := noted(t, here.ws())
	if len(got) != all+1 {
		t.Errorf("%d entries, want %d", len(got), all+1)
	}
	for w := range 4 {
		of := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return s[0] != byte('a'+w) || s == "first" })
		for n, text := range of {
			if text != fmt.Sprintf("%c%d", 'a'+w, n) {
				t.Fatalf("entry %d of writer %c is %s", n, 'a'+w, text)
			}
		}
	}
}
