package main

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// hostTest is a git repository that a real agent works in, session after session.
type hostTest struct {
	t        *testing.T
	bin, dir string
	agent    *realagents.Agent
	model    *scriptedmodel.Server
	script   atomic.Pointer[scriptedmodel.Script] // of the current session
	seen     int                                  // requests of earlier sessions
}

// newHost prepares an agent. handoff is in its PATH, but not connected to it yet.
func newHost(t *testing.T, name string) *hostTest {
	t.Helper()
	needs.Folder(t, "HANDOFF_AGENTS") // first: without agents this is the reason for the skip
	needs.Tool(t, "git")
	h := &hostTest{t: t, bin: commandDir(t), dir: t.TempDir()}
	h.git("init", "-q")
	h.model = scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer { return (*h.script.Load())(r) })
	h.agent = realagents.Prepare(t, name, h.dir, h.model)
	h.agent.Env = append(h.agent.Env, "PATH="+h.bin+string(filepath.ListSeparator)+os.Getenv("HANDOFF_AGENTS")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	switch name {
	case "claude":
		h.agent.Args = append(slices.Clone(h.agent.Args), "--allowedTools", "mcp__handoff")
	case "codex": // hooks run after a person has trusted each; `exec` cannot ask
		h.agent.Args = slices.Insert(slices.Clone(h.agent.Args), 1, "--dangerously-bypass-hook-trust", "--trust")
	}
	return h
}

// run runs handoff as the agent would: with its home folder, and the real time.
func (h *hostTest) run(args ...string) string {
	h.t.Helper()
	cmd := programIn(h.t, h.bin, h.dir, args...)
	cmd.Env = append(cmd.Env, h.agent.Env...)
	cmd.Env = append(cmd.Env, clockVar+"=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("handoff %q: %v: %s", args, err, out)
	}
	return string(out)
}

// git runs git in the repository and returns its output.
func (h *hostTest) git(args ...string) string {
	h.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=ann", "-c", "user.email=ann@example.com"}, args...)...)
	cmd.Dir = h.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		h.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

// session runs the agent once, without a person, and returns its requests to the model.
func (h *hostTest) session(script scriptedmodel.Script, more ...string) []scriptedmodel.Request {
	h.t.Helper()
	h.script.Store(&script)
	ctx, cancel := context.WithTimeout(h.t.Context(), 4*time.Minute) // on a busy machine OpenCode takes 40 s to start
	defer cancel()
	args := slices.Clone(h.agent.Args)
	if h.agent.Name == "codex" {
		args = slices.Insert(args, 1, more...)
	} else {
		args = append(args, more...)
	}
	cmd := exec.CommandContext(ctx, h.agent.Path, args...)
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir, cmd.Stdin = h.dir, strings.NewReader("Make the parser work.")
	cmd.Env = append(append(cmd.Environ(), h.agent.Env...), clockVar+"=") // after Dir, so that PWD agrees
	out, err := cmd.CombinedOutput()
	requests := h.model.Requests()[h.seen:]
	h.seen += len(requests)
	h.t.Cleanup(func() {
		if h.t.Failed() {
			h.t.Logf("%s %q: %v\n%.3000s", h.agent.Name, args, err, out)
			for i, r := range requests {
				h.t.Logf("request %d, turn %d, %d tools, last: %.600s", i+1, r.Turn, len(r.Tools), r.Last)
			}
			log, _ := os.ReadFile(filepath.Join(h.agent.Home, ".local/share/opencode/log/opencode.log")) // it prints nothing when it hangs
			h.t.Logf("%s", log[max(0, len(log)-3000):])
		}
	})
	if err != nil {
		h.t.Fatalf("%s: %v: %.6000s", h.agent.Name, err, out)
	}
	return requests
}

// turns are the requests of the agent's own work: those that offer tools. Some
// agents also ask for a title, in a conversation of its own.
func turns(requests []scriptedmodel.Request) []scriptedmodel.Request {
	return slices.DeleteFunc(slices.Clone(requests), func(r scriptedmodel.Request) bool { return r.Turn == 0 })
}

// occurrences counts a text in each request.
func occurrences(requests []scriptedmodel.Request, text string) []int {
	var counts []int
	for _, r := range requests {
		counts = append(counts, strings.Count(strings.Join(r.Texts, "\n"), text))
	}
	return counts
}

// answers is a model that gives some answers, one by one, to requests that offer
// tools, and then reports that it has finished.
func answers(list ...scriptedmodel.Answer) scriptedmodel.Script {
	return func(r scriptedmodel.Request) scriptedmodel.Answer {
		if r.Turn == 0 {
			return scriptedmodel.Answer{Text: "A title"}
		}
		if len(list) == 0 {
			return scriptedmodel.Answer{Text: "The parser works.", Input: 22_000}
		}
		a := list[0]
		list = list[1:]
		return a
	}
}

// calls is an answer with one call of a shell command.
func (h *hostTest) calls(tokens int, command string) scriptedmodel.Answer {
	return scriptedmodel.Answer{Input: tokens, Calls: []scriptedmodel.Call{realagents.Shell(h.agent.Name, command)}}
}

// state is what became of the handoff of a task, as `handoff receipts` has it.
func (h *hostTest) state(ref string) string {
	h.t.Helper()
	var r struct{ State string }
	out := h.run("receipts", ref, "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		h.t.Fatalf("%v: %s", err, out)
	}
	return r.State
}
