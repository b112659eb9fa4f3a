//go:build linux

package relay

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/agents"
	"handoff/internal/testing/waittest"
	"handoff/workspace"
	"handoff/workspace/current"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/turn"
)

// scripted is the variable with the folder of an agent that does what the first line of the file
// `does` says, and removes the line. The folder has the clock, too: seconds after begin.
const scripted = "RELAY_TEST_SCRIPTED"

// begin is when the clock begins.
var begin = time.Date(2026, 11, 27, 1, 40, 0, 0, time.UTC)

// clockIn is the clock of a folder.
func clockIn(dir string) func() time.Time {
	return func() time.Time {
		src, _ := os.ReadFile(filepath.Join(dir, "clock"))
		n := 0
		fmt.Sscan(string(src), &n)
		return begin.Add(time.Duration(n) * time.Second)
	}
}

func setClock(t *testing.T, dir string, at time.Time) {
	t.Helper()
	write(t, filepath.Join(dir, "clock.new"), fmt.Sprint(int(at.Sub(begin).Seconds())))
	if err := os.Rename(filepath.Join(dir, "clock.new"), filepath.Join(dir, "clock")); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// scriptedMain is that agent: NAME MESSAGE fails with the message, `work MESSAGE` after a call of the
// model, `done` finishes, `die` is killed by a signal.
func scriptedMain(dir string) {
	_, _ = io.ReadAll(os.Stdin)
	src, _ := os.ReadFile(filepath.Join(dir, "does"))
	line, rest, _ := strings.Cut(string(src), "\n")
	if err := os.WriteFile(filepath.Join(dir, "does"), []byte(rest), 0o644); err != nil {
		panic(err)
	}
	name, session := os.Args[2], "s-"+os.Args[2]
	resumed := len(os.Args) > 3
	note(dir, name, fmt.Sprint("resumed=", resumed), line)
	printed := func(v any) { line, _ := json.Marshal(v); os.Stdout.Write(append(line, '\n')) }
	type m = map[string]any
	printed(m{"type": "system", "session_id": session, "uuid": "u"})
	message, worked := strings.CutPrefix(line, "work ")
	if worked || line == "done" {
		printed(m{"type": "assistant", "session_id": session, "message": m{"id": "m" + line, "usage": m{"input_tokens": 900},
			"content": []m{{"type": "text", "text": "I work on the parser."}, {"type": "tool_use", "id": "t", "name": "Edit", "input": m{"file_path": filepath.Join(dir, "parse.go"), "old_string": "a", "new_string": "b"}}}}})
	}
	switch {
	case message == "hang":
		printed(m{"type": "assistant", "session_id": session, "message": m{"id": "n", "usage": m{"input_tokens": 950}, "content": []m{{"type": "text", "text": "Next."}}}})
		time.Sleep(waittest.Limit)
	case line == "die":
		os.Exit(9)
	case line == "done":
		book, err := receipts.Open(openAt(dir))
		if err == nil {
			_, err = book.Finish(context.Background(), receipts.Target{Dir: dir, Claim: os.Getenv("HANDOFF_CLAIM"), Who: current.Caller{Relay: os.Getenv(agents.RelayVar)}}, "")
		}
		if err != nil {
			panic(err)
		}
		printed(m{"type": "result", "session_id": session})
		os.Exit(0)
	}
	printed(m{"type": "result", "session_id": session, "is_error": true, "result": message})
	os.Exit(1)
}

// scriptedAgent is one with a name.
func scriptedAgent(name string) agents.Agent {
	a, err := agents.Read(name+".yaml", []byte("title: Fake\nstream: claude\nstart: [scripted, "+name+"]\nresume: [scripted, "+name+", \"{session}\"]\ncontext: {at: 100000}\n"), agents.Agent{})
	if err != nil {
		panic(err)
	}
	a.Program = os.Args[0]
	return a
}

// night is a relay of scripted agents whose clock the test moves.
type night struct {
	t    *testing.T
	dir  string
	plan chain.Plan
	o    Options

	mu    sync.Mutex
	facts []chain.Fact
	ended chan error
}

func newNight(t *testing.T, does ...string) *night {
	t.Helper()
	dir := newTree(t)
	write(t, filepath.Join(dir, "does"), strings.Join(does, "\n")+"\n")
	setClock(t, dir, begin)
	t.Setenv(scripted, dir)
	state := t.TempDir()
	n := &night{t: t, dir: dir, plan: chain.Plan{Objective: "parse numbers", Task: 1, Agents: []string{"one"}, Level: agents.All, Continuations: 5}}
	n.o = Options{Options: turn.Options{TTL: 20 * time.Second, Grace: time.Second, Getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": state}[name] }}}
	return n
}

func (n *night) open() *workspace.Workspace {
	ws := openAt(n.dir)
	ws.Options.Now = clockIn(n.dir)
	return ws
}

// start starts the relay, or resumes the one that is there, and runs it until it ends.
func (n *night) start() (stop context.CancelFunc) {
	n.t.Helper()
	ws := n.open()
	n.o.Agents = nil
	for _, name := range n.plan.Agents {
		n.o.Agents = append(n.o.Agents, scriptedAgent(name))
	}
	n.o.Fact = func(f chain.Fact) { n.mu.Lock(); defer n.mu.Unlock(); n.facts = append(n.facts, f) }
	list, err := log.List(ws)
	var r *Relay
	if err == nil && len(list) == 0 {
		r, err = Start(n.t.Context(), ws, n.plan, n.o)
	} else if err == nil {
		r, err = Resume(n.t.Context(), ws, list[0].ID, n.o)
	}
	if err != nil {
		n.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(n.t.Context())
	n.ended = make(chan error, 1)
	go func() {
		err := r.Run(ctx)
		r.Close()
		n.ended <- err
	}()
	return cancel
}

// waits waits until the relay has recorded its n-th wait, and moves the clock to its end.
func (n *night) waits(count int) chain.Fact {
	n.t.Helper()
	var found chain.Fact
	waittest.Until(n.t, "a wait", func() bool {
		n.mu.Lock()
		defer n.mu.Unlock()
		seen := 0
		for _, f := range n.facts {
			if f.Kind == chain.Waits {
				if seen++; seen == count {
					found = f
				}
			}
		}
		return seen >= count
	})
	return found
}

func (n *night) done(want chain.Reason) chain.State {
	n.t.Helper()
	if err := waittest.For(n.t, "the end of the relay", n.ended); err != nil {
		n.t.Fatal(err)
	}
	ws := n.open()
	list, _ := log.List(ws)
	s, err := log.Read(ws, list[0].ID)
	if err != nil || s.Over != want {
		n.t.Fatalf("%s: %s (%v), want %s\n%s", s.Over, s.OverWhy, err, want, logOf(n.dir))
	}
	return s
}

func (n *night) log(want string) {
	n.t.Helper()
	if got := logOf(n.dir); got != want {
		n.t.Errorf("the agents:\n%s\nwant\n%s", got, want)
	}
}

const limitAt9 = "You've hit your session limit · resets 9am (Europe/Berlin)"

// nine is when that is.
var nine = time.Date(2026, 11, 27, 8, 0, 0, 0, time.UTC)

// TestWaitsForTheReset: the only agent meets its limit in the middle of its work. The relay waits,
// also if it is stopped and resumed meanwhile, and the session goes on after the reset. Until then no
// other relay of this user starts the agent.
func TestWaitsForTheReset(t *testing.T) {
	n := newNight(t, "work You've hit your session limit · resets 9am (Europe/Berlin)", "done")
	stop := n.start()
	f := n.waits(1)
	if !f.Until.After(nine) || f.Until.After(nine.Add(time.Minute)) || !strings.Contains(f.Why, "session limit") {
		t.Errorf("%+v", f)
	}
	list, err := log.List(n.open())
	if err != nil || list[0].State != "running" || !list[0].Until.Equal(f.Until) || list[0].Waits == "" {
		t.Errorf("%+v, %v", list, err)
	}
	other := newNight(t, "done")
	other.o.Getenv = n.o.Getenv
	other.start()
	if g := other.waits(1); !g.Until.Equal(f.Until) {
		t.Errorf("another relay waits until %s, want %s", g.Until, f.Until)
	}
	setClock(t, n.dir, nine.Add(-time.Hour))
	stop()
	<-n.ended
	n.start()
	setClock(t, n.dir, f.Until)
	t.Setenv(scripted, n.dir)
	n.done(chain.Done)
	n.log("one resumed=false work " + limitAt9 + "\none resumed=true done\n")
	other.log("")
}

// TestNextOnLimit: the next agent goes on at once, from a draft, or from where the first one could
// not begin.
func TestNextOnLimit(t *testing.T) {
	for _, does := range []string{"work " + limitAt9, limitAt9} {
		n := newNight(t, does, "done")
		n.plan.Agents = []string{"one", "two"}
		n.start()
		s := n.done(chain.Done)
		n.log("one resumed=false " + does + "\ntwo resumed=false done\n")
		if work := strings.HasPrefix(does, "work"); (s.Handoff != "") != work {
			t.Errorf("the second one continues %q", s.Handoff)
		}
	}
}

// TestStopOnLimit: the relay ends, and says why.
func TestStopOnLimit(t *testing.T) {
	n := newNight(t, "work "+limitAt9)
	n.plan.OnLimit = chain.StopOnLimit
	n.start()
	if s := n.done(chain.Limited); !strings.Contains(s.OverWhy, "resets 9am") {
		t.Error(s.OverWhy)
	}
}

// TestTriesAgain: errors that pass, and a crash before the work, are tried again after some time.
func TestTriesAgain(t *testing.T) {
	n := newNight(t, "API Error: 529 Overloaded", "work API Error: 500 Internal server error", "die", "done")
	n.start()
	for i := range 2 {
		f := n.waits(i + 1)
		if wait := f.Until.Sub(f.At); wait < 10*time.Second || wait > 15*time.Minute {
			t.Errorf("waits %s", wait)
		}
		setClock(t, n.dir, f.Until)
	}
	n.done(chain.Done)
	n.log("one resumed=false API Error: 529 Overloaded\none resumed=false work API Error: 500 Internal server error\none resumed=true die\none resumed=false done\n")
}

// TestCrashesAtTheStart: an agent that dies before it has done anything is started again.
func TestCrashesAtTheStart(t *testing.T) {
	n := newNight(t, "die", "done")
	n.start()
	setClock(t, n.dir, n.waits(1).Until)
	n.done(chain.Done)
	n.log("one resumed=false die\none resumed=false done\n")
}

// TestKilledWhileItWaits: a relay that is killed while it waits goes on waiting when it is resumed.
func TestKilledWhileItWaits(t *testing.T) {
	n := newNight(t, limitAt9, "done")
	cmd := relayProcess(n.dir, 0)
	cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+n.o.Getenv("XDG_STATE_HOME"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	list, at := []log.Summary(nil), time.Time{}
	waittest.Until(t, "a wait", func() bool {
		if list, _ = log.List(n.open()); len(list) == 1 {
			at = list[0].Until
		}
		return !at.IsZero()
	})
	cmd.Process.Kill()
	cmd.Wait()
	if list, _ = log.List(n.open()); list[0].State != "killed" || !list[0].Until.Equal(at) {
		t.Errorf("%+v", list[0])
	}
	n.start()
	setClock(t, n.dir, at)
	n.done(chain.Done)
	n.log("one resumed=false " + limitAt9 + "\none resumed=false done\n")
	for _, f := range n.facts {
		if f.Kind == chain.Waits {
			t.Errorf("a second wait: %+v", f)
		}
	}
}

// TestHang: an agent that hangs is interrupted and asked for a handoff. If it hangs then, too, the next agent
// continues a draft.
func TestHang(t *testing.T) {
	n := newNight(t, "work hang", "work hang", "done")
	n.plan.Agents, n.plan.Idle, n.o.AskTime = []string{"one", "two"}, 1, 2*time.Second
	n.start()
	if s := n.done(chain.Done); !strings.Contains(s.Handoff, "handoffs/phase-1-handoff-") || s.Link != 2 {
		t.Errorf("link %d continues %q", s.Link, s.Handoff)
	}
	n.log("one resumed=false work hang\none resumed=true work hang\ntwo resumed=false done\n")
	ends := []chain.End{}
	for _, f := range n.facts {
		if f.Kind == chain.TurnEnded {
			ends = append(ends, f.End)
		}
	}
	if want := []chain.End{chain.Hung, chain.Failed, chain.Completed}; !slices.Equal(ends, want) {
		t.Errorf("%q, want %q", ends, want)
	}
}

// TestStopsAWait: a relay that waits is stopped by another process, and can be resumed.
func TestStopsAWait(t *testing.T) {
	n := newNight(t, limitAt9, "done")
	n.start()
	n.waits(1)
	ws := n.open()
	list, err := log.List(ws)
	if err == nil {
		err = log.Ask(ws, list[0].ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := waittest.For(t, "the end", n.ended); err == nil || !strings.Contains(err.Error(), "--stop") {
		t.Error(err)
	}
	if err := log.Ask(ws, list[0].ID); err == nil {
		t.Error("a relay that is not running was asked to stop")
	}
	n.start()
	setClock(t, n.dir, nine.Add(time.Hour))
	n.done(chain.Done)
}

// TestRunWithoutOutput: a relay that was killed before the output of a run was there has read all that
// there is.
func TestRunWithoutOutput(t *testing.T) {
	n := newNight(t, "done")
	n.start()
	s := n.done(chain.Done)
	texts := func() (count int) {
		t.Helper()
		for _, err := range outputs(t.Context(), n.open(), s.Thread) {
			if err != nil {
				t.Error(err)
			}
			count++
		}
		return count
	}
	if texts() != 1 {
		t.Fatal("the run has no output")
	}
	err := filepath.WalkDir(n.dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(path, "sessions") {
			err = os.Remove(path)
		}
		return err
	})
	if err != nil || texts() != 0 {
		t.Errorf("%d, %v", texts(), err)
	}
}
