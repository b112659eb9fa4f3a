package drain_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/natstest"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/git"
	"handoff/log/engine/jetstream"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
	"handoff/workspace/receipts"
	"handoff/workspace/trust"
)

// TestClaims: random histories of claims on three machines, each of which loses the store
// now and then, or has noted that it does not answer, against a model that knows only what
// was acknowledged. No stale claim may write, no handoff has two holders, no token comes
// twice, and no machine gives out what was finished on it. HANDOFF_CLAIMS is the number of
// operations, HANDOFF_CLAIMS_STORE the store: memory, files, git, nats, or cluster for three
// nodes, of which the leader is killed now and then.
func TestClaims(t *testing.T) {
	n := must(strconv.Atoi(cmp.Or(os.Getenv("HANDOFF_CLAIMS"), "600")))
	seed := must(strconv.ParseUint(cmp.Or(os.Getenv("HANDOFF_CLAIMS_SEED"), "1"), 10, 64))
	stores := []string{"memory", "files"}
	if one := os.Getenv("HANDOFF_CLAIMS_STORE"); one != "" {
		stores = []string{one}
	}
	for _, kind := range stores {
		t.Run(kind, func(t *testing.T) {
			total, waited := map[string]int{}, []time.Duration(nil)
			for done := 0; done < n; seed++ {
				c := newClaims(t, kind, seed)
				for range stepsOf(kind) {
					c.step()
					done++
				}
				c.end()
				for what, n := range c.did {
					total[what] += n
				}
				waited = append(waited, c.waited...)
				if t.Failed() {
					t.Fatalf("seed %d:\n%s", seed, strings.Join(c.steps, "\n"))
				}
			}
			slices.Sort(waited)
			t.Log(total, "after a leader was killed:", waited)
		})
	}
}

// gate is a store that one machine can lose.
type gate struct {
	engine.Engine
	away *atomic.Bool
}

func (g gate) Append(ctx context.Context, batches ...engine.Batch) error {
	if g.away.Load() {
		return errAway
	}
	return g.Engine.Append(ctx, batches...)
}

func (g gate) Len(ctx context.Context, log string) (uint64, error) {
	if g.away.Load() {
		return 0, errAway
	}
	return g.Engine.Len(ctx, log)
}

func (g gate) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	if g.away.Load() {
		return func(yield func(engine.Record, error) bool) { yield(engine.Record{}, errAway) }
	}
	return g.Engine.Read(ctx, log, from)
}

func (g gate) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	if g.away.Load() {
		return func(yield func(engine.Info, error) bool) { yield(engine.Info{}, errAway) }
	}
	return g.Engine.List(ctx, prefix)
}

// claims is one history.
type claims struct {
	t        *testing.T
	rand     *rand.Rand
	now      time.Time
	machines []*machine
	works    map[string]*work // by handoff
	steps    []string
	did      map[string]int
	cluster  *natstest.Cluster // nil if no node is killed
	stream   string
	waited   []time.Duration // for the first answer after a leader was killed
}

// machine is a workspace. Each operation opens it again, as a command does.
type machine struct {
	root  string
	away  atomic.Bool
	open  workspace.Options
	shown string
}

// work is what the model knows of a handoff.
type work struct {
	ref    string
	token  uint64
	claim  string // the latest
	by     int    // its machine
	until  time.Time
	over   bool            // its claim was given back, or the work finished
	given  map[string]bool // claims that were given back, or are as soon as that is sent
	ended  map[int]bool    // machines that must not give it out: it was finished there
	made   []made          // all claims
	tokens map[string]bool
}

type made struct {
	claim string
	on    int
}

var start = time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC)

func newClaims(t *testing.T, kind string, seed uint64) *claims {
	c := &claims{t: t, rand: rand.New(rand.NewPCG(seed, 2)), now: start, works: map[string]*work{}, did: map[string]int{}}
	address, open := "nats://127.0.0.1:1/TEST", func(string) engine.Engine { return nil }
	switch memory := (&enginetest.Memory{}); kind {
	case "memory":
		open = func(string) engine.Engine { return memory }
	case "git":
		needs.Tool(t, "git")
		address = "git:origin"
		bare := filepath.Join(t.TempDir(), "bare.git")
		command(t, "git", "init", "--quiet", "--bare", bare)
		open = func(root string) engine.Engine {
			if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
				command(t, "git", "init", "--quiet", root)
				command(t, "git", "-C", root, "remote", "add", "origin", bare)
			}
			dir := filepath.Join(root, "cache")
			return must(git.Open(t.Context(), root, "origin", nofollow.Root(root), dir, git.Options{}))
		}
	case "nats", "cluster":
		nodes := natsOf(t, kind)
		nodes.WaitHealthy() // a node may have been killed in the history before
		c.stream = fmt.Sprint("CLAIMS", seed)
		address = addressOf(nodes, c.stream)
		if kind == "cluster" {
			c.cluster = nodes
		}
		one := must(jetstream.Open(t.Context(), jetstream.Options{Servers: nodes.Addresses(), Stream: c.stream, Create: true}))
		t.Cleanup(func() { one.Close() })
		open = func(string) engine.Engine { return one }
	case "files":
		address = "files"
	}
	root := t.TempDir()
	for range 3 {
		m := &machine{root: root}
		if kind != "files" {
			m.root = t.TempDir()
		}
		put(t, m.root, ".handoff.yaml", "store: "+address+"\n")
		for task := range 3 {
			put(t, m.root, fmt.Sprintf("specs/%d_t/handoffs/phase-1-handoff-20260212T14302%dZ.md", task+1, task), "# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test ./parse`.\n")
		}
		store := open(m.root)
		m.shown = address
		m.open = workspace.Options{Now: func() time.Time { return c.now }, Trust: trust.All, Patience: patienceOf(kind),
			OpenStore: func(context.Context, string, engine.Address) (engine.Engine, error) { return gate{store, &m.away}, nil }}
		c.machines = append(c.machines, m)
	}
	for task := range 3 {
		ref := fmt.Sprintf("%d/1", task+1)
		c.works[ref] = &work{ref: ref, given: map[string]bool{}, ended: map[int]bool{}, tokens: map[string]bool{}}
	}
	return c
}

func patienceOf(kind string) time.Duration {
	if kind == "memory" || kind == "files" {
		return 50 * time.Millisecond
	}
	return 20 * time.Second // a real one is slow on a busy machine, and a gate answers at once
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
}

func (c *claims) errorf(format string, args ...any) {
	c.t.Helper()
	c.t.Errorf("step %d: %s", len(c.steps), fmt.Sprintf(format, args...))
}

// step is one operation on one machine.
func (c *claims) step() {
	i := c.rand.IntN(len(c.machines))
	m := c.machines[i]
	refs := []string{"1/1", "2/1", "3/1"}
	w := c.works[refs[c.rand.IntN(3)]]
	c.now = c.now.Add(time.Duration(c.rand.IntN(150)) * time.Second)
	name, result := "", ""
	if c.cluster != nil && c.rand.IntN(100) == 0 {
		defer c.killLeader()()
	}
	ws := must(workspace.Open(m.root, m.open))
	defer ws.Close()
	book, err := receipts.Open(ws)
	if err != nil {
		c.errorf("%v", err)
		return
	}
	switch n := c.rand.IntN(20); {
	case n < 2:
		name = "away"
		m.away.Store(m.shown != "files")
	case n < 5:
		name = "answers"
		m.away.Store(false)
	case n < 6 && m.shown != "files": // files always answer
		name = "silent"
		note := fmt.Sprintf(`{"store":%q,"at":%q,"tries":9,"waited_ns":60000000000}`, m.shown, time.Now().Format(time.RFC3339Nano))
		put(c.t, must(ws.Outbox()).Dir(), "silent.json", note)
	case n < 7:
		name = "drain"
		if _, err := drain.Run(c.t.Context(), ws, drain.Request{}); err != nil && !outbox.Away(err) {
			c.errorf("%v", err)
		}
	case n < 10:
		name, result = c.claim(book, i, w)
	case n < 12:
		name, result = c.next(book, i)
	default:
		name, result = c.withClaim(book, i, w, n)
	}
	c.did[strings.TrimSpace(name+" "+result)]++
	c.steps = append(c.steps, fmt.Sprintf("%d. machine %d: %s %s: %s", len(c.steps), i, name, w.ref, result))
}

// claimed checks a claim that succeeded.
func (c *claims) claimed(i int, w *work, r receipts.Record, forced bool) {
	switch {
	case w.tokens[fmt.Sprint(r.Token)] || r.Token <= w.token:
		c.errorf("%s: token %d after %d", w.ref, r.Token, w.token)
	case !forced && w.claim != "" && !w.over && c.now.Before(w.until):
		c.errorf("%s has two holders: %s until %v", w.ref, w.claim, w.until)
	case !forced && w.ended[i]:
		c.errorf("%s was finished on this machine, and is claimed again", w.ref)
	}
	w.token, w.claim, w.by, w.until, w.over = r.Token, r.Claim, i, r.Until, false
	w.tokens[fmt.Sprint(r.Token)] = true
	w.made = append(w.made, made{r.Claim, i})
	w.ended = map[int]bool{}
}

func (c *claims) claim(book *receipts.Book, i int, w *work) (string, string) {
	ask := receipt.ClaimRequest{By: fmt.Sprint("m", i), TTL: time.Duration(1+c.rand.IntN(10)) * time.Minute, Force: c.rand.IntN(4) == 0, Why: "test"}
	r, err := book.Claim(c.t.Context(), receipts.Target{Ref: w.ref}, ask)
	if err == nil {
		c.claimed(i, w, r, ask.Force)
	}
	return "claim", c.outcome(err)
}

func (c *claims) next(book *receipts.Book, i int) (string, string) {
	item, r, ok, err := book.ClaimNext(c.t.Context(), receipts.Caller{}, nil, receipt.ClaimRequest{By: fmt.Sprint("m", i), TTL: 5 * time.Minute})
	if ok && err == nil {
		c.claimed(i, c.works[item.Ref], r, false)
	}
	if err == nil && !ok {
		return "next", "nothing"
	}
	return "next", c.outcome(err)
}

func (c *claims) outcome(err error) string {
	switch {
	case err == nil:
		return ""
	case outbox.Away(err):
		return "away"
	case errors.Is(err, receipt.ErrRefused):
		return "refused"
	}
	c.errorf("%v", err)
	return "error"
}

// withClaim is an operation of the holder of some claim that was made on this machine.
func (c *claims) withClaim(book *receipts.Book, i int, w *work, n int) (string, string) {
	of := slices.DeleteFunc(slices.Clone(w.made), func(m made) bool { return m.on != i })
	if len(of) == 0 {
		return "none", ""
	}
	claim := of[len(of)-1-c.rand.IntN(min(2, len(of)))].claim
	valid, target := claim == w.claim && !w.over && !w.given[claim], receipts.Target{Claim: claim}
	switch {
	case n < 16:
		err := book.Fence(c.t.Context(), claim)
		if err == nil && (claim != w.claim || w.given[claim]) {
			c.errorf("%s: a stale claim writes", w.ref)
		}
		if valid && errors.Is(err, receipt.ErrRefused) && !errors.As(err, new(*receipt.FinishedError)) {
			c.errorf("%s: a valid claim may not write: %v", w.ref, err)
		}
		return "write", c.outcome(err)
	case n < 17:
		r, err := book.Renew(c.t.Context(), target, 10*time.Minute)
		if err == nil && claim == w.claim && r.NotRecorded == nil {
			w.until = r.Until
		}
		if err == nil && claim != w.claim && r.NotRecorded == nil {
			c.errorf("%s: a stale claim is renewed", w.ref)
		}
		return "renew", c.outcome(err)
	case n < 18:
		r, err := book.Release(c.t.Context(), target, "")
		w.given[claim] = w.given[claim] || err == nil
		if err == nil && claim == w.claim && r.NotRecorded == nil {
			w.over = true
		}
		if err == nil && claim == w.claim && r.NotRecorded != nil {
			w.until = c.now // it is given back whenever it is sent
		}
		return "release", c.outcome(err)
	}
	r, err := book.Finish(c.t.Context(), target, "")
	if err == nil && claim == w.claim {
		w.ended[i] = true
		if r.NotRecorded == nil {
			w.over = true
		} else {
			w.until = c.now
		}
	}
	if err == nil && claim != w.claim && r.NotRecorded == nil {
		c.errorf("%s: a stale claim finished it", w.ref)
	}
	return "done", c.outcome(err)
}

// end sends what waits. What was acknowledged is recorded, or is stale.
func (c *claims) end() {
	for _, m := range c.machines {
		m.away.Store(false)
		ws := must(workspace.Open(m.root, m.open))
		var err error
		waittest.Within(waittest.Limit, func() bool { // a busy machine may take longer than its patience
			_, err = drain.Run(c.t.Context(), ws, drain.Request{Insist: true, Refused: func(r outbox.Refused) {
				if !strings.Contains(r.Why, "stale claim") && !strings.Contains(r.Why, "is done") {
					c.errorf("refused: %s", r.Text())
				}
			}})
			return !errors.Is(err, engine.ErrUnavailable)
		})
		if size := must(must(ws.Outbox()).Size()); err != nil || size.Requests > 0 {
			c.errorf("%d requests wait still: %v", size.Requests, err)
		}
		ws.Close()
	}
}
