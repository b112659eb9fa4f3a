package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"handoff/internal/testing/waittest"
)

// TestThreadsInTmux continues a thread in a real terminal of two sizes: it chooses the thread and a message, sees the context, and creates a branch and
// a handoff after it has asked. They are those that the commands create.
func TestThreadsInTmux(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) { threadsInTmux(t, size[0], size[1]) })
	}
}

func threadsInTmux(t *testing.T, columns, lines int) {
	tmux, bin := tmuxServer(t), commandDir(t)
	dir := topWorkspace(t, bin)
	stdoutOf(t, bin, dir, "thread", "create", "--title", "lexer")
	stdoutOf(t, bin, dir, "thread", "create", "--title", "parser")
	stdoutOf(t, bin, dir, "thread", "post-message", "parser", "--content", "Why does TestScan fail?")
	stdoutOf(t, bin, dir, "run", "parser", "--content", "Look again.", "--", "echo", "an empty line")
	stdoutOf(t, bin, dir, "thread", "post-message", "parser", "--content", "Never mind.")
	tmux("-f", os.DevNull, "new-session", "-d", "-s", "t", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(lines), "-c", dir, "-e", "NO_COLOR=1", bin+"/handoff top --as ann; echo left=$?; exec cat")
	screen := func() string { return tmux("capture-pane", "-p", "-t", "t") }
	wait := func(want string) {
		t.Helper()
		waittest.Until(t, "the screen to show "+want, func() bool { return strings.Contains(screen(), want) })
	}
	press := func(keys ...string) { t.Helper(); tmux(append([]string{"send-keys", "-t", "t"}, keys...)...) }
	typing := func(text string) { t.Helper(); tmux("send-keys", "-t", "t", "-l", text); wait(text + "_") }
	type info struct {
		ThreadID string `json:"thread_id"`
		Title    *string
	}
	list := func() (all []info) {
		t.Helper()
		if err := json.Unmarshal([]byte(stdoutOf(t, bin, dir, "thread", "list")), &all); err != nil {
			t.Fatal(err)
		}
		return all
	}

	wait("3 Threads")
	press("3")
	wait("[3 Threads]")
	wait("lexer")
	press("/")
	typing("pars")
	press("Enter")
	wait("(1 of 2; esc clears it)")
	press("Enter")
	wait("> user  event 7")
	wait("an empty line")
	press("k")
	wait("> user  event 2")
	press("Enter")
	wait("the context of a successor")
	wait("3 parts, 0 left out")
	if text := screen(); !strings.Contains(text, "Why does TestScan fail?") || strings.Contains(text, "Never mind.") {
		t.Errorf("the context:\n%s", text)
	}
	press("b")
	wait("/branch _")
	typing("first try")
	press("Enter")
	wait("run `handoff thread branch ")
	press("n")
	wait("not run")
	if n := len(list()); n != 2 {
		t.Fatalf("%d threads without a yes", n)
	}
	press("b")
	wait("/branch _")
	typing("first try")
	press("Enter")
	wait("y run it")
	press("y")
	wait("[first try]")
	wait(", a branch after event 6")
	branch := list()[2]
	if branch.Title == nil || *branch.Title != "first try" {
		t.Fatalf("%+v", branch)
	}
	if text := stdoutOf(t, bin, dir, "thread", "show", branch.ThreadID); strings.Count(text, "(inherited from thread ") != 3 || strings.Contains(text, "Never mind.") {
		t.Errorf("the branch:\n%s", text)
	}

	press("/")
	wait("/_")
	press("x", "Enter")
	wait("want /branch [TITLE] or /handoff SUMMARY")
	press("Escape")
	wait("enter context")
	press("h")
	wait("/handoff _")
	typing("The scanner skips empty lines.")
	press("Enter")
	wait("--summary-markdown")
	press("y")
	wait(", a handoff after event 6")
	made := list()[3]
	if text := stdoutOf(t, bin, dir, "compile", made.ThreadID, "--stdout"); !strings.Contains(text, "The scanner skips empty lines.") || strings.Contains(text, "TestScan") {
		t.Errorf("the handoff: %s", text)
	}
	press("Escape")
	wait("[3 Threads]")
	press("Escape")
	wait("4 threads")
	wait("handoff of ")
	stdoutOf(t, bin, dir, "thread", "create", "--title", "by another process")
	press("R")
	wait("by another process")
	press("1")
	wait("[1 Now]")
	press("q")
	wait("left=0")
}
