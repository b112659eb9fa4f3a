package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/workspace/create"
)

// errUnchanged says that the user closed the editor without a change, as who
// has thought better of it does.
var errUnchanged = errors.New("not written: the editor changed nothing")

// edit lets the user write the document. The text stays in a file of its own
// until it is safely in the tree, so that a refusal loses nothing. kept is that
// file, "" where there is nothing to keep.
func (w *world) edit(c *cli.Context, src []byte) (edited []byte, kept string, err error) {
	editor := w.editor(c)
	if editor == "" {
		return nil, "", errors.New("--edit needs an editor: set $VISUAL or $EDITOR, or give the values by flags or --from")
	}
	f, err := os.CreateTemp("", "handoff-*.md")
	if err != nil {
		return nil, "", err
	}
	_, err = f.Write(src)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, f.Name(), err
	}
	// A shell takes it apart, as git does: "code --wait" is a command and a flag.
	cmd := exec.CommandContext(c.Context, "sh", "-c", editor+` "$1"`, editor, f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.stdin, editorOutput(w.stderr), editorOutput(w.stderr)
	if err := cmd.Run(); err != nil {
		return nil, f.Name(), fmt.Errorf("editor %q: %w", editor, err)
	}
	edited, err = os.ReadFile(f.Name())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, "", errors.New("not written: the editor removed the document")
	case err != nil:
		return nil, f.Name(), err
	case bytes.Equal(edited, src):
		err = errUnchanged
	case len(bytes.TrimSpace(edited)) == 0:
		err = errors.New("not written: the document is empty")
	default:
		return edited, f.Name(), nil
	}
	dropText(f.Name())
	return nil, "", err
}

// editorOutput is where an editor draws: a terminal itself, because an editor
// needs it and is the user's own.
func editorOutput(out io.Writer) io.Writer {
	if f := fileOf(out); f != nil {
		return f
	}
	return out
}

// dropText removes a text of the editor that need not be kept, if there is one.
func dropText(kept string) {
	if kept != "" {
		os.Remove(kept)
	}
}

// editor is the command of the user's editor: $VISUAL or $EDITOR, else the one
// that git is told of, else at a terminal the first that is installed. It is ""
// for none.
func (w *world) editor(c *cli.Context) string {
	for _, name := range []string{"VISUAL", "EDITOR", "GIT_EDITOR"} {
		if editor := w.getenv(name); editor != "" {
			return editor
		}
	}
	git := exec.CommandContext(c.Context, "git", "config", "--get", "core.editor")
	git.Dir = w.dir
	if out, err := git.Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
		return string(bytes.TrimSpace(out))
	}
	if !isTerminal(w.stdin) || w.getenv("TERM") == "dumb" {
		return "" // nobody is there who could use it
	}
	for _, editor := range []string{"editor", "vi", "nano"} {
		if _, err := exec.LookPath(editor); err == nil {
			return editor
		}
	}
	return ""
}

// sayKept says where a text is that was not written, and what to type to go on
// with it.
func (w *world) sayKept(c *cli.Context, in *create.Draft, kept string) {
	if kept == "" {
		return
	}
	resume := []string{"handoff", "new", "--from", shellWord(kept), "--edit"}
	for _, flag := range []string{"task", "phase"} {
		if n := map[string]int{"task": in.Task, "phase": in.Phase}[flag]; n > 0 {
			resume = append(resume, "--"+flag, strconv.Itoa(n))
		}
	}
	if in.Slug != "" {
		resume = append(resume, "--slug", shellWord(in.Slug))
	}
	if dir := c.String("C"); dir != "" {
		resume = append(resume, "-C", shellWord(dir))
	}
	w.say("your text is kept in %s", kept)
	w.say("to continue: %s", strings.Join(resume, " "))
}

// shellWord is a word as a shell takes it.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
