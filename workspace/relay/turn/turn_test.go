package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/agents"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/lint/rules"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn/meter"
)

// agentDoes is what the test program does as an agent: words that are separated by commas.
const agentDoes = "TURN_TEST_AGENT"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "agent" {
		os.Exit(agentMain())
	}
	os.Exit(m.Run())
}

// fake is an agent that is this program. Its sessions are compacted at 100,000 tokens.
func fake(t *testing.T) agents.Agent {
	t.Helper()
	a, err := agents.Read("fake.yaml", []byte("title: Fake\nstream: claude\nreports_cost: true\nstart: agent\nresume: [agent, \"{session}\"]\ncontext: {at: 100000}\n"), agents.Agent{})
	if err != nil {
		t.Fatal(err)
	}
	a.Program = os.Args[0]
	return a
}

func agentMain() int {
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	session := "new"
	if len(os.Args) > 2 {
		session = os.Args[2]
	}
	printed := func(v any) { line, _ := json.Marshal(v); os.Stdout.Write(append(line, '\n')) }
	type m = map[string]any
	printed(m{"type": "system", "session_id": session, "uuid": "u"})
	call := func(id string, tokens int) {
		printed(m{"type": "assistant", "session_id": session, "message": m{"id": id, "model": "m", "usage": m{"input_tokens": tokens}, "content": []m{{"type": "text", "text": "I work."}}}})
	}
	for i, word := range strings.Split(os.Getenv(agentDoes), ",") {
		switch word {
		case "work":
			call(fmt.Sprint(i), 20_000)
		case "fill":
			call(fmt.Sprint(i), 97_000)
		case "fail":
			return 3
		case "wait": // until it is interrupted
			select {
			case <-interrupted:
				return 130
			case <-time.After(waittest.Limit):
			}
		}
	}
	return 0
}

// link is a link of a relay that this process runs, with the facts that it has recorded.
type link struct {
	t     *testing.T
	ws    *workspace.Workspace
	state chain.State
	facts []chain.Fact
	fails chain.Kind // cannot be recorded
	agent *Agent
}

// begin begins a link on a handoff; without one on the objective.
func begin(t *testing.T, handoff bool, o Options) *link {
	t.Helper()
	dir, path := t.TempDir(), "specs/001_parse/handoffs/phase-1-handoff-20260101T000000Z.md"
	treetest.Write(t, dir, "specs/TODO.md", "")
	ws, err := workspace.Open(dir, workspace.Options{Rules: rules.All})
	if err != nil {
		t.Fatal(err)
	}
	l := &link{t: t, ws: ws}
	begun := chain.Fact{Kind: chain.LinkBegun, Link: 1, Agent: "fake", Resumes: true, ClaimID: "k1"}
	if handoff {
		treetest.WriteDocument(t, dir, path)
		begun.Handoff = path
	}
	l.state.Apply(chain.Fact{Kind: chain.Started, Plan: &chain.Plan{Objective: "parse numbers", Task: 1, Agents: []string{"fake"}, Level: agents.All}})
	l.state.Apply(begun)
	o.Grace = 2 * time.Second
	l.agent = New(ws, &l.state, fake(t), l.record, o)
	return l
}

func (l *link) record(f chain.Fact) error {
	if f.Kind == l.fails {
		return fs.ErrPermission
	}
	l.facts = append(l.facts, f)
	l.state.Apply(f)
	return nil
}

// run runs a turn in which the agent does this, and returns the last fact.
func (l *link) run(ctx context.Context, turn chain.Turn, does string) (chain.Fact, error) {
	l.t.Helper()
	l.t.Setenv(agentDoes, does)
	l.state.Left = &chain.Left{Handoff: "specs/001_parse/handoffs/a.md", Findings: []string{"line 1: wrong"}} // by a turn that fixes it
	l.facts = nil
	err := l.agent.Run(ctx, turn)
	if len(l.facts) == 0 {
		return chain.Fact{}, err
	}
	return l.facts[len(l.facts)-1], err
}

func (l *link) kinds() (kinds []chain.Kind) {
	for _, f := range l.facts {
		kinds = append(kinds, f.Kind)
	}
	return kinds
}

// TestTurns: an agent that begins, is interrupted because its context runs low, is asked
// for a handoff, and does not stop in time.
func TestTurns(t *testing.T) {
	l := begin(t, true, Options{})
	f, err := l.run(t.Context(), chain.Begin, "work,fill,wait")
	if err != nil || f.End != chain.Low || !strings.Contains(f.Why, "until this session is compacted") || f.Tokens != 117_000 || f.Run == "" {
		t.Errorf("the context runs low: %+v, %v", f, err)
	}
	if want := []chain.Kind{chain.Opened, chain.TurnBegun, chain.Session, chain.TurnEnded}; !slices.Equal(l.kinds(), want) {
		t.Errorf("facts %q, want %q", l.kinds(), want)
	}
	if l.state.Session != "new" || !strings.HasSuffix(l.state.Claim, ".k1") || l.state.Thread == "" {
		t.Errorf("session %q, claim %q, thread %q", l.state.Session, l.state.Claim, l.state.Thread)
	}
	f, err = l.run(t.Context(), chain.Ask, "work")
	if want := []chain.Kind{chain.TurnBegun, chain.TurnEnded}; err != nil || f.End != chain.Completed || f.Tokens != 20_000 || !slices.Equal(l.kinds(), want) {
		t.Errorf("asked: %+v, %v, facts %q", f, err, l.kinds())
	}
	l.agent.o.AskTime = 0
	f, err = l.run(t.Context(), chain.Fix, "wait")
	if err != nil || f.End != chain.Failed || f.Why != "it did not stop within 0s after it was asked to" {
		t.Errorf("it does not stop: %+v, %v", f, err)
	}
	l.agent.o.AskCalls = 1
	l.agent.o.AskTime = time.Hour
	f, err = l.run(t.Context(), chain.Fix, "work,work,wait")
	if err != nil || f.End != chain.Failed || f.Why != "it did not stop within 1 calls after it was asked to" {
		t.Errorf("it calls too often: %+v, %v", f, err)
	}
}

// TestFailedTurns: an agent that fails, a relay that is stopped, a fact that cannot be
// recorded, a claim that another one has replaced.
func TestFailedTurns(t *testing.T) {
	l := begin(t, true, Options{})
	if f, err := l.run(t.Context(), chain.Begin, "work,fail"); err != nil || f.End != chain.Failed || f.Exit != 3 {
		t.Errorf("it fails: %+v, %v", f, err)
	}
	ctx, stop := context.WithCancelCause(t.Context())
	l.agent.o.Event = func(e meter.Event) {
		if e.Kind == "text" {
			stop(os.ErrClosed)
		}
	}
	if f, err := l.run(ctx, chain.Continue, "work,wait"); !errors.Is(err, os.ErrClosed) || f.End != chain.Signalled || f.Tokens != 20_000 {
		t.Errorf("stopped: %+v, %v", f, err)
	}
	l.agent.o.Event = nil
	for _, kind := range []chain.Kind{chain.TurnBegun, chain.Session, chain.TurnEnded} {
		l.fails, l.state.Session = kind, "another"
		if _, err := l.run(t.Context(), chain.Begin, "work"); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("without %s: %v", kind, err)
		}
	}
	l.fails = ""
	book, err := receipts.Open(l.ws)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := book.Claim(t.Context(), receipts.Target{Dir: l.ws.Root, Ref: l.state.Handoff}, receipt.ClaimRequest{By: "b", TTL: time.Hour, Force: true, Why: "test"}); err != nil {
		t.Fatal(err)
	}
	if f, err := l.run(t.Context(), chain.Continue, "work"); err != nil || f.End != chain.Failed || !strings.HasPrefix(f.Why, "stale claim: "+l.state.Handoff) {
		t.Errorf("another claim: %+v, %v", f, err)
	}
}

// TestOpen: a process that resumes a relay has its claim and thread again. The claim of the
// caller is used by the first link alone.
func TestOpen(t *testing.T) {
	l := begin(t, true, Options{})
	book, err := receipts.Open(l.ws)
	if err != nil {
		t.Fatal(err)
	}
	claimed, err := book.Claim(t.Context(), receipts.Target{Dir: l.ws.Root, Ref: l.state.Handoff}, receipt.ClaimRequest{By: "caller", TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	l.state.Plan.Claim = claimed.Claim
	for _, times := range []string{"first", "second"} {
		if err := l.agent.Open(t.Context()); err != nil {
			t.Fatal(times, err)
		}
	}
	if l.state.Claim != claimed.Claim || !slices.Equal(l.kinds(), []chain.Kind{chain.Opened}) {
		t.Errorf("claim %q, want %q, facts %q", l.state.Claim, claimed.Claim, l.kinds())
	}

	before := l.state
	l.facts, l.agent = nil, New(l.ws, &l.state, l.agent.agent, l.record, Options{})
	if err := l.agent.Open(t.Context()); err != nil || len(l.facts) != 0 || l.state.Claim != before.Claim || l.state.Thread != before.Thread {
		t.Errorf("resumed: %v, facts %q, claim %q, thread %q", err, l.kinds(), l.state.Claim, l.state.Thread)
	}

	l.state.Link = 2
	l.facts, l.agent = nil, New(l.ws, &l.state, l.agent.agent, l.record, Options{})
	if err := l.agent.Open(t.Context()); !errors.Is(err, receipt.ErrRefused) || len(l.facts) != 0 {
		t.Errorf("the second link with the claim of the caller: %v, facts %q", err, l.kinds())
	}

	objective := begin(t, false, Options{})
	if err := objective.agent.Open(t.Context()); err != nil || !strings.HasSuffix(objective.state.Claim, "."+objective.state.ClaimID) || objective.state.Thread == "" || !strings.Contains(objective.agent.prompt, "parse numbers") {
		t.Errorf("an objective: %v, claim %q, thread %q, prompt %s", err, objective.state.Claim, objective.state.Thread, objective.agent.prompt)
	}
	twin := begin(t, false, Options{Twin: true})
	if err := twin.agent.Open(t.Context()); err != nil || twin.state.Claim != "" || twin.state.Thread == "" {
		t.Errorf("a task whose number another task has: %v, claim %q, thread %q", err, twin.state.Claim, twin.state.Thread)
	}
	objective.agent.agent.Program = filepath.Join(t.TempDir(), "absent")
	objective.agent.work = nil
	if err := objective.agent.Open(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without its program: %v", err)
	}
	if f, err := objective.run(t.Context(), chain.Begin, ""); !errors.Is(err, fs.ErrNotExist) || f.Kind != "" {
		t.Errorf("a turn without its program: %+v, %v", f, err)
	}
}
