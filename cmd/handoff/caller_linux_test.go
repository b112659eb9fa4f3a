package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// asker makes one call of a step, and returns what it printed or answered. The claim is "" for
// a caller that passes none.
type asker func(step, claim string) (said string, ok bool)

const callerDoc = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"

// callerTree is a repository with a handoff that waits.
func callerTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, callerDoc)
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, []byte("# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun it.\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// callerEnv is the environment without what names a session, an agent or a claim.
func callerEnv(bin string, set ...string) []string {
	env := []string{clockVar + "=2026-02-12T16:05:00Z"}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HANDOFF_") && !strings.Contains(v, "_SESSION_ID=") && !strings.HasPrefix(v, "CODEX_") && !strings.HasPrefix(v, "PATH=") {
			env = append(env, v)
		}
	}
	return append(append(env, "PATH="+bin+":"+os.Getenv("PATH")), set...)
}

// lineOfStep is a step as a shell runs it.
func lineOfStep(step, claim string, named bool) string {
	ref, line := "", ""
	if named {
		ref = " 1/1"
	}
	switch step {
	case "claim":
		line = "handoff claim 1/1 --as ann"
	case "ack":
		line = "handoff ack" + ref + " --first-action 'Run it.'"
	case "new":
		line = "handoff new --task 1 --phase 2 --draft --next-action 'Run it.'"
	default:
		line = "handoff " + step + ref
	}
	if claim != "" {
		line = "HANDOFF_CLAIM=" + claim + " " + line
	}
	return line
}

// inNewShell asks from a shell of its own, without a terminal, for each step.
func inNewShell(dir, bin string, named bool, env ...string) asker {
	return func(step, claim string) (string, bool) {
		cmd := exec.Command("sh", "-c", lineOfStep(step, claim, named))
		cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, callerEnv(bin, env...), &syscall.SysProcAttr{Setsid: true}
		out, err := cmd.CombinedOutput()
		return string(out), err == nil
	}
}

// inTerminal asks from the shell of a terminal of its own.
func inTerminal(t *testing.T, dir, bin string, named, nested bool) asker {
	t.Helper()
	_, tty := terminal(t)
	cmd := exec.Command("sh")
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, callerEnv(bin), []*os.File{tty}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	return func(step, claim string) (said string, ok bool) {
		line := lineOfStep(step, claim, named)
		if nested {
			line = `sh -c "` + line + `"`
		}
		fmt.Fprintf(in, "%s 2>&1\necho \"exit status $?\"\n", line)
		for lines.Scan() {
			if code, ended := strings.CutPrefix(lines.Text(), "exit status "); ended {
				return said, code == "0"
			}
			said += lines.Text() + "\n"
		}
		return said, false
	}
}

// overMCP asks a server, as a host starts one for each session.
func overMCP(t *testing.T, dir string, env ...string) asker {
	t.Helper()
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	s := startMCP(t, dir)
	id := 1
	return func(step, claim string) (string, bool) {
		tool, args := "handoff_claim", map[string]any{"action": step}
		switch step {
		case "claim":
			args["ref"] = "1/1"
		case "ack":
			args["first_action"] = "Run it."
		case "new":
			tool, args = "handoff_new", map[string]any{"task": 1, "phase": 2, "next_action": "Run `go test ./...` in " + callerDoc + ".",
				"state":     map[string]any{"file": callerDoc, "location": "Line 1", "goal": "tests pass"},
				"decisions": []string{"None"}, "dead_ends": []string{"None"}, "context": []string{"None"}, "references": []string{callerDoc}}
		}
		if claim != "" {
			args["claim"] = claim
		}
		id++
		src, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args}})
		if err != nil {
			t.Fatal(err)
		}
		s.send(t, string(src)+"\n")
		var answer struct {
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		line := s.answer(t)
		if err := json.Unmarshal([]byte(line), &answer); err != nil || len(answer.Result.Content) == 0 {
			t.Fatal(err, line)
		}
		return answer.Result.Content[0].Text, !answer.Result.IsError
	}
}

// servedAt is the address of `handoff serve` in a folder.
func servedAt(t *testing.T, dir, bin string, env []string) (address string) {
	t.Helper()
	address, _ = servedBy(t, dir, bin, env, nil)
	return address
}

// servedBy is the address of `handoff serve` with attributes of its process, and what it said before it.
func servedBy(t *testing.T, dir, bin string, env []string, by *syscall.SysProcAttr) (address, said string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "handoff"), "serve", "--listen", "127.0.0.1:0", "--no-token")
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, by
	talk, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for lines := bufio.NewScanner(talk); address == "" && lines.Scan(); {
		if at, ok := strings.CutPrefix(lines.Text(), "handoff listening on "); ok {
			address = at
		}
		said += lines.Text() + "\n"
	}
	go io.Copy(io.Discard, talk)
	return address, said
}

// overHTTP asks `handoff serve`.
func overHTTP(t *testing.T, dir, bin string) asker {
	t.Helper()
	address := servedAt(t, dir, bin, callerEnv(bin))
	return func(step, claim string) (string, bool) {
		path, body := "/handoffs/1%2F1/"+step, map[string]any{}
		switch step {
		case "claim":
			body["as"] = "ann"
		case "ack":
			body["first_action"] = "Run it."
		case "new":
			path, body = "/specs/1/handoffs", map[string]any{"phase": 2, "draft": true, "next_action": "Run it."}
		}
		if claim != "" && step != "claim" {
			body["claim"] = claim
		}
		return posted(t, address+path, body)
	}
}

// posted is the answer of a server to a request, and whether it did what was asked.
func posted(t *testing.T, url string, body map[string]any) (said string, ok bool) {
	t.Helper()
	src, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(answer), resp.StatusCode < 300
}

// became is the state and the token of the handoff, and whether it was acknowledged.
func became(t *testing.T, dir, bin string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "handoff"), "receipts", callerDoc, "--json")
	cmd.Dir, cmd.Env = dir, callerEnv(bin)
	out, err := cmd.Output()
	var v struct {
		State        string
		Acknowledged bool
		Claim        string
		Steps        []struct {
			Token uint64
			Until string
		}
	}
	if err == nil {
		err = json.Unmarshal(out, &v)
	}
	if err != nil || len(v.Steps) == 0 {
		t.Fatal(err, string(out))
	}
	last := v.Steps[len(v.Steps)-1]
	return fmt.Sprintf("%s %d %d %v", v.State, last.Token, len(v.Steps), v.Acknowledged)
}

// TestCallers asks for each step on a claim from each place: where it was made, no id is needed, and
// elsewhere nothing happens and the answer says why.
func TestCallers(t *testing.T) {
	const nothing = "claimed 1 1 false"
	effects := map[string]string{"claim": nothing, "ack": "claimed 1 2 true", "renew": "claimed 1 2 false", "release": "released 1 2 false",
		"done": "done 1 2 false", "new": "superseded 1 2 false"}
	session := func(id string) string { return "CLAUDE_CODE_SESSION_ID=" + id }
	type pair struct{ claims, asks asker }
	for name, c := range map[string]struct {
		with func(t *testing.T, dir, bin string) pair
		why  string // "" if each step works
		id   bool   // the caller passes the claim

		named string // why it cannot be claimed again, under another name; "" if it can
	}{
		"same shell": {with: func(t *testing.T, dir, bin string) pair {
			a := inTerminal(t, dir, bin, false, false)
			return pair{a, a}
		}},
		"new shell of a terminal": {with: func(t *testing.T, dir, bin string) pair {
			return pair{claims: inTerminal(t, dir, bin, false, true)}
		}},
		"new shell without a terminal": {with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, false), inNewShell(dir, bin, false)}
		}},
		"other terminal": {why: "claimed in another terminal", with: func(t *testing.T, dir, bin string) pair {
			return pair{inTerminal(t, dir, bin, true, false), inTerminal(t, dir, bin, true, false)}
		}},
		"other terminal, with the claim": {id: true, with: func(t *testing.T, dir, bin string) pair {
			return pair{inTerminal(t, dir, bin, true, false), inTerminal(t, dir, bin, true, false)}
		}},
		"host session": {with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, false, session("s1")), inNewShell(dir, bin, false, session("s1"))}
		}},
		"other host session": {why: "claimed in another session, claude s1", with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, true, session("s1")), inNewShell(dir, bin, true, session("s2"))}
		}},
		"session of another host inside": {why: "claimed in another session, claude s1", with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, true, session("s1")), inNewShell(dir, bin, true, session("s1"), "GEMINI_SESSION_ID=g1")}
		}},
		"agent that handoff started": {why: "claimed in another session, claude s1", with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, true, session("s1")), inNewShell(dir, bin, true, session("s1"), "HANDOFF_RUN_ID=r1", "HANDOFF_THREAD_ID=t1")}
		}},
		"no session": {why: "claimed in a session, claude s1", with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, true, session("s1")), inNewShell(dir, bin, true)}
		}},
		"session in a place with a claim": {why: "claimed outside of this session", with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, true), inNewShell(dir, bin, true, session("s1"))}
		}},
		"MCP": {with: func(t *testing.T, dir, bin string) pair {
			a := overMCP(t, dir)
			return pair{a, a}
		}},
		"MCP, claimed in the shell of the session": {with: func(t *testing.T, dir, bin string) pair {
			return pair{inNewShell(dir, bin, false, session("s1")), overMCP(t, dir, session("s1"))}
		}},
		"shell, claimed over MCP in the session": {named: "claimed here, but not as ann", with: func(t *testing.T, dir, bin string) pair {
			return pair{overMCP(t, dir, session("s1")), inNewShell(dir, bin, false, session("s1"))}
		}},
		"HTTP, with the claim": {id: true, with: func(t *testing.T, dir, bin string) pair {
			a := overHTTP(t, dir, bin)
			return pair{a, a}
		}},
		"HTTP": {why: "claim", with: func(t *testing.T, dir, bin string) pair {
			a := overHTTP(t, dir, bin)
			return pair{a, a}
		}},
	} {
		for step, effect := range effects {
			t.Run(name+"/"+step, func(t *testing.T) {
				dir, bin := callerTree(t), commandDir(t)
				p := c.with(t, dir, bin)
				if p.asks == nil {
					p.asks = p.claims
				}
				said, ok := p.claims("claim", "")
				if !ok {
					t.Fatal(said)
				}
				claim, want := "", effect
				if c.id {
					claim = claimIn(t, said)
				}
				if c.id && step == "claim" && strings.HasPrefix(name, "HTTP") {
					return // the body of a claim has none
				}
				why := c.why
				if step == "claim" {
					why = cmp.Or(why, c.named)
				}
				if why != "" {
					want = nothing
				}
				said, ok = p.asks(step, claim)
				if ok != (why == "") || !strings.Contains(said, why) {
					t.Errorf("works: %v, want %v with %q: %s", ok, why == "", why, said)
				}
				if got := became(t, dir, bin); got != want {
					t.Errorf("it became %q, want %q: %s", got, want, said)
				}
			})
		}
	}
}

// claimIn is the claim that an answer contains.
func claimIn(t *testing.T, said string) string {
	t.Helper()
	claim := regexp.MustCompile(`[0-9a-f]{16}\.\d+\.[0-9a-f-]{36}`).FindString(said)
	if claim == "" {
		t.Fatalf("no claim in %s", said)
	}
	return claim
}
