package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"handoff/internal/testing/needs"
)

// heldTree is a layout with a handoff that is claimed, and how the next one is asked for.
type heldTree struct {
	preset, held string
	task         int
	loose        bool // sessions that know nothing of each other write beside each other
	replaces     bool // the next one has the path of the last
}

var heldTrees = map[string]heldTree{
	"specs":    {held: callerDoc, task: 1},
	"ticket":   {preset: "thoughts", held: "thoughts/shared/handoffs/ENG-7/2026-02-10_10-11-12_fix-auth.md", task: 7},
	"general":  {preset: "thoughts", held: "thoughts/shared/handoffs/general/2026-02-10_10-11-12_handoff.md", loose: true},
	"sessions": {preset: "sessions", held: "docs/handoffs/2026-02-10_10-11-12-handoff.md", loose: true},
	"single":   {preset: "single", held: "HANDOFF.md", replaces: true},
}

// writers ask for the next handoff on each surface. claim is "" for a caller that passes none.
var writers = map[string]func(t *testing.T, dir, bin, claim string, h heldTree, env []string) (said string, ok bool){
	"new": func(t *testing.T, dir, bin, _ string, h heldTree, env []string) (string, bool) {
		line := "handoff new --draft --next-action 'Run it.'"
		if h.task > 0 {
			line += fmt.Sprintf(" --task %d --phase 2", h.task)
		}
		return apart(t, dir, env, line)
	},
	"MCP": func(t *testing.T, dir, bin, _ string, h heldTree, env []string) (string, bool) {
		args := map[string]any{"phase": 2, "next_action": "Run `go test ./...` in " + h.held + ".", "state": map[string]any{"file": h.held, "location": "Line 1", "goal": "tests pass"},
			"decisions": []string{"None"}, "dead_ends": []string{"None"}, "context": []string{"None"}, "references": []string{h.held}}
		if h.task > 0 {
			args["task"] = h.task
		}
		call, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": map[string]any{"name": "handoff_new", "arguments": args}})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(bin, "handoff"), "mcp")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, env, strings.NewReader(mcpInitialize+string(call)+"\n")
		out, err := cmd.CombinedOutput()
		return string(out), err == nil && strings.Contains(string(out), "Written: ")
	},
	"HTTP": func(t *testing.T, dir, bin, claim string, h heldTree, env []string) (string, bool) {
		address := servedAt(t, dir, bin, env)
		return posted(t, fmt.Sprintf("%s/specs/%d/handoffs", address, h.task), map[string]any{"phase": 2, "draft": true, "next_action": "Run it.", "claim": claim})
	},
}

// apart runs a line in a shell without a terminal.
func apart(t *testing.T, dir string, env []string, line string) (string, bool) {
	t.Helper()
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, env, &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// TestHeldIsNotDisplaced: what a live claim holds is displaced by its holder alone, in each layout and on each
// surface. An identity that cannot be known is not that of the holder, but for a command that leaves the claimed handoff
// where it is: most hosts start commands without a session and a terminal. It says whose claim it took for its own.
func TestHeldIsNotDisplaced(t *testing.T) {
	needs.Tool(t, "git")
	const s1, s2, ended, later = "CLAUDE_CODE_SESSION_ID=s1", "CLAUDE_CODE_SESSION_ID=s2", clockVar + "=2026-02-12T20:05:00Z", clockVar + "=2026-02-12T16:06:00Z"
	for who, c := range map[string]struct {
		claims, asks string
		at           string // when it asks
		elsewhere    bool   // it asks in another worktree
		holds        bool   // it is shown to be the holder
	}{
		"the same session":                     {s1, s1, later, false, true},
		"the same session in another worktree": {s1, s1, later, true, true},
		"another session":                      {s1, s2, later, false, false},
		"another session in another worktree":  {s1, s2, later, true, false},
		"no identity":                          {"A=", "A=", later, false, false},
		"no identity, held by a session":       {s1, "A=", later, false, false},
		"another session, the lease has ended": {s1, s2, ended, false, false},
	} {
		for name, h := range heldTrees {
			for surface, write := range writers {
				t.Run(strings.Join([]string{name, who, surface}, "/"), func(t *testing.T) {
					t.Parallel()
					dir, bin := h.tree(t), commandDir(t)
					said, ok := apart(t, dir, callerEnv(bin, c.claims), "handoff claim "+h.held+" --as ann 2>/dev/null")
					if !ok {
						t.Fatal(said)
					}
					if c.elsewhere {
						git(t, dir, "worktree", "add", "-q", "../other")
						dir = filepath.Join(dir, "../other")
					}
					claim := ""
					if c.holds {
						claim = strings.TrimSpace(said)
					}
					env := callerEnv(bin, c.asks, c.at)
					said, ok = write(t, dir, bin, claim, h, env)
					assumed := who == "no identity" && surface == "new" && !h.loose && !h.replaces
					live := c.at == later && !c.holds && !assumed
					if want := !live || h.loose; ok != want {
						t.Errorf("written: %t, want %t: %s", ok, want, said)
					}
					if live && !strings.Contains(said, "held") {
						t.Errorf("it does not say who holds the last one: %s", said)
					}
					if assumed && !strings.Contains(said, "which a program without a session and a terminal claimed here") {
						t.Errorf("it does not say whose claim it took for its own: %s", said)
					}
					if left, want := left(t, dir, env), h.want(live); !slices.Equal(left, want) {
						t.Errorf("left %q, want %q: %s", left, want, said)
					}
				})
			}
		}
	}
}

// tree is a repository with the handoff, committed.
func (h heldTree) tree(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "one")
	put(t, dir, h.held, "# Handoff\n\n## Immediate Next Action\nRun `go test`.\n")
	if h.preset != "" {
		put(t, dir, ".handoff.yaml", "documents:\n  - preset: "+h.preset+"\n")
	}
	git(t, dir, "init", "-q")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-qm", "work")
	return dir
}

// want is what is left to do: the held handoff while another session holds it, and the new one.
func (h heldTree) want(live bool) []string {
	switch {
	case live && h.loose:
		return []string{"held: the old one", "waiting: the new one"}
	case live:
		return []string{"held: the old one"}
	}
	return []string{"waiting: the new one"}
}

// left is what `handoff next` lists, sorted.
func left(t *testing.T, dir string, env []string) (list []string) {
	t.Helper()
	out, _ := apart(t, dir, env, "handoff next --json 2>/dev/null")
	type item struct {
		State  string
		Action string `json:"next_action"`
	}
	var v struct {
		Waiting, Held []item
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err, out)
	}
	for _, i := range slices.Concat(v.Waiting, v.Held) {
		which := "the new one"
		if i.Action == "Run `go test`." {
			which = "the old one"
		}
		list = append(list, i.State+": "+which)
	}
	slices.Sort(list)
	return list
}
