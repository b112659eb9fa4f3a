package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
	"handoff/surface/command"
	"handoff/workspace/spawn"
)

const handedOver = "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"

// handedOverIn writes a handoff below a folder.
func handedOverIn(t *testing.T, dir string) {
	t.Helper()
	writeFile(t, dir, handedOver, "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test ./parse`. Then fix the first failure.\n\n"+
		"## Current State\n- **File**: parse/parse.go\n- **Location**: Line 12\n- **Goal state**: "+firstGoal+"\n")
	writeFile(t, dir, "parse/parse.go", "package parse\n")
}

// spawned runs `handoff spawn 1` with a real agent, flags, and arguments for the
// agent. It returns its output and exit code.
func spawned(t *testing.T, agent *realagents.Agent, bin, dir string, flags []string, more ...string) (stdout, stderr string, code int) {
	t.Helper()
	return spawnedWithin(t, 4*time.Minute, agent, bin, dir, flags, more...)
}

// spawnedWithin is spawned with another limit.
func spawnedWithin(t *testing.T, limit time.Duration, agent *realagents.Agent, bin, dir string, flags []string, more ...string) (stdout, stderr string, code int) {
	t.Helper()
	args := slices.Concat([]string{"spawn", "1", "--agent", agent.Name}, flags, []string{"--"}, more)
	cmd := programIn(t, bin, dir, args...)
	cmd.Env = append(cmd.Environ(), agent.Env...)
	cmd.Env = append(cmd.Env, clockVar+"=", "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("HANDOFF_AGENTS")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stuck := time.AfterFunc(limit, func() { cmd.Process.Signal(os.Interrupt) })
	defer stuck.Stop()
	if err := cmd.Wait(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func stdoutOf(t *testing.T, bin, dir string, args ...string) string {
	t.Helper()
	out, err := programIn(t, bin, dir, args...).Output()
	if err != nil {
		t.Fatalf("handoff %q: %v", args, err)
	}
	return string(out)
}

// TestSpawnRealAgents has each real agent continue a handoff, by its command line
// and over ACP: the first request to its model holds the report word for word, its
// shell finds the claim, and the handoff is done in the end. The default level
// permits the commands that this needs.
func TestSpawnRealAgents(t *testing.T) {
	needs.Tool(t, "git")
	for i := range 2 * len(realagents.Names()) {
		name, via := realagents.Names()[i/2], []string{"cli", "acp"}[i%2]
		t.Run(name+"-"+via, func(t *testing.T) {
			t.Parallel()
			bin, dir := commandDir(t), t.TempDir()
			if out, err := exec.Command("git", "init", "-q", dir).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			handedOverIn(t, dir)
			flags := []string{"--via", via}
			// Over ACP, Gemini CLI does not report which command it asks for, and the sandbox
			// of Codex is that of its mode. The command line of OpenCode keeps no lower level.
			if via == "acp" && (name == "gemini" || name == "codex") || via == "cli" && name == "opencode" || name == "codex" && !sandboxed(t) {
				flags = append(flags, "--level", "all")
			}
			commands := []string{"handoff ack --first-action 'Run `go test ./parse`.'", "handoff done"} // as the prompt has them
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				if r.Turn >= 1 && r.Turn <= len(commands) {
					return scriptedmodel.Answer{Calls: []scriptedmodel.Call{realagents.Shell(name, commands[r.Turn-1])}}
				}
				return scriptedmodel.Answer{Text: "The parser works."}
			})
			stdout, stderr, code := spawned(t, realagents.Prepare(t, name, dir, model), bin, dir, flags)
			if code != 0 || stdout != "The parser works.\n" {
				t.Errorf("exit code %d, output %q, errors %s", code, stdout, stderr)
			}
			// Without its frame, which also has what is out of date.
			_, want, _ := strings.Cut(stdoutOf(t, bin, dir, "brief", "1", "--level", "3"), "\n\n")
			want, _, _ = strings.Cut(want, "[end of report")
			turns := model.Turns()
			if len(turns) != 3 || !turns[0].Contains(strings.TrimSpace(want)) {
				t.Fatalf("%d turns, want 3 of which the first contains\n%s\n%.3000s", len(turns), want, fmt.Sprint(turns))
			}
			receipts := stdoutOf(t, bin, dir, "receipts", "1")
			for _, step := range []string{"  claimed ", "  " + name + "  1", "  delivered ", "first action matched", "done since"} {
				if !strings.Contains(receipts, step) {
					t.Errorf("%q is not in the receipts:\n%s", step, receipts)
				}
			}
		})
	}
}

// TestSpawnedFindsHandoff: an agent can run handoff also if it is not in PATH.
func TestSpawnedFindsHandoff(t *testing.T) {
	needs.Tool(t, "sh")
	bin, dir := commandDir(t), t.TempDir()
	handedOverIn(t, dir)
	cmd := programIn(t, bin, dir, "spawn", "1", "--agent", "custom", "--", "/bin/sh", "-c", "handoff done 2>/dev/null && command -v handoff")
	cmd.Env = append(cmd.Environ(), "PATH=/usr/bin:/bin")
	out, err := cmd.CombinedOutput()
	if want := filepath.Join(bin, "handoff") + "\n"; err != nil || string(out) != want {
		t.Errorf("%v: %s, want %s", err, out, want)
	}
}

// sandboxed reports whether Codex can confine commands on this machine. In some
// containers it cannot, and then runs no command at the levels below all.
func sandboxed(t *testing.T) bool {
	t.Helper()
	out, err := exec.Command(filepath.Join(needs.Folder(t, "HANDOFF_AGENTS"), "codex"), "sandbox", "true").CombinedOutput()
	if err != nil {
		t.Logf("Codex runs without its sandbox, which fails here: %v: %s", err, out)
	}
	return err == nil
}

// TestSpawnModelError has the model refuse: the handoff waits again, with the
// reason.
func TestSpawnModelError(t *testing.T) {
	for _, c := range []struct{ name, via string }{{"claude", "cli"}, {"codex", "cli"}, {"claude", "acp"}, {"codex", "acp"}, {"gemini", "acp"}, {"opencode", "acp"}} {
		name, via := c.name, c.via
		t.Run(name+"-"+via, func(t *testing.T) {
			t.Parallel()
			bin, dir := commandDir(t), t.TempDir()
			handedOverIn(t, dir)
			model := scriptedmodel.Start(t, func(scriptedmodel.Request) scriptedmodel.Answer {
				return scriptedmodel.Answer{Status: 400, Text: "the-quota-is-used-up"}
			})
			stdout, stderr, code := spawned(t, realagents.Prepare(t, name, dir, model), bin, dir, []string{"--json", "--via", via})
			lines := strings.Split(strings.TrimSpace(stdout), "\n")
			var end spawn.Outcome
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil {
				t.Fatalf("%v: %s\n%s", err, stdout, stderr)
			}
			if code != command.Findings || end.Session == "" || !strings.Contains(end.Why, "the-quota-is-used-up") {
				t.Errorf("exit code %d, %+v: %s", code, end, stderr)
			}
			if !slices.ContainsFunc(strings.Split(stdoutOf(t, bin, dir, "receipts", "1"), "\n"), func(line string) bool {
				return strings.Contains(line, "  released  ") && strings.Contains(line, "the-quota-is-used-up")
			}) {
				t.Errorf("not released with the reason: %s", stdoutOf(t, bin, dir, "receipts", "1"))
			}
		})
	}
}
