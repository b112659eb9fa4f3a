package handoffs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"

	"handoff/internal/text/gitsaid"
	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/workspace/create"
)

// errUnchanged means that the user closed the editor without a change, to
// cancel.
var errUnchanged = errors.New("not written: the editor changed nothing")

// edit opens the document in the user's editor. The text stays in a file of its
// own until the document is safely in the tree, so that a refused document is
// not lost. kept is that file, "" if there is nothing to keep.
func edit(ctx context.Context, w *command.Process, src []byte) (edited []byte, kept string, err error) {
	editor := editorOf(ctx, w)
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
	// A shell splits the variable, as in git: "code --wait" is a command and a
	// flag.
	cmd := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, editor, f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.Stdin, command.EditorOutput(w.Stderr), command.EditorOutput(w.Stderr)
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

// dropText removes an editor file that is no longer needed, if there is one.
func dropText(kept string) {
	if kept != "" {
		os.Remove(kept)
	}
}

// editorOf is the command of the user's editor: $VISUAL or $EDITOR, else git's
// core.editor, else the first one that is installed if stdin is a terminal. It
// is "" for none.
func editorOf(ctx context.Context, w *command.Process) string {
	for _, name := range []string{"VISUAL", "EDITOR", "GIT_EDITOR"} {
		if editor := w.Getenv(name); editor != "" {
			return editor
		}
	}
	git := exec.CommandContext(ctx, "git", "-c", gitsaid.NoBare, "config", "--get", "core.editor")
	git.Dir = w.Dir
	if out, err := git.Output(); err == nil && len(bytes.TrimSpace(out)) > 0 {
		return string(bytes.TrimSpace(out))
	}
	if !command.IsTerminal(w.Stdin) || w.Getenv("TERM") == "dumb" {
		return "" // no user is present
	}
	for _, editor := range []string{"editor", "vi", "nano"} {
		if _, err := exec.LookPath(editor); err == nil {
			return editor
		}
	}
	return ""
}

// sayKept prints the path of a text that was not written, and the command that
// continues with it.
func sayKept(w *command.Process, o *newOptions, in *create.Draft, kept string) {
	if kept == "" {
		return
	}
	resume := []string{"handoff", "new", "--from", kept, "--edit"}
	add := func(flag, value string) {
		if value != "" && value != "0" {
			resume = append(resume, flag, value)
		}
	}
	add("--task", strconv.Itoa(in.Task))
	add("--phase", strconv.Itoa(in.Phase))
	add("--slug", in.Slug)
	add("--replace", o.replace)
	add("-C", w.Under)
	w.Say("your text is kept in %s", kept)
	w.Say("to continue: %s", shellword.Join(resume...))
}
