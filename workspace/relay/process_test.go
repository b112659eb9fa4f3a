//go:build linux

package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"handoff/agents"
	"handoff/internal/testing/killtest"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/internal/testing/waittest"
	"handoff/lint/rules"
	"handoff/log/thread"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/current"
	"handoff/workspace/documents"
	"handoff/workspace/receipts"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/relay/turn"
)

// The test program is also the relay that is killed, and the agent that it runs.
const (
	relayIn = "RELAY_TEST_IN" // folder of the workspace
	dieAt   = "RELAY_TEST_DIE_AT"
	agentIn = "RELAY_TEST_AGENT"
	hangs   = "RELAY_TEST_HANGS" // the agent never answers when it is asked for a handoff
)

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "agent":
		agentMain(os.Getenv(agentIn))
	case len(os.Args) > 1 && os.Args[1] == "scripted":
		scriptedMain(os.Getenv(scripted))
	case os.Getenv(relayIn) != "":
		os.Exit(relayMain(os.Getenv(relayIn)))
	}
	os.Exit(m.Run())
}

func openAt(dir string) *workspace.Workspace {
	ws, err := workspace.Open(dir, workspace.Options{Rules: rules.All})
	if err != nil {
		panic(err)
	}
	return ws
}

func fakeAgent() agents.Agent {
	a, err := agents.Read("fake.yaml", []byte("title: Fake\nstream: claude\nreports_cost: true\nstart: agent\nresume: [agent, \"{session}\"]\ncontext: {at: 100000}\n"), agents.Agent{})
	if err != nil {
		panic(err)
	}
	a.Program = os.Args[0]
	return a
}

// relayMain starts the relay of a folder, or resumes it, and prints how it ended. It
// kills itself after a number of facts.
func relayMain(dir string) int {
	ws, left := openAt(dir), -1
	fmt.Sscan(os.Getenv(dieAt), &left)
	os.Unsetenv(relayIn)
	o := Options{Agents: []agents.Agent{fakeAgent()}, Options: turn.Options{TTL: 2 * time.Second, Grace: 2 * time.Second, Stderr: os.Stderr}, Fact: func(chain.Fact) {
		if left--; left == 0 {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}}
	if os.Getenv(scripted) != "" {
		o.Agents, ws.Options.Now = []agents.Agent{scriptedAgent("one")}, clockIn(dir)
	}
	list, err := log.List(ws)
	var r *Relay
	switch {
	case err != nil:
	case len(list) == 0:
		r, err = Start(context.Background(), ws, chain.Plan{Objective: "parse numbers", Task: 1, Agents: []string{"fake"}, Level: agents.All, Continuations: 5}, o)
	case list[0].State == "ended":
		fmt.Println("ended:", list[0].Reason)
		return 0
	default:
		r, err = Resume(context.Background(), ws, list[0].ID, o)
	}
	if err == nil {
		err = r.Run(context.Background())
		fmt.Println("ended:", r.State().Over)
		r.Close()
	}
	if err != nil {
		fmt.Println(err)
		if errors.Is(err, log.ErrRunning) {
			return 3
		}
		return 2
	}
	return 0
}

// agentMain is an agent. Its first two links fill their context until they are
// interrupted, and write a handoff when they are asked; the third one finishes.
func agentMain(dir string) {
	ws := openAt(dir)
	prompt, _ := io.ReadAll(os.Stdin)
	defer alone(dir)()
	session, resumed := thread.NewUUID(), len(os.Args) > 2
	if resumed {
		session = os.Args[2]
	}
	printed := func(v any) { line, _ := json.Marshal(v); os.Stdout.Write(append(line, '\n')) }
	type m = map[string]any
	note(dir, "begun", session, os.Getenv("HANDOFF_REF"))
	printed(m{"type": "system", "session_id": session, "uuid": "u"})
	call := func(id string, tokens int) {
		printed(m{"type": "assistant", "session_id": session, "message": m{"id": id, "usage": m{"input_tokens": tokens},
			"content": []m{{"type": "text", "text": "I work."}, {"type": "tool_use", "id": "t" + id, "name": "Bash", "input": m{"command": "go test"}}}}})
	}
	ctx, claim := context.Background(), os.Getenv("HANDOFF_CLAIM")
	book, err := receipts.Open(ws)
	if err != nil {
		panic(err)
	}
	if os.Getenv("HANDOFF_REF") != "" { // else the claim is of the task
		if _, err := book.Acknowledge(ctx, receipts.Target{Dir: dir, Claim: claim}, "", ""); err != nil && !strings.Contains(err.Error(), "superseded") {
			panic(err)
		}
	}
	switch docs, _ := documents.List(ctx, ws, documents.Filter{Task: new(1)}); {
	case strings.Contains(string(prompt), "write a handoff now") && os.Getenv(hangs) != "":
		time.Sleep(waittest.Limit)
	case strings.Contains(string(prompt), "write a handoff now"):
		made, err := create.Run(ctx, ws, create.Request{Slug: "parse", Values: templates.Values{Task: 1, Phase: 1, NextAction: "Run `go test ./parse`.",
			State: templates.State{File: "parse.go", Location: "line 1", Goal: "it passes"}, Decisions: []string{"None"}, DeadEnds: []string{"None"}, Context: []string{"None"}, References: []string{"None"}}})
		if err == nil && claim != "" {
			err = book.Supersede(ctx, claim, made.Path)
		}
		if err != nil {
			panic(err)
		}
		note(dir, "wrote", session, made.Path)
	case len(docs) < 2:
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		call("m1", 95000)
		printed(m{"type": "user", "session_id": session, "message": m{"content": []m{{"type": "tool_result", "tool_use_id": "tm1", "content": "ok"}}}})
		select {
		case <-interrupted:
		case <-time.After(waittest.Limit):
			note(dir, "never interrupted", session, "")
		}
	default:
		call("m1", 1000)
		if _, err := book.Finish(ctx, receipts.Target{Dir: dir, Claim: claim, Who: current.Caller{Relay: os.Getenv(agents.RelayVar)}}, ""); err != nil {
			panic(err)
		}
	}
	printed(m{"type": "result", "session_id": session, "total_cost_usd": 0.5})
	os.Exit(0)
}

// note appends a line to the log of the agents.
func note(dir, what, session, about string) {
	f, err := os.OpenFile(filepath.Join(dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, what, session, about)
}

// alone notes an agent that runs at the same time as another one.
func alone(dir string) (end func()) {
	path := filepath.Join(dir, "active")
	if src, err := os.ReadFile(path); err == nil {
		pid := 0
		fmt.Sscan(string(src), &pid)
		if pid > 0 && pid != os.Getpid() && killtest.Alive(pid) {
			note(dir, "TWO-AGENTS", fmt.Sprint(pid), "")
		}
	}
	if err := os.WriteFile(path, fmt.Append(nil, os.Getpid()), 0o644); err != nil {
		panic(err)
	}
	return func() { os.Remove(path) }
}

// newTree is a workspace without handoffs.
func newTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{".handoff.yaml": "", "specs/.keep": "", "parse.go": "package parse\n"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// relayProcess is a process that runs the relay of a folder.
func relayProcess(dir string, die int) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), relayIn+"="+dir, agentIn+"="+dir, fmt.Sprintf("%s=%d", dieAt, die))
	return cmd
}
