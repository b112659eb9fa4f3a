package command

import (
	"cmp"
	"context"
	"os/exec"
	"strings"

	"golang.org/x/term"

	"handoff/agents"
	"handoff/agents/host"
)

// PersonPresent reports whether a person types at the terminal from which the command reads and to which it
// writes: only a person is asked, and gets a pager. An agent may have a terminal, too.
func (w *Process) PersonPresent() bool {
	if !IsTerminal(w.Stdin) || !IsTerminal(w.Stdout) || w.Getenv("TERM") == "dumb" {
		return false
	}
	for _, name := range []string{agents.LevelVar, agents.RelayVar, "HANDOFF_RUN_ID", "CI"} {
		if w.Getenv(name) != "" {
			return false
		}
	}
	_, agent := host.Agent(w.Getenv)
	return !agent
}

// Pages reports whether long texts are shown by a pager.
func (w *Process) Pages() bool { return !w.Unpaged && w.PersonPresent() && w.pager() != "" }

// pager is the command that shows long texts, as git chooses it; "" for none.
func (w *Process) pager() string {
	for _, name := range []string{"GIT_PAGER", "PAGER"} {
		if text := w.Getenv(name); text != "" {
			return strings.TrimSuffix(text, "cat")
		}
	}
	if _, err := exec.LookPath("less"); err != nil {
		return ""
	}
	return "less"
}

// Page prints a text, and shows one that is longer than the screen by a pager, if [Process.Pages]. The text has
// no control characters. A pager that cannot be started is left out.
func (w *Process) Page(ctx context.Context, text string) error {
	if !w.Pages() {
		return w.Print(text)
	}
	out := FileOf(w.Stdout)
	if _, rows, err := term.GetSize(int(out.Fd())); err != nil || strings.Count(text, "\n") < rows {
		return w.Print(text)
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", w.pager())
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Dir, strings.NewReader(text), out, FileOf(w.Stderr)
	cmd.Env = append(cmd.Environ(), "LESS="+cmp.Or(w.Getenv("LESS"), "FRX"))
	if err := cmd.Start(); err != nil {
		return w.Print(text)
	}
	_ = cmd.Wait() // a person may quit before the end, and a pager that is not found has said so
	return nil
}
