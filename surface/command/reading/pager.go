package reading

import (
	"cmp"
	"context"
	"os/exec"
	"strings"

	"golang.org/x/term"

	"handoff/surface/command"
)

// pages reports whether long texts are shown by a pager.
func pages(w *command.Process) bool { return !w.Unpaged && w.PersonPresent() && pager(w) != "" }

// pager is the command that shows long texts, as git chooses it; "" for none.
func pager(w *command.Process) string {
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

// showPaged prints a text, and shows one that is longer than the screen by a pager, if [pages]. The text has
// no control characters. A pager that cannot be started is left out.
func showPaged(ctx context.Context, w *command.Process, text string) error {
	if !pages(w) {
		return w.Print(text)
	}
	out := command.FileOf(w.Stdout)
	if _, rows, err := term.GetSize(int(out.Fd())); err != nil || strings.Count(text, "\n") < rows {
		return w.Print(text)
	}
	cmd := exec.CommandContext(ctx, "sh", "-c", pager(w))
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Dir, strings.NewReader(text), out, command.FileOf(w.Stderr)
	cmd.Env = append(cmd.Environ(), "LESS="+cmp.Or(w.Getenv("LESS"), "FRX"))
	if err := cmd.Start(); err != nil {
		return w.Print(text)
	}
	_ = cmd.Wait() // a person may quit before the end, and a pager that is not found has said so
	return nil
}
