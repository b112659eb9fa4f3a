package relay

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/agents"
	"handoff/log/receipt"
	"handoff/workspace/documents"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/turn"
)

// finish runs the relay of a folder to its end.
func finish(t *testing.T, dir string) {
	t.Helper()
	out, err := relayProcess(dir, 0).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "ended: done") {
		t.Fatalf("%v: %s\n%s", err, out, logOf(dir))
	}
}

func logOf(dir string) string {
	src, _ := os.ReadFile(filepath.Join(dir, "log"))
	return string(src)
}

// compare compares what a relay has left with what an undisturbed one leaves: two
// handoffs, each continued by one session, the last one done. restarted is how many
// sessions may have been started again, because they were killed before their id was
// known.
func compare(t *testing.T, dir string, restarted int) {
	t.Helper()
	ws := openAt(dir)
	docs, err := documents.List(context.Background(), ws, documents.Filter{Task: new(1)})
	if err != nil || len(docs) != 2 {
		t.Errorf("%d handoffs, want 2 (%v)", len(docs), err)
	}
	slices.Reverse(docs)
	store, err := ws.Receipts()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []receipt.State{receipt.Superseded, receipt.Done}[:len(docs)] {
		life, err := store.Life(store.Place().Path(docs[i].Path))
		if got := life.State(ws.Now()); err != nil || got != want {
			t.Errorf("%s is %s, want %s (%v)", docs[i].Path, got, want, err)
		}
	}
	sessions := map[string]map[string]bool{} // by the handoff that they continue
	for line := range strings.Lines(logOf(dir)) {
		words := append(strings.Fields(line), "")
		switch words[0] {
		case "begun":
			if sessions[words[2]] == nil {
				sessions[words[2]] = map[string]bool{}
			}
			sessions[words[2]][words[1]] = true
		case "wrote":
		default:
			t.Errorf("%s", line)
		}
	}
	n := 0
	for _, of := range sessions {
		n += len(of)
	}
	if len(sessions) != 3 || n > 3+restarted {
		t.Errorf("%d sessions for %d links, want 3 and 3", n, len(sessions))
	}
	if t.Failed() {
		t.Log(logOf(dir))
		list, _ := filepath.Glob(filepath.Join(dir, ".handoff/relays/*.jsonl"))
		for _, path := range list {
			src, _ := os.ReadFile(path)
			t.Log(string(src))
		}
	}
}

// factsOf counts the facts of the folder's relay.
func factsOf(t *testing.T, dir string) int {
	list, err := filepath.Glob(filepath.Join(dir, ".handoff/relays/*.jsonl"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	src, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(src), "\n")
}

// TestKilledAtEveryFact kills the relay after each fact, before it acts on it, and
// before it has recorded that it acted: then the last line is missing. The relay that
// resumes it ends as if nothing had happened.
func TestKilledAtEveryFact(t *testing.T) {
	t.Parallel()
	whole := newTree(t)
	finish(t, whole)
	compare(t, whole, 0)
	n := factsOf(t, whole)
	if n < 20 {
		t.Fatalf("%d facts only", n)
	}
	step := 1
	if testing.Short() {
		step = 5
	}
	for at := 1; at < n; at += step {
		for _, missing := range []bool{false, true}[:min(at, 2)] {
			dir := newTree(t)
			if out, err := relayProcess(dir, at).CombinedOutput(); err == nil {
				t.Fatalf("fact %d: not killed: %s", at, out)
			}
			restarted := 0
			if missing && strings.Contains(cut(t, dir), `"fact":"session"`) {
				restarted = 1 // its session is unknown
			}
			finish(t, dir)
			if compare(t, dir, restarted); t.Failed() {
				t.Fatalf("killed after fact %d, missing: %t", at, missing)
			}
		}
	}
}

// TestSealedFirst: what a person allows is kept before the journal that says so is there, so a relay that
// is killed in between is not one that can never be resumed. If it cannot be kept, nothing is started.
func TestSealedFirst(t *testing.T) {
	dir := newTree(t)
	ws, sealed := openAt(dir), ""
	p := chain.Plan{Objective: "parse numbers", Task: 1, Agents: []string{"fake"}, Level: agents.All}
	o := Options{Agents: []agents.Agent{fakeAgent()}, Seal: func(id string) error {
		if list, err := log.List(ws); err != nil || len(list) != 0 {
			t.Errorf("the journal is there before: %+v, %v", list, err)
		}
		if sealed != "" {
			return os.ErrPermission
		}
		sealed = id
		return nil
	}}
	r, err := Start(t.Context(), ws, p, o)
	if err != nil || r.ID != sealed {
		t.Fatal(sealed, err)
	}
	r.Close()
	if err := os.RemoveAll(filepath.Join(dir, ".handoff/relays")); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), ws, p, o); !errors.Is(err, os.ErrPermission) {
		t.Error(err)
	}
	if list, err := log.List(ws); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// cut removes the last fact of the folder's relay, and returns it.
func cut(t *testing.T, dir string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, ".handoff/relays/*.jsonl"))
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	src, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSuffix(string(src), "\n")
	end := strings.LastIndexByte(text, '\n') + 1
	if err := os.WriteFile(list[0], []byte(text[:end]), 0o644); err != nil {
		t.Fatal(err)
	}
	return text[end:]
}

// TestKilledAtRandom kills the relay again and again at random moments. No two agents
// work at once, no link is lost, and the relay ends in the same way.
func TestKilledAtRandom(t *testing.T) {
	t.Parallel()
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	for range rounds {
		dir := newTree(t)
		kills := 0
		for ; kills < 8; kills++ {
			cmd := relayProcess(dir, 0)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err := <-ended:
				if err != nil {
					t.Fatalf("%v: %s", err, logOf(dir))
				}
			case <-time.After(rand.N(600 * time.Millisecond)):
				cmd.Process.Kill()
				<-ended
			}
		}
		finish(t, dir)
		if compare(t, dir, kills); t.Failed() {
			return
		}
	}
}

// TestOnlyOneResumes: while a process runs a relay, no other one does.
func TestOnlyOneResumes(t *testing.T) {
	t.Parallel()
	dir := newTree(t)
	if err := relayProcess(dir, 3).Run(); err == nil {
		t.Fatal("not killed")
	}
	type result struct {
		out string
		err error
	}
	results := make(chan result, 4)
	for range cap(results) {
		go func() {
			out, err := relayProcess(dir, 0).CombinedOutput()
			results <- result{string(out), err}
		}()
	}
	done, refused := 0, 0
	for range cap(results) {
		switch r := <-results; {
		case r.err == nil && strings.Contains(r.out, "ended: done"), strings.Contains(r.out, "has ended: done"):
			done++
		case strings.Contains(r.out, log.ErrRunning.Error()):
			refused++
		default:
			t.Errorf("%v: %s", r.err, r.out)
		}
	}
	if done == 0 || refused == 0 {
		t.Errorf("%d ended the relay, %d were refused", done, refused)
	}
	compare(t, dir, 0)
}

// TestAskTime: an agent that hangs when it is asked for a handoff is ended, and counts
// as dead. Its first death leaves a draft, the second one ends the relay. An agent that
// is not started before the time is up counts as dead, too.
func TestAskTime(t *testing.T) {
	for _, most := range []time.Duration{200 * time.Millisecond, time.Nanosecond} {
		t.Run(most.String(), func(t *testing.T) { hangsWhenAsked(t, most) })
	}
}

func hangsWhenAsked(t *testing.T, most time.Duration) {
	dir := newTree(t)
	t.Setenv(agentIn, dir)
	t.Setenv(hangs, "1")
	o := Options{Agents: []agents.Agent{fakeAgent()}, Options: turn.Options{AskTime: most, Grace: time.Second}}
	r, err := Start(t.Context(), openAt(dir), chain.Plan{Objective: "parse numbers", Task: 1, Agents: []string{"fake"}, Level: agents.All, Continuations: 5}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := r.State()
	if want := fmt.Sprintf("fake: it did not stop within %s after it was asked to", most); s.Over != chain.Died || s.OverWhy != want || s.Link != 2 {
		t.Errorf("link %d, %s: %s; want %s", s.Link, s.Over, s.OverWhy, want)
	}
	if !strings.HasPrefix(filepath.Base(s.Handoff), "phase-1-handoff-") {
		t.Errorf("the second link did not continue a draft: %q", s.Handoff)
	}
}
