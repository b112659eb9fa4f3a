package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
	"handoff/internal/testing/waittest"
	"handoff/workspace/relay/log"
)

// account is a provider that refuses the calls of one agent until a limit resets. It and the relay have
// a clock that the test moves.
type account struct {
	clock string // the file of main_clock.go
	of    usedUp
	late  bool // the limit is used up after the first call, not before it

	mu      sync.Mutex
	reset   time.Time
	refused int            // calls
	worked  map[string]int // calls that were answered, by wire
	forgot  bool           // the session that goes on has lost what it did
}

// wireOf are the wires of the agents.
var wireOf = map[string]string{"claude": "messages", "codex": "responses"}

func (a *account) now() time.Time {
	src, _ := os.ReadFile(a.clock)
	ahead, _ := time.ParseDuration(string(src))
	return time.Now().Add(ahead)
}

// move moves the clock to a time.
func (a *account) move(t *testing.T, to time.Time) {
	t.Helper()
	writeFile(t, filepath.Dir(a.clock), "new", time.Until(to).String())
	if err := os.Rename(filepath.Join(filepath.Dir(a.clock), "new"), a.clock); err != nil {
		t.Fatal(err)
	}
}

// answer is the model of both agents: it works once, says with the command of the prompt that it is done,
// and ends.
func (a *account) answer(r scriptedmodel.Request) scriptedmodel.Answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	agent := "claude"
	if r.Wire == wireOf["codex"] {
		agent = "codex"
	}
	first := a.worked[r.Wire] == 0
	if agent == a.of.agent && !(a.late && first) && a.now().Before(a.reset) {
		a.refused++
		return a.of.answer(a.reset)
	}
	if r.Turn == 0 {
		return scriptedmodel.Answer{Text: "A title"}
	}
	a.worked[r.Wire]++
	switch {
	case a.late && agent == a.of.agent && first:
		return scriptedmodel.Answer{Input: 20_000, Calls: []scriptedmodel.Call{realagents.Shell(agent, "echo it-has-begun")}}
	case strings.Contains(r.Last, "recorded-as-done"):
		return scriptedmodel.Answer{Input: 22_000, Text: "The parser works."}
	}
	a.forgot = a.late && agent == a.of.agent && !r.Contains("it-has-begun")
	return scriptedmodel.Answer{Input: 21_000, Calls: []scriptedmodel.Call{realagents.Shell(agent, "handoff done && echo recorded-as-done")}}
}

func (a *account) refusals() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.refused
}

// newAccount prepares a relay with both agents. Each second refusal comes at the first call.
func newAccount(t *testing.T, i int) (*relayTest, *account) {
	t.Helper()
	r := newRelay(t)
	a := &account{clock: filepath.Join(t.TempDir(), "ahead"), of: refusals[i], late: i%2 == 0, worked: map[string]int{}}
	a.reset = time.Now().Add(a.of.after).Truncate(time.Minute).Add(time.Minute)
	if a.of.exact >= 24*time.Hour { // a day is named
		zone, err := time.LoadLocation(a.of.zone)
		if err != nil {
			t.Fatal(err)
		}
		year, month, day := a.reset.In(zone).Date()
		a.reset = time.Date(year, month, day, 0, 0, 0, 0, zone)
	}
	r.model = scriptedmodel.Start(t, a.answer)
	for _, agent := range []string{"claude", "codex"} {
		r.env = append(r.env, realagents.Prepare(t, agent, r.dir, r.model).Env...)
	}
	if strings.Contains(a.of.says, "hit your") && a.of.agent == "claude" {
		r.env = append(r.env, login...)
	}
	r.env = append(r.env, clockVar+"=", aheadVar+"="+a.clock, "TZ="+a.of.zone, "XDG_STATE_HOME="+t.TempDir(),
		"PATH="+r.bin+string(filepath.ListSeparator)+os.Getenv("HANDOFF_AGENTS")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return r, a
}

// begin starts a relay that runs beside the test.
func (r *relayTest) begin(args ...string) (*exec.Cmd, *strings.Builder, <-chan error) {
	r.t.Helper()
	cmd := programIn(r.t, r.bin, r.dir, append([]string{"relay"}, args...)...)
	cmd.Env = append(cmd.Environ(), r.env...)
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	r.t.Cleanup(func() { cmd.Process.Kill() })
	return cmd, out, ended
}

// shown is the relay as `handoff relay --list` shows it.
func (r *relayTest) shown() (s log.Summary) {
	r.t.Helper()
	cmd := programIn(r.t, r.bin, r.dir, "relay", "--list", "--json")
	cmd.Env = append(cmd.Environ(), r.env...)
	out, err := cmd.Output()
	var list []log.Summary
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	if len(list) == 1 {
		s = list[0]
	}
	return s
}

// waits waits until the relay waits for a limit after a time.
func (r *relayTest) waits(after time.Time) log.Summary {
	r.t.Helper()
	var s log.Summary
	waittest.Until(r.t, "a wait", func() bool {
		s = r.shown()
		return s.State == "ended" || s.Until.After(after)
	})
	return s
}

// TestRelayRealLimitsWait: a real agent is refused because its account has no usage left. The relay waits for
// the reset that the program names, also when it is killed meanwhile; `--stop` ends it, and nothing starts
// until it is resumed. After the reset the session goes on and finishes.
func TestRelayRealLimitsWait(t *testing.T) {
	for i, c := range refusals {
		t.Run(c.agent+" "+c.name, func(t *testing.T) {
			t.Parallel()
			r, a := newAccount(t, i)
			cmd, out, ended := r.begin("--task", "1", "--slug", "parser", "--level", "all", "--on-limit", "wait", "--agent", c.agent, "--", "Make the parser work.")
			s := r.waits(time.Time{})
			if s.State != "running" || !strings.Contains(strings.ReplaceAll(s.Waits, "’", "'"), c.says) {
				t.Fatalf("%+v, want %q\n%s", s, c.says, out)
			}
			if late := s.Until.Sub(a.reset); !c.hidden && (late < 0 || late > 2*time.Minute) {
				t.Errorf("waits until %s, %s after the reset: %s", s.Until, late, s.Waits)
			}
			refused := a.refusals()
			cmd.Process.Kill()
			<-ended
			if killed := r.shown(); killed.State != "killed" || !killed.Until.Equal(s.Until) {
				t.Errorf("after kill -9: %+v", killed)
			}
			_, out, ended = r.begin("--resume", "latest")
			waittest.Until(t, "the resumption", func() bool { return r.shown().State == "running" })
			stop := programIn(t, r.bin, r.dir, "relay", "--stop", "latest")
			stop.Env = append(stop.Environ(), r.env...)
			if stopped, err := stop.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, stopped)
			}
			if err := waittest.For(t, "the end of the stopped relay", ended); err == nil {
				t.Errorf("a stopped relay ended with 0: %s", out)
			}
			a.move(t, s.Until) // the time has come, but a person has switched it off
			if now := r.shown(); now.State != "stopped" || a.refusals() != refused || a.worked[wireOf[c.agent]] > 1 {
				t.Errorf("after --stop: %+v, %d calls refused, %d before", now, a.refusals(), refused)
			}
			_, out, ended = r.begin("--resume", "latest")
			for c.hidden && a.now().Before(a.reset) {
				s = r.waits(a.now())
				a.move(t, s.Until)
			}
			if err := waittest.For(t, "the end", ended); err != nil || r.shown().Reason != "done" {
				t.Errorf("%v: %+v\n%s", err, r.shown(), out)
			}
			if !c.hidden && a.refusals() != refused {
				t.Errorf("%d calls after the reset were refused", a.refusals()-refused)
			}
			if a.forgot {
				t.Error("the session that went on has lost what it did")
			}
		})
	}
}

// TestRelayRealLimitsNext: a real agent is refused because its account has no usage left, and an agent of
// another vendor goes on at once. Until the reset nothing starts the first one again.
func TestRelayRealLimitsNext(t *testing.T) {
	for i, c := range refusals {
		if i%3 != 0 { // what the words mean is the same as when it waits
			continue
		}
		t.Run(c.agent+" "+c.name, func(t *testing.T) {
			t.Parallel()
			r, a := newAccount(t, i)
			other := map[string]string{"claude": "codex", "codex": "claude"}[c.agent]
			log, code := r.run("--task", "1", "--slug", "parser", "--level", "all", "--agent", c.agent, "--then", other, "--", "Make the parser work.")
			if s := r.shown(); code != 0 || s.Reason != "done" || s.Link != 2 || s.Agent != other {
				t.Fatalf("exit status %d, %+v: %s", code, s, log)
			}
			if a.worked[wireOf[other]] == 0 {
				t.Errorf("%s has not worked", other)
			}
			if drafts := len(r.documents()); a.late != (drafts == 1) {
				t.Errorf("%d drafts", drafts)
			}
			if c.hidden { // the time of the next try is no fact
				return
			}
			refused := a.refusals()
			spawn := programIn(t, r.bin, r.dir, "spawn", "1", "--agent", c.agent)
			spawn.Env = append(spawn.Environ(), r.env...)
			if out, err := spawn.CombinedOutput(); a.late && (err == nil || a.refusals() != refused) {
				t.Errorf("spawn was not refused before the reset: %v: %s", err, out)
			}
		})
	}
}
