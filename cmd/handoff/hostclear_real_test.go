package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
	"handoff/internal/testing/waittest"
)

// TestClearRealAgent: where the workspace allows it, the real Gemini CLI, on a
// terminal, clears its context after a turn in which it saved a handoff with an almost full
// context. Its next request contains that handoff, once, and nothing of the
// conversation before.
func TestClearRealAgent(t *testing.T) {
	h := newHost(t, "gemini")
	tmux := tmuxServer(t)
	writeFile(t, h.dir, ".handoff.yaml", "compaction: handoff\n")
	writeFile(t, h.dir, "specs/1_first/plans/plan.md", "# Plan\n")
	writeFile(t, h.dir, "parse/parse.go", "package parse\n")
	h.run("setup", "gemini", "--project")
	save := realagents.MCP("gemini", "handoff", "handoff_new", handoffValues("Run `go test ./parse`.", secondGoal))
	script := answers(h.calls(20_000, "sleep 0.5"), scriptedmodel.Answer{Input: fullAt["gemini"], Calls: []scriptedmodel.Call{save}},
		scriptedmodel.Answer{Input: fullAt["gemini"] + 10, Text: "The handoff is saved."})
	h.script.Store(&script)

	command := []string{"new-session", "-d", "-x", "150", "-y", "50", "-c", h.dir, "--", "env"}
	command = append(append(command, h.agent.Env...), clockVar+"=")
	tmux(append(command, h.agent.Path, "--skip-trust", "--yolo", "-i", "Make the parser work.")...)
	shown := ""
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(shown)
			for i, r := range h.model.Requests() {
				t.Logf("request %d, turn %d, last: %.600s", i+1, r.Turn, r.Last)
			}
		}
	})
	screen := func(text string) func() bool {
		return func() bool {
			out, err := exec.Command("tmux", "capture-pane", "-p", "-J").Output()
			shown = string(out)
			return err == nil && strings.Contains(shown, text)
		}
	}
	waittest.Until(t, "the context to be cleared", screen("Conversation context has been cleared"))
	if !strings.Contains(strings.Join(strings.Fields(shown), " "), "the context was almost full, and specs/1_first/handoffs/") {
		t.Errorf("the reason is not on the screen")
	}
	// It shows that before it does it, and then begins another record of the conversation.
	waittest.Until(t, "the new conversation", func() bool {
		begun := 0
		chats, _ := filepath.Glob(filepath.Join(h.agent.Home, ".gemini/tmp/*/chats/*"))
		for _, file := range chats {
			src, err := os.ReadFile(file)
			if err != nil {
				return false
			}
			begun += strings.Count(string(src), `"startTime"`)
		}
		return begun > 1
	})
	idle := func() bool {
		return screen("*   Type your message")() && !strings.Contains(shown, "esc to cancel") && !strings.Contains(shown, "Executing Hooks")
	}
	before := len(turns(h.model.Requests()))
	for i, prompt := range []string{"Continue with the work.", "And the rest."} {
		waittest.Until(t, "the turn to end", idle)
		tmux("send-keys", "-l", prompt)
		waittest.Until(t, "the prompt to be typed", screen("* "+prompt))
		waittest.Until(t, "the next request", func() bool { // it ignores Enter while it executes hooks
			if screen("* " + prompt)() {
				tmux("send-keys", "Enter")
			}
			return waittest.Within(5*time.Second, func() bool { return len(turns(h.model.Requests())) > before+i })
		})
	}
	requests := turns(h.model.Requests())[before:]
	if got := occurrences(requests, secondGoal); len(got) != 2 || slices.Max(got) != 1 || slices.Min(got) != 1 {
		t.Errorf("after that the requests contain the handoff %v times, want once each", got)
	}
	if got := occurrences(requests, "Make the parser work."); slices.Max(got) != 0 {
		t.Errorf("after that the requests contain the conversation before %v times", got)
	}
	if state := h.state("1"); state != "delivered" {
		t.Errorf("the handoff is %q", state)
	}
	if paths, _ := filepath.Glob(filepath.Join(h.dir, "specs/1_first/handoffs/*.md")); len(paths) != 1 {
		t.Errorf("documents: %q", paths)
	}
	waittest.Until(t, "the turn to end", idle)
	tmux("send-keys", "-l", "/quit")
	waittest.Until(t, "Gemini CLI to end", func() bool { // the first Enter may only complete the command
		tmuxEnter := exec.Command("tmux", "send-keys", "Enter").Run()
		return tmuxEnter != nil || waittest.Within(5*time.Second, func() bool { return exec.Command("tmux", "has-session").Run() != nil })
	})
}
